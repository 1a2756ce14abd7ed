"""The codes of the problems and warnings that only a MedAgentBench submission can have."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class Code(ProblemCode):
    """The problems first, then the warnings (from TASKS_MISSING on), with which a file is still scored."""

    LAYOUT_UNKNOWN = (
        "layout.unknown",
        "The JSON is neither a result file nor lines of runs.jsonl.",
        phrase('Write one line for each task: {"task_id": "task1_1", "answer": "[...]"}.'),
    )
    OTHER_BENCHMARK = (
        "layout.other-benchmark",
        "The file holds results of another benchmark.",
        phrase("Submit it to the leaderboard of its benchmark."),
    )
    INDEX_OTHER_TASK = (
        "index.other-task",
        "The position of a line is that of one task, and its prompt or its task id that of another.",
        phrase(
            "Send the results of this leaderboard’s task file; or write the task id in the place of `index`."
        ),
    )
    VERSION_MISMATCH = (
        "version.mismatch",
        "The file has another version than the leaderboard.",
        phrase("Submit it to the leaderboard of its version, if there is one here: the tasks differ."),
    )
    RESULTS_EMPTY = (
        "results.empty",
        "The file holds no result.",
        phrase("Check that the run wrote its results, then upload that file."),
    )
    RESULTS_TOO_MANY = (
        "results.too-many",
        "The file holds more results, or more items of histories, than the limit.",
        phrase("Upload one run over one version of the tasks: one result per task."),
    )
    TASK_ID_UNKNOWN = (
        "task-id.unknown",
        "The leaderboard has no task with that id.",
        phrase("Write the id as in the task file of this version, such as task1_1."),
    )
    TASK_ID_REPEATED = (
        "task-id.repeated",
        "A task is answered more than once.",
        phrase("Keep one result per task. Send several runs or systems as a file each."),
    )
    ANSWER_NOT_A_STRING = (
        "answer.not-a-string",
        "An answer is a JSON value; it must be a string that holds JSON.",
        phrase("Wrap it: json.dumps(answer)."),
    )
    ROLE_UNKNOWN = (
        "role.unknown",
        "A role is neither `agent` nor `user`.",
        phrase('Write "agent" for a message that the agent sent (not "assistant"), "user" for the reply.'),
    )
    INDEX_OUT_OF_RANGE = (
        "index.out-of-range",
        "The leaderboard has no task at that position.",
        phrase("Check that the run used the task file of this version; positions count from 0."),
    )
    TASKS_MISSING = (
        "tasks.missing",
        "Some tasks of the leaderboard have no result; each counts as wrong.",
        phrase("Run the missing tasks, or submit as it is."),
    )
    ATTEMPTS_FAILED = (
        "attempts.failed",
        "Lines with an `error` are of attempts that failed; they are no runs, and are not read.",
        phrase("Nothing has to be done where the task was tried again with success."),
    )
    LINE_REPEATED = (
        "run-line.repeated",
        "A line has the same task and output as an earlier one; it counts once.",
        phrase("Nothing has to be done; the harness can write a line again when a run is resumed."),
    )
    TASKS_BY_INDEX = (
        "index.alone",
        "The file names its tasks by position alone, and holds fewer than the leaderboard has.",
        phrase(
            "Check that it is of the first tasks of this leaderboard’s task file, or write the task id in "
            "the place of `index`."
        ),
    )
    ANSWER_TASK_ERROR = (
        "answer.task-error",
        "The harness ended the task with an error, so there is no answer; the task counts as wrong.",
        phrase("Run the task again, or submit as it is. The error is not an answer."),
    )
    ANSWER_NULL = (
        "answer.null",
        "There is no answer; the task counts as wrong, whatever the history.",
        phrase('No answer counts as wrong. If the agent meant “nothing”, use "[]".'),
    )
    ANSWER_NOT_JSON = (
        "answer.not-json",
        "The text of an answer is not JSON; it will count as wrong where the grader reads it.",
        phrase("Write a JSON list as a string: json.dumps([...])."),
    )
    ANSWER_SHAPE = (
        "answer.shape",
        "An answer is not of the shape that its task type asks for, or has FINISH(...) around it; it will "
        "count as wrong.",
        phrase('Write the list that the task asks for, such as "[2.7]", "[-1]" or "[]".'),
    )
    HISTORY_MISSING = (
        "history.missing",
        "There is no history; it is read as one without a POST.",
        phrase('Add "post_history": [] where there was no POST.'),
    )
    HISTORY_ENDS_WITH_POST = (
        "history.ends-with-post",
        "The last message is the agent's and contains `POST`, with no reply; the official grader fails "
        "on it where it looks for accepted POSTs.",
        phrase("Record the reply to the last POST as an item of its own."),
    )
    PAYLOAD_NOT_JSON = (
        "post.payload-not-json",
        "The text after the first line of a POST is not JSON; the POST does not count.",
        phrase("Write the URL on the first line and json.dumps(payload) from the second line on."),
    )
    POST_PAYLOAD_UNKNOWN = (
        "post.payload-unknown",
        "A tool sent a POST whose body is not in the file; the POST does not count, though it may have been "
        "right.",
        phrase(
            'Let the tool record what it sent: "fhir_post": {"fhir_url": ..., "parameters": {...}, '
            '"accepted": true}.'
        ),
    )
    POST_CONVERTED = (
        "post.converted",
        "A call of a tool is read as a POST, or is not, by a rule that its sender should know.",
        phrase("Look at what was read with `wardboard convert`; nothing has to be done if it is right."),
    )
    POST_UNCLEAR_REPLY = (
        "post.unclear-reply",
        "The reply of a tool does not show whether the server accepted the POST; the POST does not count.",
        phrase("Let the tool reply with the status of the server (200 or 201), or “POST request accepted”."),
    )
    URL_OTHER_BASE = (
        "url.other-base",
        "A tool sent a POST to another server than that of the benchmark; the address is kept, and the POST "
        "will count as wrong.",
        phrase("Run the FHIR server at http://localhost:8080/fhir/, as the official harness does."),
    )
    WRITE_OTHER_METHOD = (
        "write.other-method",
        "A tool wrote by PUT, PATCH or DELETE; the official graders read POSTs only.",
        phrase("Let the agent write by POST; the file is fine as it is."),
    )
    TEXT_NAMES_POST = (
        "text.names-post",
        "A message of an agent that calls tools contains `POST`; it is no request, and is left out.",
        phrase("Nothing has to be done if the agent sends its requests by tools."),
    )
