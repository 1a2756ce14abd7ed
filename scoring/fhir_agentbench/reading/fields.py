"""The fields of a record: those of the runner, and what other writers call them and add."""

import re
from collections.abc import Mapping
from typing import Any

ANSWER_FIELD, RESOURCES_FIELD = "agent_answer", "agent_fhir_resources"
# Fields that are read, or known and ignored: those of the runner and of the question file.
RUNNER_FIELDS = frozenset(
    {"question_id", ANSWER_FIELD, RESOURCES_FIELD, "error", "usage", "trace"}
    | {"question", "true_answer", "assumption", "question_with_context", "patient_fhir_id"}
    | {"true_fhir_ids", "template"}
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


def is_not_run(record: Mapping[str, Any]) -> bool:
    """Return whether the runner has not come to a question: it saves all of them every ten questions."""
    return all(name in record and record[name] is None for name in _NOT_RUN)


def is_runners_sentence(answer: Any) -> bool:
    """Return whether an answer is a sentence of the runner, which the official evaluator grades like any."""
    return isinstance(answer, str) and _RUNNERS_SENTENCE.fullmatch(answer) is not None
