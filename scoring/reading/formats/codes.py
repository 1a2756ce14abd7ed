"""The codes of the problems and warnings that the log of a harness can have, whatever its format."""

from collections.abc import Callable, Mapping

from scoring.reading.codes import ProblemCode
from scoring.reading.messages import Phrase, phrase, phrase_n


class FormatCode(ProblemCode):
    """Problems first, then warnings: ANSWER_FORM, and those of NOTES."""

    SEVERAL_RUNS = (
        "log.several-runs",
        "The log holds several attempts at a task; a run has one.",
        phrase("Send the log by itself, so that its attempts become the runs of one submission."),
    )
    TASK_UNNAMED = (
        "log.task-unnamed",
        "The log names no task, and no text in it is that of exactly one task.",
        phrase("Write the id of the task into the log, such as `task_id` in its metadata."),
    )
    TASKS_DISAGREE = (
        "log.tasks-disagree",
        "Two places in the log name different tasks.",
        phrase("Correct the one that is wrong, or send the log as the harness wrote it."),
    )
    SEVERAL_SYSTEMS = (
        "log.several-systems",
        "The log is of several agents or models; a submission is of one system.",
        phrase("Send the part of each system by itself."),
    )
    NO_ATTEMPTS = (
        "log.no-attempts",
        "The log holds no attempt at a task.",
        phrase("Send the whole log, as the harness wrote it."),
    )
    NO_ANSWERS = (
        "log.no-answers",
        "No attempt of the log ends with an answer.",
        phrase("Let the agent end with FINISH([...]), and send the log that its harness wrote."),
    )
    ATTEMPT_INVALID = (
        "log.attempt-invalid",
        "A record of the log is not of the form that its harness writes.",
        phrase("Send the log as the harness wrote it, complete and unchanged."),
    )
    UNKNOWN_VERSION = (
        "log.version-unknown",
        "The log is of a version that is not read.",
        phrase("Write it with a release of the harness whose version the guide lists."),
    )
    ANSWER_FORM = (
        "log.answer-form",
        "The last text of the agent is neither FINISH(...) nor a JSON list, so the task has no answer.",
        phrase("Let the agent end with FINISH([...]), as the benchmark asks it to."),
    )
    TASK_BY_TEXT = (
        "log.task-by-text",
        "The log names no task; the text of the task in it says which one it is.",
        phrase("Nothing has to be done; check that the tasks are right."),
    )


# What a note says of attempts: their number, and the names of the first tasks.
NOTES: Mapping[FormatCode, Callable[[int, str], Phrase]] = {
    FormatCode.TASK_BY_TEXT: lambda n, named: phrase_n(
        "{n:,} attempt is named by the text of its task: {named}",
        "{n:,} attempts are named by the texts of their tasks: {named}",
        n,
        named=named,
    ),
}
