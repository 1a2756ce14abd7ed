"""A live FHIR R4 server."""

from collections.abc import Iterator, Mapping
from functools import partial
from os import environ
from typing import Any
from urllib.parse import unquote, urlencode, urljoin, urlsplit, urlunsplit

import urllib3
from requests.utils import DEFAULT_CA_BUNDLE_PATH, get_auth_from_url, get_environ_proxies, select_proxy
from urllib3.exceptions import HTTPError, InvalidHeader, MaxRetryError

from wardboard.scoring.fhir.bundles import later_pages, merge_pages, parse_bundle
from wardboard.scoring.fhir.source import FORMAT, FhirQueryFailed, FhirUnavailable, query_text

_LONGEST_BACK_OFF, _LONGEST_RETRY_AFTER = 30, 60  # seconds
_HINT = "check that the server runs and the address is right, then try again"


class _Retry(urllib3.Retry):
    """Retries what is in its list alone: not a 413, which would be retried if it has a Retry-After."""

    RETRY_AFTER_STATUS_CODES = frozenset()


def _pool(url: str, headers: Mapping[str, str]) -> urllib3.PoolManager:
    """Return what connects to an address, with the proxy and the certificates that the environment names."""
    authorities = environ.get("REQUESTS_CA_BUNDLE") or DEFAULT_CA_BUNDLE_PATH
    proxy = select_proxy(url, get_environ_proxies(url))
    if not proxy:
        return urllib3.PoolManager(headers=headers, ca_certs=authorities)
    user, password = get_auth_from_url(proxy)
    own = urllib3.make_headers(proxy_basic_auth=f"{user}:{password}") if user else None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    return urllib3.ProxyManager(proxy, headers=headers, proxy_headers=own, ca_certs=authorities)


class FhirServer:
    """A FHIR R4 server, searched over HTTP: a FhirSource for one thread at a time.

    - base_url: such as `http://localhost:8080/fhir/`; may contain `user:password@`, which is sent as
      basic authentication and never shown
    - timeout: seconds to connect, and between two received bytes
    - retries: further attempts after a failed connection, HTTP 429 or 5xx
    - backoff: seconds, doubled each time with jitter; a Retry-After of the server replaces it, up to a minute
    - all_pages: return the entries of all pages of a search. Without it a search returns its first page, as
      graders do that follow no link, and `paged` collects the queries that have more

    Every request goes to the origin of base_url. If the link to a next page names another host, as a
    server behind a proxy may do, the page is requested from this origin. Redirects are refused.
    Raises ValueError if base_url is no http(s) address.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        backoff: float = 0.5,
        all_pages: bool = True,
    ) -> None:
        self._all_pages, self.paged = all_pages, list[str]()
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("the FHIR base address must look like http://localhost:8080/fhir/")
        credentials, _, host = parts.netloc.rpartition("@")
        self._origin = parts.scheme, host
        self.base_url = urlunsplit((*self._origin, parts.path.rstrip("/") + "/", "", ""))
        self._timeout, self._tries = timeout, retries + 1
        self._retry = _Retry(
            total=retries,
            redirect=False,
            status_forcelist=frozenset({429, *range(500, 600)}),
            backoff_factor=backoff,
            backoff_jitter=backoff,
            backoff_max=_LONGEST_BACK_OFF,
            retry_after_max=_LONGEST_RETRY_AFTER,
        )
        headers = urllib3.make_headers(basic_auth=unquote(credentials) or None, accept_encoding=True)
        headers["Accept"] = "application/fhir+json, application/json"
        self._pool = _pool(self.base_url, headers)

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        """Search as described in FhirSource.search."""
        query = query_text(resource_type, parameters)
        url, first = self._first_page(resource_type, parameters, query)
        paged = None if self._all_pages else self.paged
        return merge_pages(first, partial(self._follow, url, query), query, paged=paged)

    def pages(self, resource_type: str, /, **parameters: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the address and the content of each page of a search, whatever `all_pages` is."""
        query = query_text(resource_type, parameters)
        url, first = self._first_page(resource_type, parameters, query)
        yield self.base_url + query, first
        yield from later_pages(first, partial(self._follow, url, query), query)

    def _first_page(
        self, resource_type: str, parameters: Mapping[str, str], query: str
    ) -> tuple[str, dict[str, Any]]:
        query_string = urlencode([*sorted(parameters.items()), (FORMAT, "json")])
        url = f"{self.base_url}{resource_type}?{query_string}"
        return url, parse_bundle(self._get(url, query), query)

    def _follow(self, url: str, query: str, link: str) -> tuple[str, dict[str, Any]]:
        address = urlunsplit((*self._origin, *urlsplit(urljoin(url, link))[2:4], ""))
        return address, parse_bundle(self._get(address, query), query)

    def _get(self, url: str, query: str) -> bytes:
        """Return the body of a 2xx response, retrying after faults that may be temporary."""
        try:
            response = self._pool.request(
                "GET", url, timeout=self._timeout, retries=self._retry, redirect=False
            )
        except MaxRetryError as error:
            why = f"{self.base_url} gave no answer, {self._tries} time(s) ({error.reason}); {_HINT}"
            raise FhirUnavailable(query, why) from None
        except InvalidHeader:
            raise FhirUnavailable(query, "the server is busy, and its Retry-After is malformed") from None
        except (HTTPError, ValueError) as error:
            # ValueError: a link whose port or host does not parse.
            why = f"the request or its answer is malformed ({type(error).__name__})"
            raise FhirQueryFailed(query, why) from None
        if 300 <= response.status < 400:
            why = f"HTTP {response.status}: the server redirects; give the address that it redirects to"
            raise FhirQueryFailed(query, why)
        if response.status >= 400:
            raise FhirQueryFailed(query, f"HTTP {response.status}")
        return response.data
