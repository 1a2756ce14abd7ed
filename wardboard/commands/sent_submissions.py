"""Commands about a submission that was sent: status, wait, publish, withdraw."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from wardboard.ci.gates import GateFailed
from wardboard.client.service import Client
from wardboard.commands.endings import Ending, guarded, of_outcome
from wardboard.commands.progress import ProgressLines
from wardboard.commands.report_options import output_option, report_parameters
from wardboard.commands.service_options import NumberRange, make_client, service_parameters
from wardboard.commands.submit import timeout_option
from wardboard.submitting import Gates, SubmissionOutcome, judge, naming_page

_ID = "the id that `wardboard submit` printed, or the address of the submission"


def make_status() -> click.Command:
    """Return `wardboard status`."""

    def status(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
        document = client.submission(arguments["submission"])
        if document["status"] != "scored":
            return SubmissionOutcome(document=document, page=client.page_of(document))
        return judge(client, document, Gates(), ())

    return _command("status", "Show a submission as it is now.", status)


def make_wait() -> click.Command:
    """Return `wardboard wait`."""

    def wait(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
        with ProgressLines(is_shown=not arguments["quiet"]) as progress:
            document = client.wait(
                arguments["submission"], seconds=arguments["timeout"], show=progress.show_status
            )
        gates = Gates(fail_under=arguments["fail_under"])
        outcome = judge(client, document, gates, ())
        if any(gate.passed is False for gate in outcome.gates):
            raise GateFailed(outcome.gates, document)
        return outcome

    return _command(
        "wait",
        "Wait until a submission is scored.",
        wait,
        timeout_option(),
        click.Option(["--fail-under"], type=NumberRange(0, 1), help="end with 4 below this score"),
        click.Option(["--quiet", "-q"], is_flag=True, help="show no progress"),
    )


def make_publish() -> click.Command:
    """Return `wardboard publish`."""

    def publish(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
        document = client.publish(arguments["submission"], confirms_log=arguments["confirm_log"])
        return judge(client, document, Gates(), ())

    text = "publish the result although its log marks samples as invalid, or was edited"
    confirm = click.Option(["--confirm-log"], is_flag=True, help=text)
    return _command("publish", "Publish a scored submission.", publish, confirm)


def make_withdraw() -> click.Command:
    """Return `wardboard withdraw`."""

    def withdraw(client: Client, arguments: Mapping[str, Any]) -> SubmissionOutcome:
        document = client.withdraw(arguments["submission"], reason=arguments["reason"])
        return SubmissionOutcome(document=document, page=client.page_of(document))

    reason = click.Option(["--reason"], default="", metavar="TEXT", help="public, in the log of changes")
    return _command("withdraw", "Withdraw a published submission.", withdraw, reason)


def _command(
    name: str,
    text: str,
    work: Callable[[Client, Mapping[str, Any]], SubmissionOutcome],
    *options: click.Option,
) -> click.Command:
    def run(**arguments: Any) -> int:
        def ending() -> Ending:
            client = make_client(arguments)
            with naming_page(client):
                return of_outcome(work(client, arguments))

        return guarded(ending, arguments, title=f"Submission {arguments['submission']}")

    return click.Command(
        name,
        callback=run,
        help=text,
        params=[
            click.Argument(["submission"], metavar="SUBMISSION", help=_ID),
            *options,
            output_option(),
            *report_parameters(),
            *service_parameters(),
        ],
    )
