"""Gates: the conditions under which a job fails although its result was scored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.errors import WardboardError
from wardboard.exit_codes import ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A condition, and whether the result met it. passed: None where there is nothing to compare with."""

    name: str
    passed: bool | None
    message: str


class GateFailed(WardboardError):
    """A file or its score does not pass every gate.

    - gates: all of them
    - document: the submission; with --strict the check, where nothing was submitted
    """

    code = ExitCode.GATE_FAILED

    def __init__(self, gates: Iterable[Gate], document: Mapping[str, Any]) -> None:
        self.gates, self.document = tuple(gates), document
        super().__init__(" ".join(gate.message for gate in self.gates if gate.passed is False))


def judge_score(document: Mapping[str, Any], least: float) -> Gate:
    """Return the gate `--fail-under`. document: a scored submission. least: 0..1."""
    score = document["result"]["score"]
    passed = score >= least
    relation = "is at least" if passed else "is below"
    message = f"The score {show_score(score, document)} {relation} {least:.2%}."
    return Gate(name="fail-under", passed=passed, message=message)


def judge_regression(
    document: Mapping[str, Any], entry: Mapping[str, Any] | None, tolerance: float = 0.0
) -> Gate:
    """Return the gate `--fail-on-regression`.

    - document: a scored submission
    - entry: the row of its system on the leaderboard as it was before; None if it had none
    - tolerance: how much lower the score may be, 0..1

    An unpublished result may be rounded although the row is not, so half a step is no regression.
    """
    name = "fail-on-regression"
    if entry is None or entry.get("score") is None:
        message = "The system has no published entry yet, so there is nothing to compare the score with."
        return Gate(name=name, passed=None, message=message)
    score, before = document["result"]["score"], entry["score"]
    rounding = (document["result"].get("rounded_to") or 0) / 2
    passed = score + rounding + tolerance + 1e-9 >= before
    relation = "does not fall below" if passed else "falls below"
    message = f"The score {show_score(score, document)} {relation} the published entry's {before:.2%}."
    return Gate(name=name, passed=passed, message=message)


# What an earlier submission of the same files may lack without being another one: a repeated CI job has
# another run link, and an account may have sent what a job sends now.
_NO_OTHER_SUBMISSION = frozenset({"retries", "deterministic", "release", "provenance"})


def judge_found(document: Mapping[str, Any], *, system: str) -> Gate | None:
    """Return the failed gate of files that were sent before otherwise than now; None where all is as asked.

    - document: the answer to the request that sent the files
    - system: that the request named
    """
    wishes = [str(wish) for wish in document.get("not_applied") or ()]
    if not set(wishes) - _NO_OTHER_SUBMISSION:
        return None
    if "system" in wishes:
        found = document["system"]["name"]
        message = (
            f"You named “{system}”, but these files were sent before as a result of “{found}” (submission "
            f"{document['id']}): nothing was stored or published for “{system}”. Send the file of "
            f"“{system}”, or give --system “{found}”, or rename that system on its page."
        )
    else:
        notice = document.get("notice") or "These files were sent before, and described otherwise."
        facts = ", ".join(map(str, document.get("facts_not_applied") or ()))
        named = f" Not applied: {facts}." if facts else ""
        message = f"{notice}{named} The earlier submission is {document['id']}."
    return Gate(name="as-described", passed=False, message=f"{message} --allow-existing accepts it as it is.")


def judge_published(document: Mapping[str, Any], *, notice: str) -> Gate | None:
    """Return the failed gate of a scored submission that was to be published and is not; else None.

    notice: of the service, ""
    """
    if document["published"]:
        return None
    why = notice or f"`wardboard publish {document['id']}` says why."
    return Gate(
        name="published", passed=False, message=f"The result is scored, and it is not published. {why}"
    )


def judge_warnings(document: Mapping[str, Any]) -> Gate:
    """Return the gate `--strict`. document: a check or a submission, with its warnings."""
    total = document.get("warnings_total") or 0
    messages = [str(warning["message"]) for warning in (document.get("warnings") or ())[:3]]
    if not total:
        return Gate(name="strict", passed=True, message="The file has no warning.")
    noun = "1 warning" if total == 1 else f"{total:,} warnings"
    return Gate(name="strict", passed=False, message=f"The file has {noun}: {'; '.join(messages)}.")


def show_score(score: float, document: Mapping[str, Any]) -> str:
    """Return a score as a percentage, marked where it is rounded."""
    step = document["result"].get("rounded_to")
    return f"{score:.2%}" + (f" (rounded to {step:.2%})" if step else "")
