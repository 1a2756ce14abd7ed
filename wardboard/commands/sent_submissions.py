"""Commands about a submission that was sent: status, wait, publish, withdraw, tasks."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import click

from wardboard.ci.gates import NO_GATE, Gate, GateFailed, judge_found
from wardboard.ci.report import JobReport
from wardboard.client.service import SEALED, Client, Document
from wardboard.commands.endings import guarded, of_outcome, show_lines
from wardboard.commands.options.reports import flag
from wardboard.commands.options.service import NumberRange, make_client, service_command
from wardboard.commands.progress import ProgressLines
from wardboard.commands.submit import timeout_option
from wardboard.errors import WrongUse
from wardboard.submitting import Gates, SubmissionOutcome, as_it_is, judge, naming_page, passed

Work = Callable[[Client, Mapping[str, Any]], SubmissionOutcome]

_ID = "the id that `wardboard submit` printed, or the address of the submission"
# The options that say which submission is meant, beside its id.
_DESCRIPTION = (
    click.Option(["--benchmark"], metavar="SLUG", help="end with 4 where it is on another leaderboard"),
    click.Option(["--system"], metavar="NAME", help="end with 4 where it is of another system"),
)


def _command(text: str, *options: click.Option) -> Callable[[Work], click.Command]:
    """Make a function of a client and arguments a command about a submission."""
    submission = click.Argument(["submission"], metavar="SUBMISSION", help=_ID)

    def make(work: Work) -> click.Command:
        @service_command(text, submission, *options, keeps=True)
        @wraps(work)
        def run(**arguments: Any) -> int:
            def report() -> JobReport:
                client = make_client(arguments)
                with naming_page(client):
                    return of_outcome(work(client, arguments))

            return guarded(report, arguments, title=f"Submission {arguments['submission']}")

        return run

    return make


@_command("Show a submission as it is now.", *_DESCRIPTION)
def status(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
    document = client.submission(arguments["submission"])
    _require_described(document, arguments)
    return passed(as_it_is(client, document))


@_command(
    "Wait until a submission is scored, or sealed.",
    timeout_option(),
    flag(["--until-reveal"], help="wait for the score of a sealed file too"),
    *_DESCRIPTION,
    click.Option(["--fail-under"], type=NumberRange(0, 1), help="end with 4 below this score"),
    flag(["--quiet", "-q"], help="show no progress"),
)
def wait(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
    gates = Gates(fail_under=arguments["fail_under"])
    progress = ProgressLines(is_shown=not arguments["quiet"])
    document = client.wait(
        arguments["submission"],
        seconds=arguments["timeout"],
        show=progress.show_status,
        until_reveal=arguments["until_reveal"],
    )
    _require_described(document, arguments)
    if gates.need_score:
        _require_own(document)
    if document["status"] == SEALED:
        if gates.need_score:
            raise WrongUse("a sealed file has no score for --fail-under: --until-reveal waits for it")
        return as_it_is(client, document)
    outcome = passed(judge(client, document, gates))
    return outcome if gates.judge_score else replace(outcome, gates=[*outcome.gates, NO_GATE])


@_command(
    "Publish a scored submission.",
    *_DESCRIPTION,
    flag(
        ["--confirm-log"],
        help="publish the result although its log marks samples as invalid, or was edited",
    ),
    click.Option(
        ["--public-traces/--private-traces"],
        default=None,
        help="whether everyone may read what the agent did [as before; at first not]",
    ),
    flag(["--allow-pull-request"], help="publish from a job of a pull request too"),
)
def publish(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
    submission = arguments["submission"]
    client.refuse_unmerged(is_allowed=arguments["allow_pull_request"])
    if arguments["benchmark"] or arguments["system"]:
        _require_described(client.submission(submission), arguments)
    document = client.publish(
        submission,
        confirms_log=arguments["confirm_log"],
        public_traces=arguments["public_traces"],
    )
    _require_described(document, arguments)
    return passed(judge(client, document, Gates()))


@_command(
    "Withdraw a published submission.",
    click.Option(["--reason"], default="", metavar="TEXT", help="public, in the log"),
)
def withdraw(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
    document = client.withdraw(arguments["submission"], reason=arguments["reason"])
    return SubmissionOutcome(document=document, page=client.page_of(document))


@service_command(
    "Show the tasks of a submission, wrong ones first, and why they are wrong.",
    click.Argument(["submission"], metavar="SUBMISSION", help="its id or address"),
    flag(["--wrong"], help="only the tasks that are wrong in any run"),
)
def tasks(**arguments: Any) -> int:
    query = {"outcome": "wrong"} if arguments["wrong"] else {}
    submission = arguments["submission"]
    return show_lines(
        lambda: make_client(arguments).tasks(submission, **query),
        _task_lines,
        arguments,
        title=f"Submission {submission}",
    )


def _require_described(document: Document, arguments: Mapping[str, Any]) -> None:
    """Raise GateFailed for a submission to another leaderboard, or of another system, than is named."""
    benchmark, system = arguments["benchmark"] or document["benchmark"], arguments["system"]
    named, found = "", ""
    if document["benchmark"] != benchmark:
        named, found = benchmark, document["benchmark"]
    # What was stated when the file was sent is not asked for here.
    elif system and judge_found({**document, "not_applied": []}, system=system, release={}):
        named, found = system, document["system"]["name"]
    if named:
        message = f"You named “{named}”, and the submission {document['id']} is of “{found}”."
        raise GateFailed([Gate(name="as-described", passed=False, message=message)], document)


def _require_own(document: Document) -> None:
    """Raise GateFailed for a published submission of another team, whose score passes no gate of this one."""
    if document.get("filename") is None:
        message = (
            f"The submission {document['id']} is of another team (“{document['team']}”): a gate judges only "
            "what the team of the token sent."
        )
        raise GateFailed([Gate(name="own", passed=False, message=message)], document)


def _task_lines(document: Document) -> list[str]:
    """Return a line for each task: id, type, verdict, and why it is wrong."""
    lines = []
    for task in document["results"]:
        why = "; ".join(dict.fromkeys(each["why"] for each in task["attempts"] if each["why"]))
        # The API says right.
        verdict = "correct" if task["outcome"] == "right" else task["outcome"]
        lines.append(f"{task['task_id']:<24}  {task['group'] or '':<8}  {verdict:<7}  {why}".rstrip())
    return lines or ["No task fits."]
