"""What an answer says of the end of what was asked, as a line for people."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import requests

# A date of structured fields: seconds from 1970. Eleven digits end before the year 9999.
_DATE = re.compile(r"@(\d{1,11})")


def deprecation_of(response: requests.Response) -> str:
    """Return a sentence on the deprecation of what was asked, on one line; "" where it is not deprecated.

    A header that is not as the RFCs have it counts as absent.
    Sources: RFC 9745, sections 2 and 3; RFC 8594, section 3.
    """
    since = _DATE.fullmatch(response.headers.get("Deprecation", "").strip())
    if since is None:
        return ""
    day = datetime.fromtimestamp(int(since[1]), UTC).date()
    asked = f"{response.request.method} {urlsplit(response.url).path}"
    text = f"the service deprecates {asked} from {day} on"
    if end := _sunset(response):
        text += f", and may remove it from {end} on"
    text += ": update wardboard"
    if link := response.links.get("deprecation", {}).get("url"):
        text += f", and see {urljoin(response.url, link)}"
    return " ".join(text.split())


def _sunset(response: requests.Response) -> str:
    try:
        return parsedate_to_datetime(response.headers["Sunset"]).date().isoformat()
    except (KeyError, ValueError):
        return ""
