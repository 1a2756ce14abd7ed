"""Warn where a file runs into a known defect of the benchmark's schema, harness or graders.

Sources: MedAgentBench's issues 8 (`route`) and 10 (POSTs are not sent to the server) on GitHub. As all
remarks, these depend on the file and on the type of the task, never on a reference.
"""

import re
from collections.abc import Sequence
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.messages import phrase

_ORDERS_OF_MEDICATION = ("task5", "task9")
_LONGEST_ROUTE = 40  # characters of a text that the fix spells out
# The resource type at the end of the address. Longer addresses are not those of an agent at work.
_REQUEST = re.compile(r"\s{0,20}(GET|POST)\s{1,20}[^\s?]{0,500}/([A-Za-z]{1,40})/?(?:[?\s]|$)")
_ACCEPTED = "POST request accepted"


def check_route(kind: str, payload: Any, place: Steps, findings: Findings) -> None:
    """Warn about an order of task5 or task9 whose first route is an object, as the schema has it.

    kind: the type of the task. payload: parsed JSON of any type.
    """
    if kind not in _ORDERS_OF_MEDICATION:
        return
    route = _first_route(payload)
    if not isinstance(route, dict):
        return
    text = route.get("text")
    hint = None
    if isinstance(text, str) and 0 < len(text) <= _LONGEST_ROUTE:
        hint = phrase("Write the text of the route alone.")
    message = phrase(
        "the `route` of the order is an object, as in the published schema; the official grader takes a "
        "string"
    )
    findings.warning(Code.ROUTE_OBJECT, place, message, hint)


def _first_route(payload: Any) -> Any:
    """Return the `route` of the first dosage instruction, which is the one that is graded; None without."""
    dosages = payload.get("dosageInstruction") if isinstance(payload, dict) else None
    first = dosages[0] if isinstance(dosages, list) and dosages else None
    return first.get("route") if isinstance(first, dict) else None


def check_reads_back(
    history: list[Any], findings: Findings, places: Sequence[Steps | None] | None = None
) -> None:
    """Warn about the first GET that looks for resources of a type that was posted before.

    history: items of any type. findings, places: as in `check_history`.
    """
    posted: set[str] = set()
    for position, item in enumerate(history):
        content = item.get("content") if isinstance(item, dict) else None
        if not isinstance(content, str) or item.get("role") != "agent":
            continue
        request = _REQUEST.match(content)
        if request is None:
            continue
        method, resource_type = request.groups()
        if method == "POST" and _is_accepted(history, position):
            posted.add(resource_type)
        elif method == "GET" and resource_type in posted:
            message = phrase(
                "the agent posts a {type} and then looks for it; the official harness sends no POST to the "
                "server, so it is not there",
                type=resource_type,
            )
            place = places[position] if places else None
            findings.warning(Code.READS_BACK, place or (position, "content"), message)
            return


def _is_accepted(history: list[Any], position: int) -> bool:
    following = history[position + 1] if position + 1 < len(history) else None
    content = following.get("content") if isinstance(following, dict) else None
    return isinstance(content, str) and _ACCEPTED in content
