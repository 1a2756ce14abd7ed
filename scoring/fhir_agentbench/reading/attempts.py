"""Turn the attempts of a harness's log into the records that the benchmark's runner would have written.

The id of a task is the question's, the last text of the agent the answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import ANSWER_FIELD, OTHER_NAMES, RESOURCES_FIELD
from wardboard.scoring.fhir_agentbench.reading.record_check import RecordCheck
from wardboard.scoring.reading.collector import Findings, Steps
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.notes import attempts_of_one_run
from wardboard.scoring.reading.messages import phrase


def records_of_attempts(
    attempts: Iterable[Attempt], findings: Findings, check: RecordCheck
) -> Iterator[tuple[Findings, dict[str, Any]]]:
    """Yield each attempt of one run as a record, with the findings at its place; let `check` add them up."""
    for attempt in attempts_of_one_run(attempts, findings):
        here = attempt.here(findings)
        if not attempt.task_id:
            here.problem(FormatCode.TASK_UNNAMED, (), phrase("no id names the question"))
            continue
        check.log_facts.add(attempt.facts)
        record: dict[str, Any] = {
            "question_id": attempt.task_id,
            ANSWER_FIELD: attempt.answer if attempt.states_answer else attempt.completion,
            "trace": [msgspec.to_builtins(message) for message in attempt.messages],
        }
        if attempt.record:
            record |= attempt.record
        if RESOURCES_FIELD not in record and OTHER_NAMES[RESOURCES_FIELD] not in record:
            # No harness but the benchmark's own records what was retrieved.
            record[RESOURCES_FIELD] = None
            check.summary.count(FhirCode.RESOURCES_UNKNOWN, here)
        if attempt.error:
            record["error"] = attempt.error
        if usage := _usage(attempt):
            record["usage"] = usage
        places: Mapping[str | int, Steps] = {
            "question_id": attempt.task_place,
            ANSWER_FIELD: attempt.answer_place,
        }
        yield here.renaming(places), record


def _usage(attempt: Attempt) -> dict[str, float]:
    facts = attempt.facts
    stated = {
        "prompt_tokens": facts.input_tokens,
        "completion_tokens": facts.output_tokens,
        "cost": facts.cost_usd,
        "llm_calls": facts.rounds,
    }
    return {name: value for name, value in stated.items() if value is not None}
