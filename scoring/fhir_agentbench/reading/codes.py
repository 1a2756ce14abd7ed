"""Problem codes of FHIR-AgentBench submissions, in addition to those of every file."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class FhirCode(ProblemCode):
    """The problems and warnings: code, meaning, fix.

    Problems come first. Warnings, from QUESTIONS_MISSING on, do not prevent a file from being scored.
    No code is shared with another benchmark: all appear in one list, and their meanings and fixes differ.
    """

    OTHER_BENCHMARK = (
        "records.other-benchmark",
        "The file holds results of another benchmark.",
        phrase("Submit it to the leaderboard of its benchmark."),
    )
    LAYOUT = (
        "records.layout",
        "The file is neither one list of records, nor a record per line, nor a table with the same columns.",
        phrase("Upload the file that the runner writes: a JSON array with one object per question."),
    )
    EMPTY = (
        "records.empty",
        "The file holds no record.",
        phrase("Check that the run wrote its results, then upload that file."),
    )
    TOO_MANY = (
        "records.too-many",
        "The file holds more records than the limit.",
        phrase("Upload one run: one record per question."),
    )
    UNREADABLE = (
        "record.unreadable",
        "A record holds a value that Wardboard fails to read. This is a bug in Wardboard.",
        phrase("Write the value as the runner does, and report the bug to the organisers."),
    )
    ID_UNKNOWN = (
        "question-id.unknown",
        "The leaderboard has no question with that id.",
        phrase("Copy the id from the question file of this leaderboard, or leave the record out."),
    )
    ID_REPEATED = (
        "question-id.repeated",
        "A question is answered more than once.",
        phrase("Keep one record per question. Send several runs or systems as a file each."),
    )
    NESTED_IDS = (
        "resources.nested-ids",
        "A list of ids holds objects or lists, on which the official evaluator fails.",
        phrase('Write the ids alone: {"Observation": ["<id>", ...]}.'),
    )
    USAGE_TOO_LARGE = (
        "usage.too-large",
        "A number in `usage` is larger than any question can take.",
        phrase("Write the tokens, US dollars and calls that this question took, or null if unknown."),
    )
    COLUMNS_MISSING = (
        "table.columns-missing",
        "The table lacks a column that is required.",
        phrase(
            "Write the columns `question_id`, `agent_answer` and `agent_fhir_resources`, named in the header."
        ),
    )
    TABLE_BROKEN = (
        "table.broken",
        "The text is not CSV with cells for each column, separated by commas.",
        phrase("Write the table with a CSV library (in Python: csv.writer, or DataFrame.to_csv)."),
    )
    QUESTIONS_MISSING = (
        "questions.missing",
        "Some questions of the leaderboard have no record; each counts as wrong.",
        phrase("Run the missing questions, or submit as it is."),
    )
    NO_ANSWERS = (
        "agent-answer.none",
        "No record has an answer.",
        phrase("Check that the run wrote its answers to `agent_answer`."),
    )
    ANSWER_NOT_A_STRING = (
        "agent-answer.not-a-string",
        "An answer is not text. A number counts as wrong, and so does a list of several items unless there "
        "is no answer and it says so; an object or a list of one item is judged as it is printed.",
        phrase("Write the answer as text."),
    )
    RUNNERS_SENTENCE = (
        "agent-answer.of-runner",
        "Answers are sentences of the runner about a run without an answer; they are graded like any other.",
        phrase("Run these questions again, or submit as it is: the official evaluator grades them, too."),
    )
    ATTEMPT_FAILED = (
        "records.attempt-failed",
        "A later record is of another attempt at a question, which failed; it is not read.",
        phrase("Nothing has to be done: the answer counts."),
    )
    NOT_RUN = (
        "records.not-run",
        "Records of the runner hold neither an answer nor an error: these questions were not run, and count "
        "as missing.",
        phrase("Let the runner finish, or submit as it is; then each of them counts as wrong."),
    )
    LEFT_OUT = (
        "records.left-out",
        "Records of AgentBeats are for questions that the leaderboard does not have; they are left out.",
        phrase("Nothing has to be done: AgentBeats has tasks of several benchmarks."),
    )
    RESOURCES_UNKNOWN = (
        "resources.unknown",
        "Records do not state what was retrieved. Answers are scored; precision and recall are those of the "
        "official evaluator, for which nothing was retrieved.",
        phrase("Send the file with the retrieved ids, `retrieved_fhir_ids`, if there is one."),
    )
    NOT_RESOURCES = (
        "resources.not-an-object",
        "The retrieved resources are neither an object nor text that holds one; nothing counts as retrieved.",
        phrase('Write ids by resource type: {"Observation": ["<id>", ...]}.'),
    )
    IDS = (
        "resources.ids",
        "The ids of a type are no list of texts. Of a string the official evaluator reads each character, of "
        "an object each key; a number is ignored, and in a list it is an id that is never correct.",
        phrase('Write a list: {"Patient": ["<id>"]}.'),
    )
    TYPE_SPELLING = (
        "resources.type-spelling",
        "A resource type is not spelt as in FHIR; its ids are ignored.",
        phrase("Write the type as FHIR does: Observation, MedicationRequest."),
    )
    ID_PREFIXED = (
        "resources.id-prefixed",
        "Ids contain a slash, as FHIR references do; ids are compared exactly, and none of the "
        "leaderboard's has one.",
        phrase("Write the id alone, without `Observation/` before it."),
    )
    PATIENTS_OUTSIDE = (
        "patients.outside",
        "Records name patients whom no question of the leaderboard is about.",
        phrase(
            "If these are not patients of the benchmark's own data, do not send the file: data that you have "
            "under an agreement must not leave it."
        ),
    )
    ERROR_NOT_A_STRING = (
        "error.not-a-string",
        "`error` is neither text nor null; any such value counts as an error, and the answer as wrong.",
        phrase("Write null where the agent did not fail, and the message where it did."),
    )
    USAGE_MALFORMED = (
        "usage.malformed",
        "A value in `usage` is not a number of 0 or more; it is not counted.",
        phrase(
            'Write {"prompt_tokens": 1200, "completion_tokens": 80, "cost": 0.004}, null for unknown values.'
        ),
    )
    FIELD_RENAMED = (
        "field.renamed",
        "Records name a field as another writer does; it is read as ours.",
        phrase("Nothing has to be done."),
    )
    FIELD_UNKNOWN = (
        "field.unknown",
        "Records have a field that the format does not define; it is ignored.",
        phrase("Check its spelling, or leave it out."),
    )
    SURROGATE = (
        "text.surrogate",
        "A text holds half of a surrogate pair, which is not a character; it is read as U+FFFD.",
        phrase("Write the text with a JSON library, and cut texts between characters."),
    )
