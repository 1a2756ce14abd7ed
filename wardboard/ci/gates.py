"""Gates: the conditions under which a job fails although its result was scored."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.client.ci_systems import commits_of
from wardboard.errors import ForeignAnswer, WardboardError
from wardboard.exit_codes import ExitCode
from wardboard.scoring.facts import is_same_commit
from wardboard.scoring.judging import leaves_open
from wardboard.scoring.reading.codes import RunsCode
from wardboard.scoring.statistics.rates import percent_range

_DECIMALS = 0.001  # the step of a score that the API shows with three decimals
_FLOAT = 1e-9
_MISSING = ("tasks.missing", "questions.missing")  # codes of warnings
IF_FIRST = (
    "Check the name; for the first release of a system, leave out --require-entry (in the Action, set "
    'require-entry to "false").'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A condition, and whether the result met it.

    - passed: None where there is nothing to compare with
    - is_doubt: whether people should look although it did not fail: GitHub shows it as a warning
    - is_notice: whether people may want to know it: GitHub shows it as a notice
    """

    name: str
    passed: bool | None
    message: str
    is_doubt: bool = False
    is_notice: bool = False


class GateFailed(WardboardError):
    """A file or its score does not pass every gate.

    document: the submission; with --strict the check, where nothing was submitted
    """

    code = ExitCode.GATE_FAILED

    def __init__(self, gates: Iterable[Gate], document: Mapping[str, Any]) -> None:
        self.gates, self.document = tuple(gates), document
        super().__init__(" ".join(gate.message for gate in self.gates if gate.passed is False))


def judge_score(document: Mapping[str, Any], least: float) -> Gate:
    """Return the gate `--fail-under`. document: a scored submission. least: 0..1.

    A rounded score passes only where all that it may stand for does.
    """
    result, bound = document["result"], f"{100 * least:.10g}%"
    lowest, highest = score_ends(result)
    highest = max(highest, _upper_of(result) or 0.0)
    passed, shown = lowest + _FLOAT >= least, show_score(result["score"], document)
    if passed or highest < least:
        if lowest == highest:
            shown = _percent(lowest, least)
        message = f"The score {shown} is {'at least' if passed else 'below'} {bound}."
    else:
        ends = f"{100 * lowest:.4g} to {100 * highest:.4g}%"
        message = f"The score {shown} may be {ends}; {bound} is not certain."
    return Gate(name="fail-under", passed=passed, message=message + ("" if passed else _missing(document)))


def _percent(score: float, bound: float) -> str:
    """Return a score as a percentage, with the digits that show on which side of a bound it is."""
    digits = 1
    while digits < 12 and (round(100 * score, digits) < 100 * bound) != (score < bound):
        digits += 1
    return f"{100 * score:.{digits}f}%"


def _missing(document: Mapping[str, Any]) -> str:
    """Return which tasks a file lacks, which count as wrong, as sentences; "" for none."""
    warnings = document.get("warnings") or ()
    return "".join(f" {warning['message']}." for warning in warnings if warning["code"] in _MISSING)


