"""The codes of the problems and warnings that the log of a harness can have, whatever its format."""

from collections.abc import Callable, Mapping

from scoring.reading.codes import ProblemCode
from scoring.reading.messages import Phrase, phrase, phrase_n


class FormatCode(ProblemCode):
    """Problems first, then warnings: from ANSWER_FORM on, those of NOTES last."""

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
    NOT_FINISHED = (
        "inspect.not-finished",
        "The status of the log is not “success”, so the run may have ended early.",
        phrase("Let the run finish (inspect eval-retry), or submit as it is."),
    )
    INVALIDATED = (
        "log.invalidated",
        "The log marks samples as not to be used; their answers are read like any other.",
        phrase("Run these samples again, or confirm when you publish that the result holds with them."),
    )
    EDITED = (
        "log.edited",
        "The log was edited in a way that is not known here; the answers are read as they stand.",
        phrase("Send the log as it was before the edit, or confirm when you publish that the result holds."),
    )
    CACHED_TOKENS = (
        "log.cached-tokens",
        "The log is of inspect_ai before 0.3.184, where providers count cached tokens as input tokens "
        "or apart from them.",
        phrase("Nothing has to be done: the tokens are shown as the log states them."),
    )


# What a note says of attempts: their number, and the names of the first tasks.
NOTES: Mapping[FormatCode, Callable[[int, str], Phrase]] = {
    FormatCode.NOT_FINISHED: lambda count, tasks: phrase_n(
        "the status of the log is not “success”; {n:,} sample is read: {tasks}",
        "the status of the log is not “success”; {n:,} samples are read: {tasks}",
        count,
        tasks=tasks,
    ),
    FormatCode.INVALIDATED: lambda count, tasks: phrase_n(
        "the log marks {n:,} sample as invalid: {tasks}",
        "the log marks {n:,} samples as invalid: {tasks}",
        count,
        tasks=tasks,
    ),
    FormatCode.EDITED: lambda count, tasks: phrase_n(
        "the log holds edits of {n:,} sample: {tasks}",
        "the log holds edits of {n:,} samples: {tasks}",
        count,
        tasks=tasks,
    ),
    FormatCode.CACHED_TOKENS: lambda count, tasks: phrase_n(
        "the input tokens of {n:,} sample are taken as stated, with or without cached ones: {tasks}",
        "the input tokens of {n:,} samples are taken as stated, with or without cached ones: {tasks}",
        count,
        tasks=tasks,
    ),
}
