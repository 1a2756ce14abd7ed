"""The codes of the problems and warnings that the log of a harness can have, whatever its format."""

from collections.abc import Callable, Mapping

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n


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
        phrase("Let the last text of the agent begin with FINISH([...]), as the harness reads it."),
    )
    ATTEMPT_INVALID = (
        "log.attempt-invalid",
        "A record of the log is not of the form that its harness writes.",
        phrase("Send the log as the harness wrote it, complete and unchanged."),
    )
    SEVERAL_CHOICES = (
        "log.several-choices",
        "A request has several answers of the model (`n` above 1); none of them is the answer.",
        phrase("Ask the model for one answer to each request."),
    )
    UNKNOWN_VERSION = (
        "log.version-unknown",
        "The log is of a version that is not read.",
        phrase("Write it with a release of the harness whose version the guide lists."),
    )
    ANSWER_FORM = (
        "log.answer-form",
        "The last text of the agent is neither FINISH(...) nor a JSON list, so the task has no answer.",
        phrase("Let the last text of the agent begin with FINISH([...]), as the harness reads it."),
    )
    TASK_BY_TEXT = (
        "log.task-by-text",
        "The log names no task; the text of the task in it says which one it is.",
        phrase("Nothing has to be done; check that the tasks are right."),
    )
    NEWER_VERSION = (
        "log.version-newer",
        "The log is of a later version than those that are known here; it is read like the last of these.",
        phrase("Compare the report with the log, and report what was misread."),
    )
    TASK_FROM_EXTRA = (
        "log.task-from-extra",
        "The task is the one that the metadata of the log name.",
        phrase("Nothing has to be done if these are the tasks."),
    )
    TASK_FROM_NAME = (
        "log.task-from-name",
        "The task is the one that the name of the file or of its folder begins with.",
        phrase("Nothing has to be done if these are the tasks."),
    )
    CONTINUED = (
        "log.continued",
        "The log is continued in a file that is not there, so the last text in it is not the answer.",
        phrase("Send all parts of the log together, in one zip or tar."),
    )
    TRACE_INCOMPLETE = (
        "log.trace-incomplete",
        "The log refers to a log of a subagent that is not there; POSTs of the subagent are missing.",
        phrase("Send the whole folder, with the logs of all subagents."),
    )
    TRACE_UNREADABLE = (
        "log.trace-unreadable",
        "The log of what an agent did cannot be read, so its refused POSTs, tokens and cost are unknown.",
        phrase("Send the folder as the harness wrote it, complete and unchanged."),
    )
    ORDER_UNKNOWN = (
        "log.order-unknown",
        "The log does not show when a subagent was called; its calls are read after all others.",
        phrase("Let the harness write times, or a reference from the call to the subagent."),
    )
    ANSWER_FILE = (
        "log.answer-file",
        "The file of an answer is not of the form that its harness writes, so it holds no answer.",
        phrase("Let the agent answer by the command that the harness gives it."),
    )
    ANSWERS_DISAGREE = (
        "log.answers-disagree",
        "The log holds two answers that differ; the one that the harness took counts.",
        phrase("Compare both; the file is fine if the harness took the right one."),
    )
    POSTS_DISAGREE = (
        "log.posts-disagree",
        "The POSTs in the answer file are not those in the log of the agent; those in the answer file count.",
        phrase("Compare both; the file is fine if the harness recorded what was sent."),
    )
    UNEVEN_ATTEMPTS = (
        "log.attempts-uneven",
        "Some tasks have fewer or more attempts than the log says that each should have.",
        phrase("Let the harness finish (harbor job resume), or submit as it is."),
    )
    VERDICT_UNUSED = (
        "log.verdict-unused",
        "The log holds verdicts of its harness; they are not used, because the leaderboard grades itself.",
        phrase("Nothing has to be done."),
    )
    ANSWER_WRAPPED = (
        "answer.wrapped",
        "An answer is a value without a list; it is read as a list of that value.",
        phrase("Nothing has to be done if the value is the answer; the official rule asks for a list."),
    )
    ANSWER_NUMBER_OF_TEXT = (
        "answer.number-of-text",
        "An answer is the text of a number; it is read as that number.",
        phrase("Nothing has to be done if the number is the answer."),
    )
    POST_SIMULATED = (
        "post.simulated",
        "The log holds the payloads of POSTs, not their addresses and replies, which are derived.",
        phrase("Nothing has to be done if every payload was sent, in this order."),
    )
    ROWS_UNTOUCHED = (
        "log.rows-untouched",
        "The agent left rows of its file as they were; they are no answers.",
        phrase("Let the agent finish the file, or submit as it is."),
    )

    LINE_TORN = (
        "log.line-torn",
        "The last line of the log is cut off, as a crash leaves it; it is left out.",
        phrase("Run the task of that line again, or submit as it is."),
    )
    LINE_REPEATED = (
        "log.line-repeated",
        "A line is the same as an earlier one of its task; it counts once.",
        phrase("Nothing has to be done; a run that is resumed can write a line again."),
    )
    TRUNCATED = (
        "log.truncated",
        "The model or its harness stopped at a limit, so an answer or a request may be missing.",
        phrase("Allow more output tokens or turns, or submit as it is."),
    )
    CALL_CUT = (
        "log.call-cut",
        "The arguments of a call of a tool are no JSON, so the call was not made; it is left out.",
        phrase("Allow the model more output tokens, or submit as it is."),
    )
    CHAIN_BROKEN = (
        "log.chain-broken",
        "A response follows one that is not in the log, so a part of the conversation is missing.",
        phrase("Send every response of a conversation, in order."),
    )
    OTHER_BRANCHES = (
        "log.other-branches",
        "Calls of tools outside the last branch of the messages are left out, such as those of a subagent.",
        phrase("Submit as it is if no such call was a request that changes data."),
    )
    SINGLE_TURN = (
        "log.single-turn",
        "The log has one text of a model for each task; a task that needs a request counts as wrong.",
        phrase("Nothing has to be done; with tools, send the log of the agent’s messages."),
    )
    FILTER_DIFFERS = (
        "log.filter-differs",
        "The filter of lm-evaluation-harness found an answer within a text that does not begin with FINISH(.",
        phrase("Let the model begin with FINISH([...]), which the rules of the benchmark ask for."),
    )
    MAYBE_TRAINING = (
        "log.maybe-training",
        "The conversations state no model and no tokens, as those of a set for training do.",
        phrase("If they are examples to train on, do not send them: a result is what an agent did in a run."),
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
    FormatCode.TASK_BY_TEXT: lambda n, named: phrase_n(
        "{n:,} attempt is named by the text of its task: {named}",
        "{n:,} attempts are named by the texts of their tasks: {named}",
        n,
        named=named,
    ),
    FormatCode.NEWER_VERSION: lambda n, tasks: phrase_n(
        "{n:,} trajectory is of a version after ATIF 1.8: {tasks}",
        "{n:,} trajectories are of a version after ATIF 1.8: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.TASK_FROM_EXTRA: lambda n, tasks: phrase_n(
        "{n:,} task is taken from `extra`: {tasks}",
        "{n:,} tasks are taken from `extra`: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.TASK_FROM_NAME: lambda n, tasks: phrase_n(
        "{n:,} task is taken from the name of a file or folder: {tasks}",
        "{n:,} tasks are taken from the names of files or folders: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.CONTINUED: lambda n, tasks: phrase_n(
        "{n:,} log is continued in a file that is not there: {tasks}",
        "{n:,} logs are continued in files that are not there: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.TRACE_INCOMPLETE: lambda n, tasks: phrase_n(
        "{n:,} log lacks that of a subagent: {tasks}",
        "{n:,} logs lack those of subagents: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.TRACE_UNREADABLE: lambda n, tasks: phrase_n(
        "{n:,} log of an agent cannot be read: {tasks}",
        "{n:,} logs of an agent cannot be read: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.ORDER_UNKNOWN: lambda n, tasks: phrase_n(
        "{n:,} log does not show when a subagent was called: {tasks}",
        "{n:,} logs do not show when a subagent was called: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.ANSWER_FILE: lambda n, tasks: phrase_n(
        "{n:,} answer file is malformed: {tasks}", "{n:,} answer files are malformed: {tasks}", n, tasks=tasks
    ),
    FormatCode.UNEVEN_ATTEMPTS: lambda n, tasks: phrase_n(
        "{n:,} task has another number of attempts than the others: {tasks}",
        "{n:,} tasks have another number of attempts than the others: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.VERDICT_UNUSED: lambda n, tasks: phrase_n(
        "{n:,} verdict of the harness is not used: {tasks}",
        "{n:,} verdicts of the harness are not used: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.ANSWER_WRAPPED: lambda n, tasks: phrase_n(
        "{n:,} answer is put into a list: {tasks}",
        "{n:,} answers are put into lists: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.ANSWER_NUMBER_OF_TEXT: lambda n, tasks: phrase_n(
        "{n:,} answer is the text of a number: {tasks}",
        "{n:,} answers are texts of numbers: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.POST_SIMULATED: lambda n, tasks: phrase_n(
        "{n:,} task has payloads without addresses and replies: {tasks}",
        "{n:,} tasks have payloads without addresses and replies: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.ROWS_UNTOUCHED: lambda n, tasks: phrase_n(
        "{n:,} row is untouched: {tasks}", "{n:,} rows are untouched: {tasks}", n, tasks=tasks
    ),
    FormatCode.LINE_TORN: lambda _, tasks: phrase(
        "the last line is cut off, and is left out; the one before is of {tasks}", tasks=tasks
    ),
    FormatCode.LINE_REPEATED: lambda n, tasks: phrase_n(
        "lines of {n:,} task repeat an earlier one: {tasks}",
        "lines of {n:,} tasks repeat an earlier one: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.TRUNCATED: lambda n, tasks: phrase_n(
        "{n:,} attempt stopped at a limit: {tasks}",
        "{n:,} attempts stopped at a limit: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.CALL_CUT: lambda n, tasks: phrase_n(
        "{n:,} attempt has a call whose arguments are no JSON: {tasks}",
        "{n:,} attempts have a call whose arguments are no JSON: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.CHAIN_BROKEN: lambda n, tasks: phrase_n(
        "{n:,} conversation lacks the response that it follows: {tasks}",
        "{n:,} conversations lack the response that they follow: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.OTHER_BRANCHES: lambda n, tasks: phrase_n(
        "{n:,} trace has calls outside its last branch: {tasks}",
        "{n:,} traces have calls outside their last branch: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.SINGLE_TURN: lambda n, tasks: phrase_n(
        "{n:,} answer is a single text of the model, without requests: {tasks}",
        "{n:,} answers are single texts of the model, without requests: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.FILTER_DIFFERS: lambda n, tasks: phrase_n(
        "{n:,} text has FINISH( only further on, where a filter found it: {tasks}",
        "{n:,} texts have FINISH( only further on, where a filter found it: {tasks}",
        n,
        tasks=tasks,
    ),
    FormatCode.MAYBE_TRAINING: lambda n, tasks: phrase_n(
        "{n:,} conversation states no model and no tokens; is it an example to train on? {tasks}",
        "{n:,} conversations state no model and no tokens; are they examples to train on? {tasks}",
        n,
        tasks=tasks,
    ),
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
