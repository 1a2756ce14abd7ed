"""Network addresses, as limits count them."""

import ipaddress

from django.utils.crypto import salted_hmac


def network_of(address: str) -> str:
    """Return what counts as one sender: an IPv4 address, or the /64 network of an IPv6 address.

    A household or an office has at least as many IPv6 addresses. Returns "" for a text that is no address,
    such as a Unix socket's.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), 64), strict=False).network_address)


def address_digest(address: str) -> str:
    """Return a keyed digest of a network address, as `network_of` cuts it; "" where it is not one."""
    network = network_of(address)
    return salted_hmac("wardboard.network-address", network).hexdigest()[:32] if network else ""
