"""Check search Bundles and merge their pages, for both kinds of source."""

import json
from collections.abc import Callable
from typing import Any

from scoring.fhir.source import FhirQueryFailed

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


def merge_pages(
    first: dict[str, Any], follow: Callable[[str], tuple[str, dict[str, Any]]], query: str
) -> dict[str, Any]:
    """Return `first` with the entries of all later pages, and without the link to the next page.

    follow: takes the link to a page, and returns the address requested and the page. Raises
    FhirQueryFailed if the pages form a circle or do not end, and whatever `follow` raises.
    """
    page, seen = first, set[str]()
    entries = list(first.get("entry", []))
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
        entries += page.get("entry", [])
    if not seen:
        return first
    merged = {key: value for key, value in first.items() if key not in ("entry", "link")}
    merged["link"] = [
        link for link in first["link"] if not (isinstance(link, dict) and link.get("relation") == "next")
    ]
    return merged | {"entry": entries} if entries or "entry" in first else merged
