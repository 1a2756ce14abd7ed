"""Compare what the log in a file states of its run with the job: another run may have left the file."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from wardboard.ci.gates import Gate
from wardboard.client.ci_systems import commits_of, committed_on
from wardboard.errors import ForeignAnswer
from wardboard.scoring.facts import is_same_commit
from wardboard.scoring.facts_of_logs import began_on
from wardboard.scoring.reading.problems import quoted_list

# What providers add to the name of a model: a date, a revision, and words that make no other model.
# A commit alone, with changes (`-dirty`), or as `git describe` writes it.
_COMMIT = re.compile(r"(?:^|-g)([0-9a-fA-F]{7,64})(?:-dirty|\+)?$")
_SUFFIX = r"(-(latest|preview|instruct|chat|it|v\d+(-\d+)?|\d{4}(-\d\d-\d\d)?|\d{6,8}|\d\d-\d{2,4}))*"
_PROVIDER = re.compile(r"(.*/)?([a-z]+\.)*", re.DOTALL)
_STALE = "Another run may have left it. If it is right, give"
Fields = Sequence[tuple[str, str]]


def judge_log(document: Mapping[str, Any], fields: Fields, *, strict: bool) -> Iterator[Gate]:
    """Yield where the log in a file contradicts the job, which fails if `strict`, and that code was changed.

    document: a check or a submission. fields: names and values of the request
    Raises ForeignAnswer if `strict` for a document that says nothing of the log.
    """
    if strict and "from_log" not in document:
        raise ForeignAnswer("the service does not say what the log states, as --strict needs")
    log = document.get("from_log") or {}
    contradiction = partial(Gate, passed=False if strict else None, is_doubt=not strict)
    # pre-commit checks files that are in the repository, and so of an earlier commit.
    wanted = [] if "PRE_COMMIT" in os.environ else commits_of(os.environ)
    began, made = began_on(log), committed_on(os.environ) if wanted else None
    if (commit := dict(fields).get("commit", "")) and not _is_any(commit, wanted):
        wanted, made = [commit], None
    commits = [found[1] for each in log.get("commits") or () if (found := _COMMIT.search(each))]
    if others := [each for each in commits if wanted and not _is_any(each, wanted)]:
        message = f"The log is of commit {quoted_list(others)}, the job of {wanted[0]}. {_STALE} --commit."
        yield contradiction(name="log: commit", message=message)
    models = [each for name, value in fields if name == "models" for each in value.split(",")]
    ran = log.get("models") or ()
    if models and ran and not any(is_same_model(model, name) for model in models for name in ran):
        message = f"The log is of {quoted_list(ran)}, the job of {quoted_list(models)}. {_STALE} --model."
        yield contradiction(name="log: model", message=message)
    if began and made and began < made:
        message = f"The log began on {began}, before the commit of the job ({made}). {_STALE} no --strict."
        yield contradiction(name="log: date", message=message)
    if log.get("dirty"):
        message = "The log states that the code had changes that are in no commit."
        yield Gate(name="log: code", passed=None, message=message, is_notice=True)


def is_same_model(one: str, other: str) -> bool:
    """Return whether two texts may name one model: apart from its provider, and from a date of one alone."""
    names = (re.sub(r"[^a-z0-9]+", "-", _PROVIDER.sub("", text.strip().lower(), 1)) for text in (one, other))
    short, long = sorted((name.strip("-") for name in names), key=len)
    return bool(re.fullmatch("-?".join(short.replace("-", "")) + _SUFFIX, long))


def _is_any(commit: str, others: Sequence[str]) -> bool:
    return any(is_same_commit(commit, other) for other in others)
