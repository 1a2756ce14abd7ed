"""Files that belong to a run of a harness and hold no answers: named for what they are.

Source: lm-evaluation-harness, `results_<time>.json`; verifiers 0.1.14, metadata.json; verifiers 0.4.0,
`vf-validate`; OpenAI, input of a batch.
"""

from collections.abc import Callable
from typing import Any

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import Phrase, phrase

# Whether the one document of a file, or the object on its first line, is of a kind; the message; the hint.
_Kind = tuple[Callable[[dict[str, Any]], bool], Phrase, Phrase]

_KINDS: tuple[_Kind, ...] = (
    (
        lambda file: isinstance(file.get("results"), dict) and bool(file.keys() & {"configs", "n-shot"}),
        phrase("the file is the summary of lm-evaluation-harness (results_….json), without the answers"),
        phrase("Send the file samples_….jsonl beside it, which `--log_samples` writes."),
    ),
    (
        lambda file: {"env_id", "model", "num_examples"} <= file.keys(),
        phrase("the file is the metadata.json of verifiers, without the answers"),
        phrase("Send the results.jsonl beside it, or the folder of both as a zip."),
    ),
    (
        lambda file: {"task_key", "mode", "reason", "valid"} <= file.keys(),
        phrase("the lines are checks of tasks by vf-validate, and of no agent"),
        phrase("Send the traces.jsonl of an evaluation (vf-eval)."),
    ),
    (
        lambda file: {"mode", "outcomes", "valid_rate"} <= file.keys(),
        phrase("the file is the summary of checks of tasks by vf-validate, and of no agent"),
        phrase("Send the traces.jsonl of an evaluation (vf-eval)."),
    ),
    (
        lambda file: {"custom_id", "method", "url", "body"} <= file.keys(),
        phrase("the lines are the requests of a batch, without the answers"),
        phrase("Send the output file of the batch."),
    ),
    (
        lambda file: "task_breakdown" in file and "results" not in file,
        phrase("the file is the summary of an evaluation, without the answers"),
        phrase("Send the file with an answer to each task, such as runs.jsonl."),
    ),
)


def reject_without_answers(record: Any, code: ProblemCode) -> None:
    """Raise Unreadable if `record`, a document or the first line of a file, shows that it has no answers."""
    if isinstance(record, dict):
        for is_it, message, hint in _KINDS:
            if is_it(record):
                raise Unreadable(code, message, hint=hint)
