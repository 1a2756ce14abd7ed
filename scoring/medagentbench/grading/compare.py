"""Compare the POSTs of a record with those that were due, field by field.

A field is wrong only where the grader's own check fails: it reads few fields, and accepts several values.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any

from wardboard.scoring.explanations import ComparedPost, WrongField, indented
from wardboard.scoring.medagentbench.grading.payloads import Rule, holds, payload_due
from wardboard.scoring.medagentbench.grading.posts import Post, accepted_posts, all_posts, has_request
from wardboard.scoring.medagentbench.grading.references import Reference
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED_FHIR_BASE
from wardboard.scoring.medagentbench.reasons import Reason

_MOST = 20  # wrong fields of a POST that are listed
_ABSENT = object()

Path = tuple[str | int, ...]


def compared_posts(
    record: TaskResult, reason: str, reference: Reference, due: Sequence[tuple[str, Rule]]
) -> tuple[ComparedPost, ...]:
    """Return the POSTs of a record that is wrong for `reason` beside those due; () where no POST is why."""
    if reason == Reason.UNEXPECTED_POST and has_request(record.post_history):
        sent = [post for post, _ in all_posts(record.post_history)]
    elif reason in (Reason.POST_COUNT, Reason.POST_URL, Reason.POST_PAYLOAD):
        sent = accepted_posts(record.post_history)
    else:
        return ()
    # The grader goes by position. Where the number is wrong it compares none: pair them by resource type.
    is_by_position = len(sent) == len(due)
    compared = []
    for kind, rule in due:
        url = PUBLISHED_FHIR_BASE + kind
        place = next((n for n, post in enumerate(sent) if is_by_position or post.url == url), None)
        if place is None:
            compared.append(ComparedPost(kind=kind, is_sent=False))
        else:
            compared.append(_compare(kind, rule, sent.pop(place), reference))
    return (*compared, *(ComparedPost(kind=_kind(post.url), is_due=False) for post in sent))


def _compare(kind: str, rule: Rule, post: Post, reference: Reference) -> ComparedPost:
    url = PUBLISHED_FHIR_BASE + kind
    if post.url != url:
        return ComparedPost(kind=kind, wrong=(WrongField(path="URL", due=url, sent=post.url),))
    wrong = [*wrong_parts(rule, post.payload, reference)]
    due = payload_due(rule, reference)
    fields = [
        WrongField(path=_written(path), due=_shown(part_due), sent=_shown(part))
        for path, part_due, part in wrong[:_MOST]
    ]
    right = _count(due) - sum(_count(part_due) for _, part_due, _ in wrong)
    return ComparedPost(kind=kind, wrong=tuple(fields), has_more=len(wrong) > _MOST, right=right)


def wrong_parts(rule: Rule, payload: Any, reference: Reference) -> Iterator[tuple[Path, Any, Any]]:
    """Yield path, expected and sent value of each part for which a payload is wrong; none if it is right.

    Of a check, at most one more than a page lists.
    """
    due = payload_due(rule, reference)
    found: set[Path] = set()
    for check in rule:
        if holds((check,), payload, reference):
            continue
        wrong = (
            (path, part_due, part)
            for path, part_due, part in _differing(due, payload, check.path)
            # The check alone decides whether a difference matters.
            if path not in found and not holds((check,), _with(due, path, part), reference)
        )
        for part in islice(wrong, _MOST + 1):
            found.add(part[0])
            yield part


def _differing(due: Any, sent: Any, ahead: Path, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the smallest parts that differ at the end of the path `ahead`, or where it breaks off."""
    if isinstance(due, dict) and isinstance(sent, dict):
        steps = ahead[:1] or {**due, **sent}
        pairs = [(step, due.get(step, _ABSENT), sent.get(step, _ABSENT)) for step in steps]
    elif isinstance(due, list) and isinstance(sent, list):
        pairs = [(n, *pair) for n, pair in enumerate(zip_longest(due, sent, fillvalue=_ABSENT))]
        pairs = pairs[:1] if ahead else pairs
    else:
        if due != sent:
            yield path, due, sent
        return
    for step, part_due, part in pairs:
        yield from _differing(part_due, part, ahead[1:], (*path, step))


def _with(due: Any, path: Path, part: Any) -> Any:
    """Return what is due with another value at a path, or without one."""
    if not path:
        return part
    step, *rest = path
    changed = due.copy()
    if isinstance(due, list) and step >= len(due):
        changed.append(part)
    elif part is _ABSENT and not rest:
        del changed[step]
    else:
        changed[step] = _with(due.get(step) if isinstance(due, dict) else due[step], tuple(rest), part)
    return changed


def _count(value: Any) -> int:
    """Return how many single values JSON holds."""
    if isinstance(value, dict | list):
        return sum(map(_count, value.values() if isinstance(value, dict) else value))
    return int(value is not _ABSENT)


def _written(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _shown(value: Any) -> str:
    return "" if value is _ABSENT else indented(value)


def _kind(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]
