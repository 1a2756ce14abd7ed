"""Codes of problems of declarations, of answers to declared benchmarks, and of their references."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class DeclarationCode(ProblemCode):
    """Problems of the file that declares a benchmark; REFERENCE is one of its reference answers."""

    YAML = (
        "declaration.yaml",
        "The file is not plain YAML: it has an error, a tag, an alias, an anchor, or a key twice.",
        phrase(
            "Write each value once, where it belongs, without `&`, `*` and `!`; or write the file as JSON."
        ),
    )
    VALUE = (
        "declaration.value",
        "RE2 does not take a pattern, a value cannot be kept, or two things have the same name.",
        phrase("Correct one of them."),
    )
    REFERENCE = (
        "declaration.reference",
        "The declared match cannot read a reference answer, or the declaration has no such group.",
        phrase("Correct the row, or the declaration."),
    )


class AnswerCode(ProblemCode):
    """Problems of answers to a declared benchmark; ROWS is a warning."""

    LAYOUT = (
        "answers.layout",
        "The file holds no rows with an id and an answer, or more than the limit.",
        phrase("Write JSON Lines, a JSON list or a CSV table: a row for each task of one run."),
    )
    TASK = (
        "answers.task",
        "The leaderboard has no task with that id, or two rows have different answers to it.",
        phrase("Write one row for each task, with its id; send several runs as several files."),
    )
    ROWS = (
        "answers.rows",
        "Some tasks have no row, and count as wrong; or rows repeat a task, of which the answer counts.",
        phrase("Run what is missing, or submit as it is."),
    )
