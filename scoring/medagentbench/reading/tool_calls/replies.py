"""Read the reply to a call of a tool: what was sent, where to, and whether the server took it."""

import re
from collections.abc import Mapping
from typing import Any

from wardboard.scoring.medagentbench.reading.tool_calls.texts import first_text, is_resource, value_of

ACCEPTED = "POST request accepted"
HTTP_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}

_METHODS = ("method", "http_method", "verb")
_STATUSES = ("status", "status_code", "http_status")
# The keys under which a reply holds what the server wrote.
_REPLIES = (
    "fhir_post",
    "body",
    "response",
    "result",
    "content",
    "text",
    "message",
    "output",
    "data",
    "structuredContent",
)
_LAYERS = 4  # levels of a reply that are looked at

_STATUS = re.compile(r"\s*(?:HTTP/[\d.]+\s+)?([1-5]\d\d)\b")
_STATUS_LINE = re.compile(r"\s*(?:HTTP/[\d.]+\s+([1-5]\d\d)\b|([1-5]\d\d) [A-Z])")
_EXCEPTION = re.compile(r"\s*(?:Traceback\b|(?i:error)\b|\w*(?:Error|Exception)\b)")
_INVALID = re.compile(r"\b\d+ validation errors? for |\binput validation error\b|^validation error", re.I)


class Reply:
    """The reply to a call: its objects and texts, the outermost first."""

    def __init__(self, result: Any) -> None:
        self.objects: list[dict[str, Any]] = []
        self.texts: list[str] = []
        layer = [result]
        for _ in range(_LAYERS):
            within: list[Any] = []
            for value in map(value_of, layer):
                if isinstance(value, str):
                    self.texts.append(value)
                elif isinstance(value, dict):
                    self.objects.append(value)
                    within += (value[key] for key in _REPLIES if key in value)
                elif isinstance(value, list):
                    within += value
            layer = within

    @property
    def method(self) -> str:
        return next(filter(None, map(stated_method, self.objects)), "")

    @property
    def _proof(self) -> dict[str, Any]:
        proofs = (each["fhir_post"] for each in self.objects if isinstance(each.get("fhir_post"), dict))
        return next(proofs, {})

    @property
    def tells_of_post(self) -> bool:
        """Whether the reply says in other ways than by the method that something was posted."""
        return bool(self._proof) or any(ACCEPTED in text for text in self.texts)

    @property
    def sent(self) -> Any:
        """The body that the reply says was sent; None if it does not."""
        return self._proof.get("parameters")

    @property
    def url(self) -> str | None:
        """The address that the reply says was used."""
        places = (first_text(each, ("fhir_url", "url", "resource_url")) for each in self.objects)
        return first_text(self._proof, ("fhir_url",)) or next(filter(None, places), None)

    @property
    def status(self) -> int | None:
        for value in (each[key] for each in self.objects for key in _STATUSES if key in each):
            if type(value) is int and 100 <= value < 600:
                return value
            if isinstance(value, str) and (match := _STATUS.match(value)):
                return int(match[1])
        lines = filter(None, map(_STATUS_LINE.match, self.texts))
        return next((int(match[1] or match[2]) for match in lines), None)

    @property
    def is_refused_by_tool(self) -> bool:
        """Whether the tool refused its arguments, so that nothing was sent."""
        is_from_server = self.status is not None or self.method or self._proof
        return not is_from_server and any(map(_INVALID.search, self.texts))

    def accepts(self, payload: Any) -> bool | None:
        """Return whether the server took `payload`; None if the reply proves neither."""
        if any(map(_fails, self.objects)) or any(map(_EXCEPTION.match, self.texts)):
            return False
        if (status := self.status) is not None:
            return None if status == 202 else status in (200, 201)
        sent = payload if isinstance(payload, dict) else {}
        is_proven = any(
            each.get("accepted") is True
            or (
                isinstance(each.get("id"), str)
                and is_resource(each)
                and each["resourceType"] == sent.get("resourceType")
                and each["id"] != sent.get("id")
            )
            for each in self.objects
        )
        return is_proven or any(ACCEPTED in text for text in self.texts) or None


def _fails(reply: Mapping[str, Any]) -> bool:
    if reply.get("accepted") is False or reply.get("error"):
        return True
    if reply.get("is_error") is True or reply.get("isError") is True:
        return True
    issues = reply.get("issue") if reply.get("resourceType") == "OperationOutcome" else None
    return isinstance(issues, list) and any(
        isinstance(issue, dict) and issue.get("severity") in ("error", "fatal") for issue in issues
    )


def stated_method(stated: Mapping[str, Any]) -> str:
    """Return the method of HTTP that an object states; "" if it states none."""
    methods = (stated[key].upper() for key in _METHODS if isinstance(stated.get(key), str))
    return next((method for method in methods if method in HTTP_METHODS), "")