def score_ends(result: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and the highest score, 0..1, that a result of the API may stand for.

    It is rounded to `rounded_to` before publication on leaderboards with hidden reference answers, else to
    three decimals; where `right` of `total` gives the same three decimals, the score is known exactly.
    """
    score: float = result["score"]
    step = result.get("rounded_to") or _DECIMALS
    if not result.get("rounded_to") and result.get("right") is not None:
        exact: float = result["right"] / result["total"]
        if abs(exact - score) <= _DECIMALS / 2 + _FLOAT:
            return exact, exact
    # The highest step includes all scores above it.
    return max(0.0, score - step / 2), (1.0 if score + step > 1 + _FLOAT else score + step / 2)


def judge_validity(document: Mapping[str, Any], *, active: int | None) -> list[Gate]:
    """Return the failed gate of a disqualified result, and what says that its score is of the past.

    active: number of the revision of reference answers that the leaderboard uses now; None if not known
    """
    gates = []
    if document.get("disqualified_at"):
        reason = document.get("disqualification_reason") or ""
        message = f"The organisers disqualified this result, so no score of it counts. {reason}".rstrip()
        gates.append(Gate(name="disqualified", passed=False, message=message))
    if active is not None and (used := document["scored_by"]["references"]["revision"]) != active:
        message = (
            f"The score is by revision {used} of the reference answers, and the leaderboard has revision "
            f"{active} now: the result may score otherwise today."
        )
        gates.append(Gate(name="references", passed=None, message=message, is_doubt=True))
    return gates


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedResult:
    """What a result is compared with.

    - score: its ranked figure, 0..1
    - upper: with all answers right that its judge left open; None where it left none open
    - why_not: why its score says nothing of another one, as a sentence; "" where it does
    """

    score: float
    upper: float | None = None
    name: str
    why_not: str = ""


def compared_with(
    document: Mapping[str, Any], other: Mapping[str, Any], *, name: str, mixes_judges: bool
) -> ComparedResult:
    """Return another scored submission as what a submission is compared with.

    The conditions are those under which the service compares a result with the entry of its system.
    mixes_judges: whether the leaderboard ranks the rows of different judges together
    """
    why_not, by, by_other = "", document.get("scored_by"), other.get("scored_by")
    if by and by_other and by["references"]["revision"] != by_other["references"]["revision"]:
        why_not = "They were scored against different reference answers."
    elif by and by_other and by["judge"] != by_other["judge"] and not mixes_judges:
        why_not = "Different judges decided on their answers."
    result = other["result"]
    return ComparedResult(score=result["score"], upper=_upper_of(result), name=name, why_not=why_not)


def judge_undecided(document: Mapping[str, Any]) -> Gate | None:
    """Return the failed gate `--fail-on-regression` of a result that says too little; None for any other."""
    unmet = document.get("unmet_rules") or ()
    share = document["result"]["metrics"].get("left_open")
    share = "Too many" if share is None else f"{share:.1%}"
    why = f"{share} of its answers are undecided" if "most_open" in unmet else ""
    if "mostly_answers" in unmet:
        why = "More than half of its answers are no answers"
    return Gate(name="fail-on-regression", passed=False, message=f"{why}: no comparison.") if why else None


def judge_regression(
    document: Mapping[str, Any],
    compared: ComparedResult | None,
    *,
    tolerance: float = 0.0,
    is_required: bool = False,
) -> Gate:
    """Return the gate `--fail-on-regression`.

    - compared: another result of its system; None if there is none
    - tolerance: how much lower the score may be, 0..1
    - is_required: whether a system without another result fails

    Both scores have three decimals, or the new one is rounded more: it passes only where all that it may
    stand for does. Where a judge left answers open, neither end may fall: what was open may be wrong now.
    """
    name = "fail-on-regression"
    is_unranked = document.get("unranked")
    if compared is None:
        what = "earlier result on this unranked lane" if is_unranked else "published entry"
        itself = " but this result itself" if document["published"] else ""
        message = (
            f"“{document['system']['name']}” has no {what}{itself}, so there is nothing to compare the score "
            f"with.{f' {IF_FIRST}' if is_required else ''}"
        )
        return Gate(name=name, passed=False if is_required else None, message=message)
    if compared.why_not:
        message = f"The score cannot be compared with {compared.name}'s. {compared.why_not}"
        return Gate(name=name, passed=False, message=message)
    result, before = document["result"], compared.score
    # Without a step, both have the same three decimals, and those of equal results are equal.
    lowest = score_ends(result)[0] if result.get("rounded_to") else result["score"]
    missing = before - lowest - tolerance
    upper = _upper_of(result)
    if upper is not None and compared.upper is not None:
        missing = max(missing, compared.upper - upper - tolerance)
    shown = show_score(result["score"], document)
    is_hidden = upper is None and compared.upper is not None and bool(result.get("rounded_to"))
    low_end = "the low end of " if is_hidden else ""
    reference = f"{low_end}{compared.name}'s {percent_range(before, compared.upper)}"
    message = f"The score {shown} falls below {reference}.{_missing(document)}"
    if missing <= _FLOAT:
        by_more = f" by more than {tolerance:g}" if missing + tolerance > _FLOAT else ""
        message = f"The score {shown} does not fall below {reference}{by_more}."
    elif result.get("rounded_to"):
        message = (
            f"The score {shown} may be {100 * lowest:.4g}%, which is below {reference}. "
            f"--tolerance {tolerance + missing + _DECIMALS / 2:.3f} accepts this."
        )
    return Gate(name=name, passed=missing <= _FLOAT, message=message)


def judge_significance(
    document: Mapping[str, Any], compared: ComparedResult, comparison: Mapping[str, Any]
) -> Gate:
    """Return the gate `--fail-on-regression --significant`. comparison: with the entry, another result.

    It fails where the two cannot be tested, or a rounded score does not tell: nothing says then that the
    result is no worse.
    """
    name, is_by_score = "fail-on-regression", comparison.get("test") == "by-score"
    if comparison["outcome"] is None:
        gate = "--fail-on-regression alone" if is_by_score else "--fail-under"
        why = f"{comparison['explanation']} {gate} is a gate without it."
        message = why if is_by_score else f"The result cannot be tested against the published entry. {why}"
        return Gate(name=name, passed=False, message=message)
    result = document["result"]
    ends = ((result["score"], _upper_of(result)), (compared.score, compared.upper))
    # Where a judge left answers open, the result may have fallen at one end alone.
    verb = "may be" if any(upper is not None and upper > score for score, upper in ends) else "is"
    p = "" if comparison.get("p") is None else f", p = {comparison['p']:.2g}"
    relation = {
        "worse": f"{verb} significantly lower than",
        "better": "is significantly higher than",
        "not-different": "does not differ significantly from",
    }[comparison["outcome"]]
    passed = comparison["outcome"] != "worse"
    test = "test of the two scores" if is_by_score else "paired test by task"
    message = f"The result {relation} the published entry's ({test} of these two alone, 5%{p})."
    return Gate(name=name, passed=passed, message=message)


# An earlier run may have left the files. A deterministic agent, a file in the repository and a retried job
# send them again rightly.
SAME_FILES = Gate(
    name="same files",
    passed=None,
    message="The same files were sent before, so the result is that of the earlier submission. If the agent "
    "ran again, check that it wrote the file: it may be a stale one. A stated --commit tells.",
    is_doubt=True,
)


def judge_answers(
    document: Mapping[str, Any], *, is_required: bool = False, is_strict: bool = False
) -> Gate | None:
    """Return what says that another version of the agent had the same answers; None where none had.

    - is_required: whether that fails, as with `--require-change`
    - is_strict: whether it fails unless the system is stated to be deterministic

    A deterministic agent whose answers a change left alone has them rightly. Raises ForeignAnswer where they
    have to differ, and the service does not say.
    """
    is_strict = is_strict and document.get("deterministic") is not True
    if (is_required or is_strict) and "same_answers" not in document:
        needs = "--require-change" if is_required else "--strict"
        raise ForeignAnswer(f"the service does not say which answers were the same, as {needs} needs")
    earlier = document.get("same_answers")
    if not earlier or is_same_commit(earlier["commit"], str(document["commit"])):
        return None
    message = (
        f"These answers equal those of submission {earlier['id']} (commit {earlier['commit'] or 'unknown'}): "
        "if the agent changed, check that it ran."
    )
    is_failed = is_required or is_strict
    if is_failed and not is_required:
        message += " --strict passes it with --fact deterministic=true."
    passed = False if is_failed else None
    return Gate(name="require-change", passed=passed, message=message, is_doubt=not is_failed)


def judge_rescored(document: Mapping[str, Any], passed: Mapping[str, Any]) -> Gate | None:
    """Return the failed gate of a published result that may be lower than the one that passed; else None."""
    if score_ends(document["result"])[0] + _FLOAT >= score_ends(passed["result"])[0]:
        return None
    message = (
        "The service scored the result again while it was published, and it is lower now. "
        f"`wardboard withdraw {document['id']}` takes it back."
    )
    return Gate(name="rescored", passed=False, message=message)


# No score is too low: the job may have meant to set a gate.
NO_GATE = Gate(
    name="no gate",
    passed=None,
    message="No gate on the score was set: the job passes whatever the score. --fail-under sets one.",
)
# What an earlier submission of the same files may lack without being another one: an account may have sent
# what a job sends now. A repeated CI job has another run link, and `release` is judged by its fields.
_NO_OTHER_SUBMISSION = frozenset({"retries", "deterministic", "release", "provenance"})
_RELEASE = ("version", "commit")


def judge_found(document: Mapping[str, Any], *, system: str, release: Mapping[str, str]) -> Gate | None:
    """Return the failed gate of a submission that is not the one described; None where all is as asked.

    - document: the answer to the request that sent the files
    - release: the version and the commit that it stated, by the names of the fields
    """
    not_applied = document.get("not_applied") or ()
    found = str(document["system"]["name"])
    others = [name for name in _RELEASE if _differs(name, release.get(name, ""), str(document[name]))]
    if "system" in not_applied or _letters(system) != _letters(found):
        message = (
            f"You named “{system}”, and the submission {document['id']} of these files is of “{found}”: "
            f"nothing was stored or published for “{system}”."
        )
    elif others or set(not_applied) - _NO_OTHER_SUBMISSION:
        others += [name for name in document.get("facts_not_applied") or not_applied if name not in others]
        had = ", ".join(f"{name} {document[name] or 'none'}" for name in _RELEASE)
        message = (
            f"These files were sent before (submission {document['id']}; {had}) and described otherwise "
            f"({', '.join(others)}): they may be stale."
        )
        if "publish" in not_applied and document.get("withdrawn_at"):
            message += f" The result was withdrawn: `wardboard publish {document['id']}` publishes it again."
    else:
        return None
    return Gate(name="as-described", passed=False, message=f"{message} --allow-existing accepts it as it is.")


def _differs(name: str, stated: str, found: str) -> bool:
    stated, found = (" ".join(unicodedata.normalize("NFC", text).split()) for text in (stated, found))
    is_same = is_same_commit(stated, found) if name == "commit" else stated == found
    return bool(stated) and not is_same


def _letters(name: str) -> str:
    """Return a name as the service compares it, which takes other cases, spaces and dashes for the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def judge_stated_commit(stated: str, environment: Mapping[str, str]) -> Gate | None:
    """Return what says that a job states another commit than its CI system names; None where it does not.

    A job may check out another commit than the one that started it, and only the job knows.
    """
    named = commits_of(environment)
    if not stated or not all(_differs("commit", stated, commit) for commit in named or [stated]):
        return None
    message = (
        f"--commit states {stated}, and the CI system names {named[0]}: the result counts as that of "
        f"{stated}. Check that the job ran it."
    )
    return Gate(name="commit", passed=None, message=message, is_doubt=True)


def judge_published(document: Mapping[str, Any], *, notice: str) -> Gate | None:
    """Return the failed gate of a scored submission that was to be published and is not; else None.

    notice: why the service did not publish it; ""
    """
    if document["published"]:
        return None
    command = f"`wardboard publish {document['id']}`"
    again = f"It was withdrawn: {command} publishes it again."
    why = notice or (again if document.get("withdrawn_at") else f"{command} says why.")
    return Gate(
        name="published", passed=False, message=f"The result is scored, and it is not published. {why}"
    )


def judge_warnings(document: Mapping[str, Any]) -> Gate:
    """Return the gate `--strict`. document: a check or a submission, with its warnings.

    Raises ForeignAnswer for one that says nothing of warnings, as those of other teams do.
    """
    total, listed = document.get("warnings_total"), document.get("warnings")
    if total is None or listed is None:
        raise ForeignAnswer(
            "the answer is not a document of Wardboard: it does not say which warnings there are"
        )
    # What is known to hold no answers is named, and nothing has to be done.
    others = [warning for warning in listed if warning["code"] != RunsCode.LEFT_OUT]
    total, listed = total - len(listed) + len(others), others
    if not total:
        return Gate(name="strict", passed=True, message="The file has no warning.")
    messages = list(dict.fromkeys(str(warning["message"]) for warning in listed[:3]))
    if total > len(listed[:3]):
        messages.append(f"and {total - len(listed[:3]):,} more")
    noun = "1 warning" if total == 1 else f"{total:,} warnings"
    return Gate(name="strict", passed=False, message=f"The file has {noun}: {'; '.join(messages)}.")


def show_score(score: float, document: Mapping[str, Any]) -> str:
    """Return a score as a percentage, marked where it is rounded, or a range where answers are open."""
    result = document["result"]
    if not (step := result.get("rounded_to")):
        return percent_range(score, _upper_of(result))
    judge = (document.get("scored_by") or {}).get("judge") or ""
    note = ", undecided answers not counted as correct" if leaves_open(judge) else ""
    return f"{score:.1%} (rounded to {100 * step:g}%{note})"


def _upper_of(result: Mapping[str, Any]) -> float | None:
    """Return a score with all answers right that the judge left open; None where the API does not show it."""
    upper: float | None = result["metrics"].get(f"{result['metric']}_upper")
    return upper
