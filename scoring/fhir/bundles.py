"""Check search Bundles and merge their pages, for both kinds of source."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from wardboard.scoring.fhir.source import FhirQueryFailed

# No benchmark comes near this with 5,000 entries a page; without a limit a server could send pages for ever.
MAX_PAGES = 1000


def parse_bundle(body: bytes, query: str) -> dict[str, Any]:
    """Return the Bundle in `body` (JSON). Raises FhirQueryFailed if there is none."""
    try:
        value = json.loads(body)
    # RecursionError: nested too deep for the interpreter. ValueError: also raised for a wrong encoding.
    except (ValueError, RecursionError):
        start = body.lstrip()[:1]
        content = "an HTML or XML page" if start == b"<" else "no JSON" if start else "empty"
        why = f"the answer is {content}; check that the address is that of a FHIR R4 base"
        raise FhirQueryFailed(query, why) from None
    return check_bundle(value, query)


def check_bundle(value: Any, query: str) -> dict[str, Any]:
    """Return `value` if it is a Bundle whose `entry` and `link`, if present, are lists.

    Raises FhirQueryFailed otherwise.
    """
    if not isinstance(value, dict) or value.get("resourceType") != "Bundle":
        kind = value.get("resourceType") if isinstance(value, dict) else None
        raise FhirQueryFailed(query, f"the answer is {kind if isinstance(kind, str) else 'JSON'}, no Bundle")
    for key in ("entry", "link"):
        if not isinstance(value.get(key, []), list):
            raise FhirQueryFailed(query, f"`{key}` of the Bundle is not a list")
    return value


def next_link(bundle: dict[str, Any], query: str) -> str | None:
    """Return the address of the page after `bundle`, None after the last page.

    Source: FHIR R4, http.html#paging. Raises FhirQueryFailed if the link has no address.
    """
    for link in bundle.get("link", []):
        if isinstance(link, dict) and link.get("relation") == "next":
            url = link.get("url")
            if not isinstance(url, str):
                raise FhirQueryFailed(query, "the link to the next page has no address")
            return url
    return None


Follow = Callable[[str], tuple[str, dict[str, Any]]]


def later_pages(first: dict[str, Any], follow: Follow, query: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the address and the content of each page after `first`.

    follow: takes the link to a page, and returns the address requested and the page. Raises
    FhirQueryFailed if the pages form a circle or do not end, and whatever `follow` raises.
    """
    page, seen = first, set[str]()
    while (link := next_link(page, query)) is not None:
        try:
            address, page = follow(link)
        except ValueError:
            raise FhirQueryFailed(query, "the link to the next page is not a URL") from None
        if address in seen:
            raise FhirQueryFailed(query, "its pages run in a circle")
        seen.add(address)
        if len(seen) >= MAX_PAGES:
            raise FhirQueryFailed(query, f"it has more than {MAX_PAGES} pages")
        yield address, page


def merge_pages(
    first: dict[str, Any], follow: Follow, query: str, *, paged: list[str] | None = None
) -> dict[str, Any]:
    """Return `first` with the entries of all later pages, and without the link to the next page.

    follow: as of `later_pages`, whose errors it raises. paged: gets the query if there are later pages, and
    these are left out then; None to merge them.
    """
    if paged is not None and next_link(first, query) is not None:
        paged.append(query)
        return first
    later = [page for _address, page in later_pages(first, follow, query)]
    if not later:
        return first
    entries = [entry for page in (first, *later) for entry in page.get("entry", [])]
    merged = {key: value for key, value in first.items() if key not in ("entry", "link")}
    merged["link"] = [
        link for link in first["link"] if not (isinstance(link, dict) and link.get("relation") == "next")
    ]
    return merged | {"entry": entries} if entries or "entry" in first else merged


def with_next(page: dict[str, Any], address: str) -> dict[str, Any]:
    """Return a page whose link to the next one is `address`, as a recording names that."""
    links = [
        {**link, "url": address} if isinstance(link, dict) and link.get("relation") == "next" else link
        for link in page["link"]
    ]
    return {**page, "link": links}
