"""Compare the responses in traces with those that a recorded FHIR server gives to the same GET requests.

A response differs if it states what the recorded one does not. A recording holds few of the requests that
agents send: what it does not hold is counted and never held against an agent, and neither is a response that
is cut off, shortened or no FHIR resource.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from wardboard.scoring.fhir import RecordedFhir
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage
from wardboard.scoring.traces.requests import method_of_call, method_of_text

_MOST_PLACES, _LONGEST_REQUEST = 20, 300
_REQUEST = re.compile(r"\s*(?:```(?:tool_code)?\s*)?GET\s+(\S+)\s*(?:```)?\s*")
_TYPE = re.compile(r"[A-Z][A-Za-z]+")
# Parameters that change how a server writes a result, or the order of its entries.
_OF_FORM = frozenset({"_format", "_pretty", "_sort"})
_COUNT = "_count"
# Elements that differ between servers, and between times, for equal data.
_OF_SERVER = frozenset({"lastUpdated", "versionId", "source"})
_DEEPEST_WRAPPER = 4
_Key = tuple[str, frozenset[tuple[str, str]]]
_JSON = json.JSONDecoder()


class DifferentResponse(msgspec.Struct, kw_only=True, frozen=True):
    """Where a response differs. message: that of its request, from 1; request: without base address."""

    task_id: str
    run: int
    message: int
    request: str


class ReplayCounts(msgspec.Struct, kw_only=True, frozen=True):
    """What a comparison found.

    - gets: GET requests; recorded: how many of them the recording answers
    - same, different: responses; the others that are recorded could not be compared
    - places: the first 20 different responses
    """

    gets: int
    recorded: int
    same: int
    different: int
    places: list[DifferentResponse] = []


class _Recorded:
    """A recorded response, prepared once for all comparisons with it. count: `_count` of its request."""

    def __init__(self, count: str | None, body: Mapping[str, Any]) -> None:
        self.count, self.body = count, body

    @cached_property
    def comparable(self) -> Any:
        return _without_server(self.body)

    @cached_property
    def resources(self) -> list[Mapping[str, Any]] | None:
        return _resources(self.body)

    @cached_property
    def texts(self) -> Counter[str]:
        return Counter(map(_text_of, self.resources or ()))

    @cached_property
    def by_id(self) -> Mapping[str, Mapping[str, Any]]:
        return {str(resource.get("id")): resource for resource in self.resources or ()}


class Replay:
    """Compare one trace after another with a recording, which is kept in memory."""

    def __init__(self, recording: RecordedFhir) -> None:
        self._recorded: dict[_Key, list[_Recorded]] = {}
        for url, status, body in recording.responses():
            key, count = _key_of(url)
            if key and 200 <= status < 300 and isinstance(body, Mapping):
                self._recorded.setdefault(key, []).append(_Recorded(count, body))

    def compare(self, traces: Iterable[tuple[str, int, Sequence[TracedMessage]]]) -> ReplayCounts:
        """Compare the responses in traces: task id, run and messages of each."""
        counts = Counter[bool | None]()
        gets = 0
        places: list[DifferentResponse] = []
        for task_id, run, messages in traces:
            for number, request, response in _gets(messages):
                gets += 1
                key, count = _key_of(request)
                recorded = self._recorded.get(key) if key else None
                if recorded is None:
                    continue
                agrees = _agrees_with(recorded, count, response)
                counts[agrees] += 1
                if agrees is False and len(places) < _MOST_PLACES:
                    shown = _without_base(request)[:_LONGEST_REQUEST]
                    places.append(DifferentResponse(task_id=task_id, run=run, message=number, request=shown))
        return ReplayCounts(
            gets=gets, recorded=counts.total(), same=counts[True], different=counts[False], places=places
        )


def _gets(messages: Sequence[TracedMessage]) -> Iterator[tuple[int, str, Any]]:
    """Yield number, address and response of each GET; "" where the address is not certain, None for a cut
    response or none.
    """
    for number, message in enumerate(messages, 1):
        if message.role != "agent":
            continue
        if method_of_text(message.text) == "GET":
            found = _REQUEST.fullmatch(message.text)
            following = messages[number] if number < len(messages) else None
            is_whole = following is not None and following.role == "user" and not following.cut
            yield number, found[1] if found else "", following.text if following and is_whole else None
        for call in message.calls:
            if method_of_call(call) == "GET":
                yield number, _address_of(call), None if call.cut else call.result


def _address_of(call: TracedCall) -> str:
    """Return the address that a call states in full; "" where parts of it may be in other arguments."""
    arguments = call.arguments
    if isinstance(arguments, Mapping):
        stated = [value for name, value in arguments.items() if name != "method"]
        if len(stated) == 1 and isinstance(stated[0], str) and _key_of(stated[0])[0]:
            return stated[0]
    elif isinstance(arguments, str) and _key_of(arguments)[0]:
        return arguments
    within = call.result.get("result") if isinstance(call.result, Mapping) else None
    for value in (call.result, within):
        url = value.get("url") if isinstance(value, Mapping) else None
        # A tool may state the address before it adds the parameters.
        if isinstance(url, str) and "?" in url:
            return url
    return ""


def _key_of(url: str) -> tuple[_Key | None, str | None]:
    """Return what identifies a search or the read of a resource, and `_count`; None for other addresses.

    The base address, the order of parameters, and parameters that leave the data as they are do not count.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # a host such as [ does not parse
        return None, None
    parameters = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in _OF_FORM]
    steps = parts.path.strip("/").split("/")
    if parameters:
        selecting = frozenset(pair for pair in parameters if pair[0] != _COUNT)
        count = next((value for name, value in parameters if name == _COUNT), None)
        return ((steps[-1], selecting), count) if _TYPE.fullmatch(steps[-1]) else (None, None)
    if len(steps) > 1 and _TYPE.fullmatch(steps[-2]):
        return ("/".join(steps[-2:]), frozenset()), None
    return None, None


