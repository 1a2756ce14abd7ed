"""The fields of a record: those of the runner, and what other writers call them and add."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from wardboard.scoring.reading.formats.known_files import ANSWER_KEYS

ANSWER_FIELD, RESOURCES_FIELD = "agent_answer", "agent_fhir_resources"
# Fields that are read, or known and ignored: those of the runner and of the question file.
RUNNER_FIELDS = frozenset(
    {"question_id", ANSWER_FIELD, RESOURCES_FIELD, "error", "usage", "trace"}
    | {"question", "true_answer", "assumption", "question_with_context", "patient_fhir_id"}
    | {"true_fhir_ids", "template"}
)
# What the evaluator and AgentBeats add: verdicts, and accounts of the run. Source: FHIR-AgentBench's
# evaluator, and AgentBeats' FHIR agents.
IGNORED_FIELDS = frozenset(
    {"metric_relevant_resources", "recall", "precision", "answer_correctness", "correct"}
    | {"iterations", "tools_used"}
)
# Our field -> what other writers call it. Source: AgentBeats' FHIR agents.
OTHER_NAMES: Mapping[str, str] = {ANSWER_FIELD: "final_answer", RESOURCES_FIELD: "retrieved_fhir_ids"}
# What the runner writes as an answer where there is none. Source: FHIR-AgentBench, run_agent.py.
_RUNNERS_SENTENCE = re.compile(
    r"\s*(?:Error: .*|No final answer reached within iteration limit\."
    r"|Expected .{0,200} tool call, but got.*)",
    re.DOTALL,
)
_NOT_RUN = (ANSWER_FIELD, RESOURCES_FIELD, "trace", "error", "usage")
_MOST_PATHS, _MOST_VALUES, _MOST_LEVELS = 3, 1000, 4

# Keys below which a hint may look for an answer or ids. Any other key may hold the reference answer.
_HINTED = frozenset(
    {*ANSWER_KEYS, "final", "content", "message", "value"}
    | {"retrieved", "fhir", "ids", "fhir_ids", "resources", "resource_ids", "retrieved_ids", "agent_ids"}
    | {"retrieved_resources", "retrieved_resource_ids", "agent_resources", "agent_fhir_ids"}
)

Path = tuple[str, ...]


def is_not_run(record: Mapping[str, Any]) -> bool:
    """Return whether the runner has not come to a question: it saves all of them every ten questions."""
    return all(name in record and record[name] is None for name in _NOT_RUN)


def is_runners_sentence(answer: Any) -> bool:
    """Return whether an answer is a sentence of the runner, which the official evaluator grades like any."""
    return isinstance(answer, str) and _RUNNERS_SENTENCE.fullmatch(answer) is not None


def paths_of_answers(record: Mapping[str, Any]) -> list[Path]:
    """Return the first paths to texts in fields of a record that no known writer has."""
    return _paths(record, lambda value: isinstance(value, str) and bool(value))


def paths_of_ids(record: Mapping[str, Any]) -> list[Path]:
    """Return the first paths to lists of texts, or objects of them, in fields that no known writer has."""
    return _paths(record, _are_ids)


def _are_ids(value: Any) -> bool:
    lists = list(value.values()) if isinstance(value, dict) else [value]
    return bool(lists) and all(
        isinstance(items, list) and bool(items) and all(isinstance(item, str) for item in items)
        for items in lists
    )


def _paths(record: Mapping[str, Any], is_wanted: Callable[[Any], bool]) -> list[Path]:
    known = RUNNER_FIELDS | IGNORED_FIELDS | set(OTHER_NAMES.values())
    fields = {name: value for name, value in record.items() if name not in known}
    # A hostile record can have a million values.
    visited = islice(_walk(fields, (), _MOST_LEVELS), _MOST_VALUES)
    return list(islice((path for path, value in visited if is_wanted(value)), _MOST_PATHS))


def _walk(value: Mapping[str, Any], path: Path, levels: int) -> Iterator[tuple[Path, Any]]:
    for name, item in value.items():
        if name not in _HINTED:
            continue
        yield (*path, name), item
        if levels and isinstance(item, dict) and not _are_ids(item):
            yield from _walk(item, (*path, name), levels - 1)
