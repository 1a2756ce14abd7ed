"""Compare what the log in a file states of its run with the job: another run may have left the file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from wardboard.ci.gates import Gate
from wardboard.client.ci_systems import commits_of, committed_at
from wardboard.scoring.facts import is_same_commit
from wardboard.scoring.reading.problems import quoted_list

# What providers add to the name of a model: a date, a revision, and words that make no other model.
_SUFFIX = r"(-(latest|preview|instruct|chat|it|v\d+(-\d+)?|\d{4}(-\d\d-\d\d)?|\d{6,8}|\d\d-\d{2,4}))*"
_PROVIDER = re.compile(r"(.*/)?([a-z]+\.)*", re.DOTALL)
_STALE = "another run may have left the file"


def judge_log(
    document: Mapping[str, Any],
    fields: Sequence[tuple[str, str]],
    variables: Mapping[str, str],
    *,
    strict: bool,
) -> Iterator[Gate]:
    """Yield where the log in a file contradicts the job, which fails if `strict`, and that code was changed.

    - document: a check or a submission
    - fields, variables: names and values of the request and of the environment
    """
    log = document.get("from_log") or {}
    for name, message in _contradictions(log, fields, variables):
        yield Gate(name=name, passed=False if strict else None, message=message, is_doubt=not strict)
    if log.get("dirty"):
        message = "The log states that the code had changes that are in no commit."
        yield Gate(name="log: code", passed=None, message=message, is_notice=True)


def _contradictions(
    log: Mapping[str, Any], fields: Sequence[tuple[str, str]], variables: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    stated, of_job, ran = dict(fields), commits_of(variables), log.get("models") or ()
    commit, began, day = stated.get("commit", ""), _day(log.get("run_on")), _day(stated.get("run_on"))
    wanted = [commit] if commit and not _is_any(commit, of_job) else of_job
    commits = [each for each in log.get("commits") or () if wanted and not _is_any(each, wanted)]
    if commits:
        message = (
            f"The log states that commit {quoted_list(commits)} ran, and the job is of {wanted[0]}: {_STALE}."
        )
        yield "log: commit", f"{message} If that commit is what ran, state it: --commit."
    models = [model for name, value in fields if name == "models" for model in value.split(",")]
    if models and ran and not any(is_same_model(model, name) for model in models for name in ran):
        message = f"The log states the model {quoted_list(ran)}, and the job {quoted_list(models)}: {_STALE}."
        yield "log: model", f"{message} If it is the same model, state that name too: --model."
    # The day of a person begins up to a day before or after that of the log.
    if began and day and abs((began - day).days) > 1:
        yield "log: date", f"The log states that the run began on {began}, and the job states {day}."
    made = _day(committed_at(variables)) if wanted is of_job else None
    if began and made and began < made:
        message = (
            f"The log states that the run began on {began}, and the commit of the job was made on {made}"
        )
        yield "log: date", f"{message}: {_STALE}. If an earlier commit ran, state it: --commit."


def is_same_model(one: str, other: str) -> bool:
    """Return whether two texts may name one model: apart from its provider, and from a date of one alone."""
    names = (re.sub(r"[^a-z0-9]+", "-", _PROVIDER.sub("", text.strip().lower(), 1)) for text in (one, other))
    short, long = sorted((name.strip("-") for name in names), key=len)
    return bool(re.fullmatch("-?".join(short.replace("-", "")) + _SUFFIX, long))


def _is_any(commit: str, others: Sequence[str]) -> bool:
    return any(is_same_commit(commit, other) for other in others)


def _day(text: str | None) -> date | None:
    """Return the day of a date or a time in ISO 8601, in UTC where it has a zone; None for another text."""
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return (at.astimezone(UTC) if at.tzinfo else at).date()
