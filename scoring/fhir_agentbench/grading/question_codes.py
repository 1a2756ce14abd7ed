"""Codes of problems of the file with the questions and their reference answers."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class QuestionCode(ProblemCode):
    """Problems of the table, then of its rows. No message quotes a reference answer."""

    COLUMNS = (
        "questions.columns",
        "The questions lack a column or have one twice, are not separated by commas, or have no rows.",
        phrase("Take the file of the benchmark’s authors, whole, with commas and the names of its columns."),
    )
    IDS_MISSING = (
        "questions.ids-missing",
        "The questions lack the column with the gold resources.",
        phrase("Add the column, or go on without it (`--allow-missing-ids`): only answers are scored then."),
    )
    ROW = (
        "questions.row",
        "A row cannot be read as CSV, or has another number of cells than the head.",
        phrase("Look for a quotation mark that is missing or too many in this row or the one before."),
    )
    ID = (
        "question.id",
        "A question_id is not 24 hexadecimal digits, or is there twice.",
        phrase("Take the id from the file of the benchmark’s authors, and keep one row of each."),
    )
    IDS = (
        "question.ids",
        "The gold resources of a row cannot be read.",
        phrase("Write a Python literal such as `{'Patient': ['…']}`, a list of ids for each resource type."),
    )
    EMPTY = (
        "question.empty",
        "A row has no question, or gold resources and no true_answer.",
        phrase("Fill in the cell, or remove the row."),
    )
