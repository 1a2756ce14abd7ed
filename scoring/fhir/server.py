"""A live FHIR R4 server."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import requests
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.util.retry import Retry

from wardboard.scoring.fhir.bundles import Follow, later_pages, merge_pages, parse_bundle
from wardboard.scoring.fhir.source import FORMAT, FhirQueryFailed, FhirUnavailable, query_text

_TRANSIENT = frozenset({429, *range(500, 600)})
_LONGEST_BACK_OFF, _LONGEST_RETRY_AFTER = 30, 60  # seconds
_HINT = "check that the server runs and the address is right, then try again"


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
        self._origin = parts.scheme, parts.netloc
        self._base = urlunsplit((*self._origin, parts.path.rstrip("/") + "/", "", ""))
        self.base_url = self._base.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
        self._timeout, self._tries = timeout, retries + 1
        self._retry = Retry(
            total=retries,
            backoff_factor=backoff,
            backoff_jitter=backoff,
            backoff_max=_LONGEST_BACK_OFF,
            retry_after_max=_LONGEST_RETRY_AFTER,
        )
        self._session = requests.Session()
        self._session.headers["Accept"] = "application/fhir+json, application/json"

    def search(self, resource_type: str, /, **parameters: str) -> dict[str, Any]:
        """Search as described in FhirSource.search."""
        query = query_text(resource_type, parameters)
        url, first = self._first_page(resource_type, parameters, query)
        paged = None if self._all_pages else self.paged
        return merge_pages(first, self._follower(url, query), query, paged=paged)

    def pages(self, resource_type: str, /, **parameters: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the address and the content of each page of a search, whatever `all_pages` is."""
        query = query_text(resource_type, parameters)
        url, first = self._first_page(resource_type, parameters, query)
        yield self.base_url + query, first
        yield from later_pages(first, self._follower(url, query), query)

    def _first_page(
        self, resource_type: str, parameters: Mapping[str, str], query: str
    ) -> tuple[str, dict[str, Any]]:
        query_string = urlencode([*sorted(parameters.items()), (FORMAT, "json")])
        url = f"{self._base}{resource_type}?{query_string}"
        return url, parse_bundle(self._get(url, query), query)

    def _follower(self, url: str, query: str) -> Follow:
        def follow(link: str) -> tuple[str, dict[str, Any]]:
            address = urlunsplit((*self._origin, *urlsplit(urljoin(url, link))[2:4], ""))
            return address, parse_bundle(self._get(address, query), query)

        return follow

    def _get(self, url: str, query: str) -> bytes:
        """Return the body of a 2xx response, retrying after faults that may be temporary."""
        # Retry here: an HTTPAdapter does not, if the connection breaks within the body.
        retry = self._retry
        while True:
            try:
                response = self._session.get(url, timeout=self._timeout, allow_redirects=False)
                raw, error = response.raw, None
            except (
                requests.ConnectionError,
                requests.Timeout,
                requests.exceptions.ChunkedEncodingError,
            ) as e:
                raw, error = None, e
            except (requests.RequestException, ValueError) as e:
                # ValueError: requests raises it for a link whose port or host does not parse.
                # Do not chain the error, because its text may contain the address with the password.
                why = f"the request or its answer is malformed ({type(e).__name__})"
                raise FhirQueryFailed(query, why) from None
            if raw is not None and response.status_code not in _TRANSIENT:
                return self._body(response, query)
            try:
                retry = retry.increment("GET", query, response=raw, error=error)
                retry.sleep(raw)
            except MaxRetryError as e:
                why = f"answered HTTP {raw.status}" if raw is not None else self._fault(error)
                raise FhirUnavailable(query, f"{self.base_url} {why}, {self._tries} time(s); {_HINT}") from e
            except HTTPError as e:
                raise FhirUnavailable(query, "the server is busy, and its Retry-After is malformed") from e

    def _fault(self, error: Exception | None) -> str:
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            return f"gave no answer within {self._timeout:g} s"
        return "refused or broke the connection"

    def _body(self, response: requests.Response, query: str) -> bytes:
        status = response.status_code
        if 300 <= status < 400:
            why = f"HTTP {status}: the server redirects; give the address it redirects to as the base address"
            raise FhirQueryFailed(query, why)
        if status >= 400:
            raise FhirQueryFailed(query, f"HTTP {status}")
        return response.content
