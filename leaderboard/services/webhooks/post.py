"""POST to an address that a stranger named: to public addresses alone, without redirects, within seconds.

The name is resolved once, and the connection goes to the address that was checked: a name that leads to
another one a moment later (DNS rebinding) changes nothing. No proxy is used, and of the answer only the
status is read.
"""

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import SplitResult, urlsplit

from urllib3.connection import HTTPConnection, HTTPException
from urllib3.exceptions import HTTPError

from leaderboard.models import CallProblem

_CONNECT, _SILENCE, _WHOLE = 3.0, 5.0, 8.0  # seconds
_MOST_ADDRESSES = 2  # that are tried: one may be of a kind that this machine cannot reach
_PORTS = {"https": 443, "http": 80}
# IPv6 addresses in which a gateway finds an IPv4 address. Source: RFC 6052, section 2.1.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class CallFailed(Exception):
    """The server was not called, or it did not answer with a status."""

    def __init__(self, problem: CallProblem) -> None:
        super().__init__(problem.label)
        self.problem = problem


def is_public(address: str) -> bool:
    """Return whether an IP address is one that anyone on the internet may reach."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return _is_public(parsed.ipv4_mapped)
        # What such an address leads to depends on the network that we are in.
        if parsed.sixtofour or parsed.teredo or parsed in _NAT64 or parsed.is_site_local or parsed.scope_id:
            return False
    return _is_public(parsed)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def is_address(host: str) -> bool:
    """Return whether the host of a URL is an IP address, and not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether the host of a URL is this machine."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def post(url: str, *, body: bytes, headers: Mapping[str, str], allows_loopback: bool) -> int:
    """Send a body and return the HTTP status of the answer. Raises CallFailed.

    url: https, or http to a loopback address
    allows_loopback: of this machine, for tests and development
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    addresses = _resolve(host, port, allows_loopback=allows_loopback)
    if parts.scheme != "https" and not all(map(is_loopback, addresses)):
        raise CallFailed(CallProblem.ADDRESS)
    try:
        with _connect(addresses, port) as raw:
            if parts.scheme != "https":
                return _exchange(raw, parts, body, headers)
            with ssl.create_default_context().wrap_socket(raw, server_hostname=host) as secured:
                return _exchange(secured, parts, body, headers)
    except ssl.SSLCertVerificationError as error:
        raise CallFailed(CallProblem.TLS) from error
    except (OSError, HTTPException, HTTPError) as error:
        raise CallFailed(CallProblem.SILENT) from error


def _resolve(host: str, port: int, *, allows_loopback: bool) -> list[str]:
    """Return the addresses of a host, all of which are public. Raises CallFailed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise CallFailed(CallProblem.NAME) from error
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if not addresses:
        raise CallFailed(CallProblem.NAME)
    if not all(is_public(each) or (allows_loopback and is_loopback(each)) for each in addresses):
        raise CallFailed(CallProblem.ADDRESS)
    return addresses[:_MOST_ADDRESSES]


@contextmanager
def _connect(addresses: Sequence[str], port: int) -> Iterator[socket.socket]:
    """Connect to the first address that answers. Raises TimeoutError where all takes longer than _WHOLE."""
    with _first_to_answer(addresses, port) as raw:
        raw.settimeout(_SILENCE)
        is_cut = threading.Event()
        # A second handle on the same connection, which TLS does not take over.
        with raw.dup() as handle:
            timer = threading.Timer(_WHOLE, _cut, [handle, is_cut])
            timer.start()
            try:
                yield raw
            finally:
                timer.cancel()
                timer.join()
        # What had arrived before may look like an answer.
        if is_cut.is_set():
            raise TimeoutError


def _first_to_answer(addresses: Sequence[str], port: int) -> socket.socket:
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return _open(address, port)
    return _open(last, port)


def _open(address: str, port: int) -> socket.socket:
    """Connect to an IP address, without another look-up. Raises OSError."""
    opened = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        opened.settimeout(_CONNECT)
        opened.connect((address, port))
    except OSError:
        opened.close()
        raise
    return opened


def _cut(handle: socket.socket, is_cut: threading.Event) -> None:
    is_cut.set()
    # The server may have ended the connection already.
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def _exchange(connected: socket.socket, parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> int:
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_SILENCE)
    connection.sock = connected
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {"Host": parts.netloc, **headers}
    connection.request("POST", target, body=body, headers=sent, preload_content=False)
    return connection.getresponse().status