def _without_base(url: str) -> str:
    parts = urlsplit(url)
    steps = parts.path.strip("/").split("/")
    path = "/".join(steps[-1:] if parts.query else steps[-2:])
    return f"{path}?{parts.query}" if parts.query else path


def _agrees_with(recorded: Sequence[_Recorded], count: str | None, response: Any) -> bool | None:
    """Return whether a response is what the server answers; None if that is not certain."""
    try:
        resource = _resource_in(response)
        if resource is None:
            return None
        for known in recorded:
            if known.count == count:
                return _agrees(resource, known, is_part=False)
        found = {_agrees(resource, known, is_part=count is not None) for known in recorded}
        return found.pop() if len(found) == 1 else None
    except RecursionError:  # nested too deep for the interpreter
        return None


def _resource_in(value: Any, depth: int = 0) -> Mapping[str, Any] | None:
    """Return the one FHIR resource in a response, which a harness may wrap in a text or in JSON."""
    if isinstance(value, Mapping) and isinstance(value.get("resourceType"), str):
        return value
    parts: Iterable[Any] = ()
    if isinstance(value, str):
        # Not at a later brace: it begins a part of what is cut off.
        parts = _json_at(value, value.find("{"))
    elif isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list):
        parts = value
    if depth == _DEEPEST_WRAPPER:
        return None
    found = [resource for part in parts if (resource := _resource_in(part, depth + 1))]
    return found[0] if len(found) == 1 else None


def _json_at(text: str, begin: int) -> list[Any]:
    """Return the JSON that begins at a place in a text; nothing for -1, or where it is cut off."""
    try:
        return [_JSON.raw_decode(text, begin)[0]] if begin >= 0 else []
    except ValueError:
        return []


def _agrees(response: Mapping[str, Any], recorded: _Recorded, *, is_part: bool) -> bool | None:
    """Compare a response with the recorded one. is_part: the request limits the entries in another way."""
    if response["resourceType"] != recorded.body.get("resourceType"):
        return None
    if response["resourceType"] == "Bundle":
        return _bundles_agree(response, recorded, is_part=is_part)
    there = _without_server(response)
    if there == recorded.comparable:
        return True
    return None if _is_shortened(there, recorded.comparable) else False


def _bundles_agree(response: Mapping[str, Any], recorded: _Recorded, *, is_part: bool) -> bool | None:
    resources = _resources(response)
    if resources is None or recorded.resources is None:
        return None
    texts = Counter(map(_text_of, resources))
    if _has_next(recorded.body):
        # The entries that were not recorded are not known.
        return True if texts == recorded.texts else None
    stated = (response.get("total"), recorded.body.get("total"))
    if len({total for total in stated if isinstance(total, int)}) > 1:
        return False
    is_part = is_part or _has_next(response)
    if texts == recorded.texts or (is_part and resources and texts <= recorded.texts):
        return True
    # A harness that leaves the id out has rewritten the resource, and which one it was is not known.
    are_shortened = texts.total() <= recorded.texts.total() and all(
        "id" not in resource or _is_shortened(resource, recorded.by_id.get(str(resource["id"])))
        for resource in resources
    )
    return None if are_shortened else False


def _is_shortened(value: Any, recorded: Any) -> bool:
    """Return whether JSON states nothing that the recorded one does not."""
    if isinstance(value, Mapping) and isinstance(recorded, Mapping):
        return all(name in recorded and _is_shortened(item, recorded[name]) for name, item in value.items())
    if isinstance(value, list) and isinstance(recorded, list):
        return len(value) <= len(recorded) and all(
            any(_is_shortened(item, other) for other in recorded) for item in value
        )
    return bool(value == recorded)


def _resources(bundle: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the resources in the entries of a Bundle; None where an entry has none."""
    entries = bundle.get("entry", [])
    if not isinstance(entries, list):
        return None
    found = [entry.get("resource") if isinstance(entry, Mapping) else None for entry in entries]
    return [_without_server(item) for item in found] if all(isinstance(i, Mapping) for i in found) else None


def _has_next(bundle: Mapping[str, Any]) -> bool:
    links = bundle.get("link")
    return isinstance(links, list) and any(
        isinstance(link, Mapping) and link.get("relation") == "next" for link in links
    )


def _text_of(resource: Mapping[str, Any]) -> str:
    return json.dumps(resource, sort_keys=True)


def _without_server(value: Any) -> Any:
    """Return JSON without what differs between servers for equal data: parts of meta, narratives."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_without_server(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    kept = {name: item for name, item in value.items() if not (name == "text" and _is_narrative(item))}
    if isinstance(meta := kept.get("meta"), Mapping):
        kept["meta"] = {name: item for name, item in meta.items() if name not in _OF_SERVER}
    return {name: _without_server(item) for name, item in kept.items() if item not in ({}, [])}


def _is_narrative(value: Any) -> bool:
    return isinstance(value, Mapping) and "div" in value
