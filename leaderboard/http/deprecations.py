"""What of the API is deprecated: the one table from which headers and the OpenAPI document follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.http import HttpResponse
from django.utils.http import http_date

SHORTEST = timedelta(days=180)  # from a deprecation to its sunset
_POLICY = "/docs/ci/#changes-of-the-api"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """An operation, or a member of a document, that clients should leave.

    - since: the day from which it is deprecated
    - sunset: the day from which it may be gone; None while that is open
    - instead: what to use in its place, as a sentence of plain text
    - link: an address with more about it; by default, the policy

    Raises ValueError for a sunset sooner than `SHORTEST` after `since`.
    Source: RFC 9745, section 4: the sunset is not before the deprecation.
    """

    since: date
    sunset: date | None = None
    instead: str
    link: str = _POLICY

    def __post_init__(self) -> None:
        if self.sunset is not None and self.sunset - self.since < SHORTEST:
            raise ValueError(f"{self.sunset} is less than {SHORTEST.days} days after {self.since}")

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a response. Sources: RFC 9745, sections 2 and 3; RFC 8594, section 3."""
        headers = {
            "Deprecation": f"@{_timestamp(self.since)}",
            "Link": f'<{self.link}>; rel="deprecation"; type="text/html"',
        }
        return headers | ({"Sunset": http_date(_timestamp(self.sunset))} if self.sunset else {})

    @property
    def explanation(self) -> str:
        """A paragraph for the description in the OpenAPI document."""
        end = f" It may be gone from {self.sunset} on." if self.sunset else ""
        return f"Deprecated since {self.since}.{end} {self.instead}"


# The id of an operation, or `Schema.member` by the names of the OpenAPI document -> its deprecation. What is
# removed leaves with its entry.
DEPRECATED: Mapping[str, Deprecation] = {}


def mark(response: HttpResponse, operation_id: str) -> None:
    """Set the headers of a deprecated operation on its response. A `Link` that it has already stays."""
    deprecation = DEPRECATED.get(operation_id)
    if deprecation is None:
        return
    for name, value in deprecation.headers.items():
        response[name] = f"{response[name]}, {value}" if name == "Link" and name in response else value


def described(operation_id: str, description: str) -> dict[str, object]:
    """Return what the OpenAPI document says of a deprecated operation; {} for any other."""
    deprecation = DEPRECATED.get(operation_id)
    if deprecation is None:
        return {}
    return {"deprecated": True, "description": f"{description}\n\n{deprecation.explanation}"}


def with_members_marked(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of the OpenAPI document, by name, with their deprecated members marked."""
    marked = dict(schemas)
    for key, deprecation in DEPRECATED.items():
        name, dot, member = key.partition(".")
        if dot:
            schema = marked[name]["properties"][member]
            description = f"{schema.get('description', '')}\n\n{deprecation.explanation}".strip()
            marked[name] = marked[name] | {
                "properties": marked[name]["properties"]
                | {member: schema | {"deprecated": True, "description": description}}
            }
    return marked


def _timestamp(day: date) -> int:
    """Return the seconds from 1970 to the beginning of `day` in UTC."""
    return int(datetime.combine(day, time(), UTC).timestamp())
