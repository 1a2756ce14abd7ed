"""Codes of problems of the file with the questions and their reference answers."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class QuestionCode(ProblemCode):
    """Problems of the table, then of its rows. No message quotes a reference answer."""

    SEPARATOR = (
        "questions.separator",
        "The cells of the questions are not separated by commas.",
        phrase("Save the file with commas."),
    )
    COLUMN_MISSING = (
        "questions.column-missing",
        "The questions lack a column.",
        phrase("Take the file of the benchmark’s authors, with the names of its columns."),
    )
    IDS_MISSING = (
        "questions.ids-missing",
        "The questions lack the column with the gold resources.",
        phrase("Add the column, or go on without it (`--allow-missing-ids`): only answers are scored then."),
    )
    COLUMN_REPEATED = (
        "questions.column-repeated",
        "The questions have a column twice.",
        phrase("Keep one column of each name."),
    )
    CELLS = (
        "questions.cells",
        "A row has another number of cells than the head.",
        phrase("Look for a quotation mark that is missing in this row or the one before."),
    )
    ROW = (
        "questions.row",
        "A row cannot be read as CSV.",
        phrase("Look for a quotation mark that is missing or too many."),
    )
    NONE = (
        "questions.none",
        "There are no questions below the head.",
        phrase("Check that the file is whole."),
    )
    ID = (
        "question.id",
        "A question_id is not 24 hexadecimal digits.",
        phrase("Take the id from the file of the benchmark’s authors."),
    )
    ID_REPEATED = (
        "question.id-repeated",
        "Two rows have the same question_id.",
        phrase("Keep one of the rows."),
    )
    NO_TEXT = (
        "question.no-text",
        "A row has no question.",
        phrase("Fill in the cell, or remove the row."),
    )
    IDS = (
        "question.ids",
        "The gold resources of a row cannot be read.",
        phrase("Write a Python literal such as `{'Patient': ['…']}`, a list of ids for each resource type."),
    )
    NO_ANSWER = (
        "question.no-answer",
        "A row has gold resources and no true_answer.",
        phrase("Fill in the cell, or remove the row."),
    )
