"""The codes of the problems and warnings that the log of a harness can have, whatever its format."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class FormatCode(ProblemCode):
    """Problems first, then warnings: from ANSWER_FORM on.

    The meaning of a warning that an attempt can have as a note begins its message, and is translated.
    """

    SEVERAL_RUNS = (
        "log.several-runs",
        "The log holds several attempts at a task, or several logs are no runs of one another.",
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
    DAMAGED = (
        "log.damaged",
        "The log, or a record of it, is damaged or not of the form that its harness writes.",
        phrase("Send the log as the harness wrote it, complete and unchanged."),
    )
    SEVERAL_CHOICES = (
        "log.several-choices",
        "A request has several answers of the model (`n` above 1); none of them is the answer.",
        phrase("Ask the model for one answer to each request."),
    )
    UNKNOWN_VERSION = (
        "log.version-unknown",
        "The log is of a version, or packed in a way, that is not read here.",
        phrase("Write it with a release of the harness whose version the guide lists."),
    )
    ANSWER_FORM = (
        "log.answer-form",
        "The last text of the agent is neither FINISH(...) nor a JSON list, so the task has no answer.",
        phrase("Let the last text of the agent begin with FINISH([...]), as the harness reads it."),
    )
    DISAGREES = (
        "log.disagrees",
        "Two places in the log hold answers or POSTs that differ; those that the harness took count.",
        phrase("Compare both; the file is fine if the harness took the right one."),
    )
    TASK_DERIVED = (
        "log.task-derived",
        phrase("The metadata, the name of a file or the text of the task say which task it is."),
        phrase("Nothing has to be done; check that the tasks are right."),
    )
    NEWER_VERSION = (
        "log.version-newer",
        phrase("The log is of a later version than those that are known; it is read like the last of these."),
        phrase("Compare the report with the log, and report what was misread."),
    )
    INCOMPLETE = (
        "log.incomplete",
        phrase("The log refers to a part that is not there, so POSTs or the answer may be missing."),
        phrase("Send all parts of the log together, in order, in one zip or tar."),
    )
    PART_UNREADABLE = (
        "log.part-unreadable",
        phrase("A file of the agent cannot be read; what it holds (answer, POSTs, tokens) is unknown."),
        phrase("Send the folder as the harness wrote it; let the agent answer by the command it is given."),
    )
    ORDER_UNKNOWN = (
        "log.order-unknown",
        phrase("The log does not show when a subagent was called; its calls are read after all others."),
        phrase("Let the harness write a reference from the call to the subagent."),
    )
    UNEVEN_ATTEMPTS = (
        "log.attempts-uneven",
        phrase("Some tasks have fewer or more attempts than the log says that each should have."),
        phrase("Let the harness finish (harbor job resume), or submit as it is."),
    )
    VERDICT_UNUSED = (
        "log.verdict-unused",
        phrase("Verdicts of the harness are not used: the leaderboard grades itself."),
        phrase("Nothing has to be done."),
    )
    ANSWER_CONVERTED = (
        "answer.converted",
        phrase("An answer is not a list, or is the text of a number; it is read as a list of that value."),
        phrase("Nothing has to be done if the value is the answer; the official rule asks for a list."),
    )
    POST_SIMULATED = (
        "post.simulated",
        phrase("The log holds the payloads of POSTs, not their addresses and replies, which are derived."),
        phrase("Nothing has to be done if every payload was sent, in this order."),
    )
    ROWS_UNTOUCHED = (
        "log.rows-untouched",
        phrase("The agent left rows of its file as they were; they are no answers."),
        phrase("Let the agent finish the file, or submit as it is."),
    )
    LINE_TORN = (
        "log.line-torn",
        phrase("The last line of the log, behind this task, is cut off by a crash; it is left out."),
        phrase("Run the task of that line again, or submit as it is."),
    )
    TRUNCATED = (
        "log.truncated",
        phrase("The model or its harness stopped at a limit, so an answer or a call may be missing."),
        phrase("Allow more output tokens or turns, or submit as it is."),
    )
    OTHER_BRANCHES = (
        "log.other-branches",
        phrase("Calls outside the last branch of the messages, as of a subagent, are left out."),
        phrase("Submit as it is if no such call was a request that changes data."),
    )
    SINGLE_TURN = (
        "log.single-turn",
        phrase("The log has one text of a model for each task; a task that needs a request counts as wrong."),
        phrase("Nothing has to be done; with tools, send the log of the agent’s messages."),
    )
    PART_UNREAD = (
        "log.part-unread",
        "A message has a part of a kind that is not read; a call or an answer in it would not count.",
        phrase(
            "Write calls as OpenAI does: `tool_calls` of a message, and replies with their `tool_call_id`."
        ),
    )
    SUPERSEDED = (
        "log.superseded",
        phrase("Requests that failed are left out where the same task has another line."),
        phrase("Nothing has to be done where the task was tried again with success."),
    )
    MAYBE_TRAINING = (
        "log.maybe-training",
        phrase("The conversations state no model and no tokens, as those of a set for training do."),
        phrase("If they are examples to train on, do not send them: a result is what an agent did in a run."),
    )
    NOT_FINISHED = (
        "log.not-finished",
        phrase("The status of the log is not “success”, so the run may have ended early."),
        phrase("Let the run finish (inspect eval-retry), or submit as it is."),
    )
    INVALIDATED = (
        "log.invalidated",
        phrase("The log marks or edited samples that may not be used; they are read as they stand."),
        phrase("Run these samples again, or confirm when you publish that the result holds with them."),
    )
    CACHED_TOKENS = (
        "log.cached-tokens",
        phrase("The log is of inspect_ai before 0.3.184, whose input tokens may leave out the cached ones."),
        phrase("Nothing has to be done: the tokens are shown as the log states them."),
    )
