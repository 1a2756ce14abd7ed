"""Files that belong to a run of a harness and hold no answers: named for what they are.

Source: lm-evaluation-harness, `results_<time>.json`; verifiers 0.1.14, metadata.json; verifiers 0.4.0,
`vf-validate`; OpenAI, input of a batch.
"""

from collections.abc import Callable
from typing import Any

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import Phrase, phrase

# Whether the one document of a file, or the object on its first line, is of a kind; and what that is.
_KINDS: tuple[tuple[Callable[[dict[str, Any]], bool], Phrase], ...] = (
    (
        lambda file: isinstance(file.get("results"), dict) and bool(file.keys() & {"configs", "n-shot"}),
        phrase("the file is the summary of lm-evaluation-harness (results_….json), without the answers"),
    ),
    (
        lambda file: {"env_id", "model", "num_examples"} <= file.keys(),
        phrase("the file is the metadata.json of verifiers, without the answers"),
    ),
    (
        lambda file: (
            {"task_key", "mode", "reason", "valid"} <= file.keys()
            or {"mode", "outcomes", "valid_rate"} <= file.keys()
        ),
        phrase("the file holds checks of tasks by vf-validate, and of no agent"),
    ),
    (
        lambda file: {"custom_id", "method", "url", "body"} <= file.keys(),
        phrase("the lines are the requests of a batch, without the answers"),
    ),
    (
        lambda file: "task_breakdown" in file and "results" not in file,
        phrase("the file is the summary of an evaluation, without the answers"),
    ),
)
_SEND = phrase(
    "Send the file with an answer to each task: runs.jsonl, samples_….jsonl of lm-eval (`--log_samples`), "
    "results.jsonl or traces.jsonl of verifiers, the output of a batch."
)


def reject_without_answers(record: Any, code: ProblemCode) -> None:
    """Raise Unreadable if `record`, a document or the first line of a file, shows that it has no answers."""
    if isinstance(record, dict):
        for is_it, message in _KINDS:
            if is_it(record):
                raise Unreadable(code, message, hint=_SEND)
