"""Codes of problems of the task file, and of the recording of the FHIR server."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class TaskCode(ProblemCode):
    """Problems of the tasks, then of the patients' data. No message quotes a reference answer."""

    NOT_TASKS = (
        "tasks.unreadable",
        "The task file is not JSON, or not a list of tasks.",
        phrase("Take the file of the benchmark’s authors, such as test_data_v2.json."),
    )
    NOT_AN_OBJECT = (
        "task.not-an-object",
        "An entry of the task file is not an object.",
        phrase("Write each task as an object with an id."),
    )
    ID = (
        "task.id",
        "The id of a task is not task1_1 to task10_n.",
        phrase("Name the task by its type, from 1 to 10, and a number, such as task3_12."),
    )
    ID_REPEATED = (
        "task.id-repeated",
        "Two tasks have the same id.",
        phrase("Keep one of them, or give it another number."),
    )
    SOLUTION = (
        "task.solution",
        "The `sol` of a task is not a list of texts.",
        phrase('Write `sol` as in the authors’ file: a list of one text or more, such as ["S1234567"].'),
    )
    RECORDING = (
        "recording.unreadable",
        "The recording is empty or damaged, or a line of it is not a recorded response.",
        phrase("Record the server again with `manage.py record_fhir`."),
    )
    SERVER = (
        "recording.server",
        "The FHIR server did not answer, now or when it was recorded.",
        phrase("Try again, or record the server again with `manage.py record_fhir`."),
    )
