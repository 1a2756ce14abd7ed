"""How a command ends: its text or document, what the CI system shows, and its exit code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wardboard.ci.gates import GateFailed, show_score
from wardboard.ci.report import JobReport
from wardboard.client.documents import shown
from wardboard.client.service import SEALED
from wardboard.commands.options.reports import refuse_overwriting
from wardboard.commands.reports import print_report
from wardboard.errors import RequestRefused, WardboardError, status_of
from wardboard.exit_codes import ExitCode
from wardboard.scoring.reading.problems import printable
from wardboard.scoring.statistics.rates import percent_range
from wardboard.submitting import SubmissionOutcome
from wardboard.terminal import print_json, show

Document = Mapping[str, Any]


def end(report: JobReport, arguments: Mapping[str, Any]) -> int:
    """Print the report and write what else was asked for; return the exit code."""
    return print_report(report, as_json=arguments.get("as_json", False), output=arguments.get("output"))


def guarded(
    work: Callable[[], JobReport], arguments: Mapping[str, Any], *, title: str, files: Sequence[str] = ()
) -> int:
    """End with what `work` returns, or with the error that it raises."""
    refuse_overwriting(arguments)
    try:
        report = work()
    except WardboardError as error:
        report = of_error(error, title=title, files=files)
    return end(report, arguments)


def show_lines(
    read: Callable[[], Document],
    lines_of: Callable[[Document], Sequence[str]],
    arguments: Mapping[str, Any],
    *,
    title: str,
) -> int:
    """Print the document that `read` returns, as JSON or in lines, or its error; return the exit code."""
    try:
        document = read()
        with shown():
            text = "\n".join(map(printable, lines_of(document)))
    except WardboardError as error:
        return end(of_error(error, title=title), arguments)
    if arguments["as_json"]:
        print_json(document)
    else:
        show(text)
    return ExitCode.OK


def of_error(error: WardboardError, *, title: str, files: Sequence[str] = ()) -> JobReport:
    document: Document = getattr(error, "document", error.sent) or {}
    if isinstance(error, RequestRefused):
        submission, refused = error.sent, {"refused": str(document["code"])}
    else:
        # A check that --strict fails has no id.
        submission, refused = document if "id" in document else None, {}
    gates = error.gates if isinstance(error, GateFailed) else ()
    return JobReport(
        # An earlier submission of the same files may be of another system than the one that was named.
        title=title_of(submission) if submission and gates else title,
        code=ExitCode(error.code),
        message=str(error),
        facts=(facts_of(submission) if submission else {}) | refused,
        files=files,
        gates=gates,
        document=document,
        submission=submission,
        link=error.page,
    )


def of_outcome(outcome: SubmissionOutcome, *, files: Sequence[str] = ()) -> JobReport:
    """Return the ending of a submission that is sent, or scored."""
    document = outcome.document
    return JobReport(
        title=title_of(document),
        code=ExitCode.OK,
        facts=facts_of(document),
        files=files,
        gates=outcome.gates,
        document=document,
        submission=document,
        link=outcome.page,
    )


def title_of(document: Document) -> str:
    return f"{document['system']['name']} on {document['benchmark']}"


@shown()
def facts_of(document: Document) -> dict[str, str]:
    """Return what people want to know of a submission, by label. Raises ForeignAnswer."""
    facts = {"status": status_of(document), **_facts_of_sealed(document)}
    result = document.get("result")
    if result:
        facts["score"] = show_score(result["score"], document)
        if result.get("interval_95"):
            low, high = result["interval_95"]
            facts["95% interval"] = f"{low:.1%} to {high:.1%}"
        if result.get("right") is not None:
            facts["correct"] = f"{result['right']:,} of {result['total']:,}"
        if result["runs"] > 1:
            facts["runs"] = f"{result['runs']}"
    if document.get("disqualified_at"):
        facts["disqualified"] = f"yes. {document.get('disqualification_reason') or ''}".rstrip()
    elif rank := document.get("rank"):
        best, worst = rank["best"], rank["worst"]
        between = f"{best:,}" if best == worst else f"{best:,} to {worst:,}"
        facts[_rank_label(document)] = f"{between} of {rank['systems']:,}"
    elif (unmet := document.get("unmet_rules")) and not document.get("unranked"):
        facts["no rank"] = f"rules of the leaderboard that are not met: {', '.join(unmet)}"
    if job := document.get("ci_job"):
        facts["provenance"] = (
            f"{document['provenance']}: {job['repository']} at {job['commit'][:12]}, {job['workflow']}"
        )
    facts["published"] = "yes" if document["published"] else "no"
    if document.get("unranked"):
        facts["published"] = "never: unranked lane"
    elif document.get("withdrawn_at"):
        facts["published"] = "no: withdrawn"
    if entry := document.get("entry"):
        facts["entry"] = _entry_line(entry)
    if document.get("notice"):
        facts["notice"] = str(document["notice"])
    facts["id"] = str(document["id"])
    return facts


def _facts_of_sealed(document: Document) -> dict[str, str]:
    """Return what the sender of a sealed file may know in place of a score; nothing of any other."""
    if document["status"] != SEALED:
        return {}
    return {"answers": f"{document['seal']['answered']:,} in the file", "sha256": document["file"]["sha256"]}


def _rank_label(document: Document) -> str:
    """Return what the rank is: that of the row, the one that it would have, or of a result without a row."""
    entry = document.get("entry")
    if entry and not entry["is_this"]:
        return "rank by score"
    return "rank" if document["published"] else "would rank"


def _entry_line(entry: Document) -> str:
    """Return which result the leaderboard shows for the system, with its score and why."""
    if entry["is_this"]:
        return f"yes. {entry['explanation']}"
    shown = percent_range(entry["score"], entry.get("score_upper"))
    return f"no: the leaderboard shows {entry['submission']} with {shown}. {entry['explanation']}"
