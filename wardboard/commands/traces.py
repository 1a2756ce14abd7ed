"""`wardboard trace`: which tasks of a submission have a trace, and what the agent did at one."""

import json
from typing import Any

import click

from scoring.reading.problems import printable
from wardboard.client.service import Client, Document
from wardboard.commands.endings import end as end_with
from wardboard.commands.endings import of_error
from wardboard.commands.report_options import json_option
from wardboard.commands.service_options import make_client, service_parameters
from wardboard.errors import WardboardError, WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.terminal import print_json, show


def make_trace() -> click.Command:
    """Return `wardboard trace`."""

    def trace(**arguments: Any) -> int:
        submission, task = arguments["submission"], arguments["task"]
        try:
            client = make_client(arguments)
            if task is None:
                document, lines = client.traces(submission), _task_lines
            else:
                document, lines = client.trace(submission, task, run=arguments["run"]), _message_lines
        except WardboardError as error:
            return end_with(of_error(error, title=f"Submission {submission}"), arguments)
        if arguments["as_json"]:
            print_json(document)
        else:
            show("\n".join(map(printable, lines(document))))
        return ExitCode.OK

    return click.Command(
        "trace",
        callback=trace,
        help="Show what the agent did at TASK; without TASK, the tasks that have a trace.",
        params=[
            click.Argument(["submission"], metavar="SUBMISSION", help="its id or address"),
            click.Argument(["task"], metavar="[TASK]", required=False, help="id of a task"),
            click.Option(["--run"], type=click.IntRange(1, 99), help="of several, from 1 [the first]"),
            json_option(),
            *service_parameters(),
        ],
    )


def confirm_findings(client: Client, submission: str, confirmed: str) -> None:
    """Raise WrongUse where texts in the traces look like names or keys that `confirmed` does not cover."""
    found = client.trace_findings(submission)
    if found["confirmation"] in ("", confirmed):
        return
    show(f"{found['total']:,} texts in the traces look like names or keys:", err=True)
    for finding in found["findings"]:
        seen = f"{finding['count']:,} ×, first in {finding['task_ids'][0]}"
        show(printable(f"{finding['kind']:<6} {finding['text']}  ({seen})"), err=True)
    raise WrongUse(f"if all of them may become public, add --confirm {found['confirmation']}")


def _task_lines(document: Document) -> list[str]:
    tasks = [
        f"{task['task_id']}{'' if len(task['runs']) == 1 else f'  runs {_listed(task)}'}"
        for task in document["tasks"]
    ]
    return tasks or ["No trace is stored."]


def _listed(task: Document) -> str:
    return ", ".join(map(str, task["runs"]))


def _message_lines(document: Document) -> list[str]:
    lines = []
    for message in document["messages"]:
        lines += [f"--- {message['role']}", *_text_lines(message["text"], message["cut"])]
        for call in message["calls"]:
            lines += [f"--- call {call['name']}", *_text_lines(call["arguments"])]
            lines += ["--- reply", *_text_lines(call["result"], call["cut"])]
    if document["left_out"]:
        lines.append(f"... {document['left_out']:,} more messages are not stored")
    return lines


def _text_lines(value: Any, cut: int = 0) -> list[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    lines = [] if value in (None, "") else text.split("\n")
    return [*lines, f"... {cut:,} characters are not stored"] if cut else lines
