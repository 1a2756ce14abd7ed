"""Codes of problems that any file can have, whatever the benchmark."""

from enum import StrEnum

from wardboard.scoring.reading.messages import Phrase, phrase


class ProblemCode(StrEnum):
    """A stable, dotted code with its meaning and its fix.

    `docs/problems.md` lists every one of them; a code is never renamed once released.
    """

    meaning: str
    fix: Phrase

    def __new__(cls, value: str, meaning: str, fix: Phrase) -> "ProblemCode":
        code = str.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        code.fix = fix
        return code


class DocumentCode(ProblemCode):
    """Problems of reading bytes as JSON; the last two are warnings."""

    EMPTY = (
        "file.empty",
        "The file holds nothing but white space.",
        phrase("Check that the run wrote its results, then upload that file."),
    )
    TOO_LARGE = (
        "file.too-large",
        "The file is larger than the limit, as it is or unpacked.",
        phrase("Compress it with gzip, and leave out logs and what the format does not ask for."),
    )
    GZIP = (
        "file.gzip-damaged",
        "The gzip data are damaged, end too early, or are followed by something else.",
        phrase("Compress the file again with gzip and upload all of it, or upload the plain JSON."),
    )
    BINARY = (
        "file.binary",
        "The file is of a binary kind that holds no plain JSON, such as a spreadsheet.",
        phrase("Upload the JSON file that the run wrote, plain or as gzip; a folder as a zip or tar.gz."),
    )
    OTHER_TEXT = (
        "file.other-text",
        "The file is text of another kind: a web page, XML, printed Python, a pointer of Git LFS.",
        phrase("Upload the results as JSON."),
    )
    CSV = (
        "file.csv",
        "The file is a table of separated values.",
        phrase("Name the column of ids `task_id`, and that with the answers of one agent `prediction`."),
    )
    NO_RESULTS = (
        "layout.no-results",
        "The file is of a kind that is known and not read as results, or holds no answers.",
        phrase("Send the file that the run wrote, with an answer to each task."),
    )
    NOT_UTF_8 = (
        "file.not-utf-8",
        "The file, or some bytes of it, are text in another encoding than UTF-8.",
        phrase('Save it as UTF-8; in Python: open(path, "w", encoding="utf-8").'),
    )
    AROUND = (
        "json.text-around",
        "Other text comes before or behind the JSON.",
        phrase("Delete all that is not the JSON; let the run write its log and its results apart."),
    )
    TRUNCATED = (
        "json.truncated",
        "The text ends before its JSON is complete.",
        phrase("Upload the whole file; if the run was interrupted, let it finish writing."),
    )
    SYNTAX = (
        "json.syntax",
        "The text is not JSON.",
        phrase("Write the file with a JSON library (in Python: json.dump)."),
    )
    SEVERAL = (
        "json.several-documents",
        "The file holds several JSON documents, as JSON Lines do.",
        phrase("Put all results in one document, or upload the runs.jsonl of the harness."),
    )
    TOO_COMPLEX = (
        "json.too-complex",
        "The JSON is nested too deeply, holds too many values, or an integer of more than 4,300 digits.",
        phrase("Leave out fields that the format does not ask for, and write long numbers as text."),
    )
    RECORD_TOO_LARGE = (
        "record.too-large",
        "A record is larger than the limit.",
        phrase("Leave out the trace and the resources that the agent read; keep the answer and the ids."),
    )
    TEXT_TOO_LARGE = (
        "text.too-large",
        "An answer, a content of a history, or resources as text are longer than the limit.",
        phrase("Give the final answer only, without the reasoning."),
    )
    FIELD_MISSING = (
        "field.missing",
        "A field that the format requires is missing.",
        phrase("Add the field, as the format of the benchmark has it."),
    )
    FIELD_TYPE = (
        "field.type",
        "A value is of another type or form than the format has for it.",
        phrase("Write the value as the format of the benchmark has it."),
    )
    TOO_MANY_PROBLEMS = (
        "file.too-many-problems",
        "The file has more problems than the limit, after which it is not read on.",
        phrase("Fix those that are listed; most files with so many errors repeat the same one throughout."),
    )
    TOO_SLOW = (
        "records.too-slow",
        "Reading the file takes more time, or more memory, than the limits allow.",
        phrase("Leave out traces and write values as JSON; else sign in, or try again later."),
    )
    NAN = (
        "json.nan",
        "The value is NaN or Infinity, which JSON does not have; it is read as null.",
        phrase("Write a number or null."),
    )
    DUPLICATE_KEY = (
        "json.duplicate-key",
        "An object has the same key twice; the last one counts.",
        phrase("Delete the one that is not meant."),
    )


class RulesCode(ProblemCode):
    """Warnings of a result that the rules of a leaderboard would list without a rank."""

    RUNS = (
        "rules.too-few-runs",
        "The leaderboard ranks only results of more runs.",
        phrase("Send more complete runs in one submission, or publish without a rank."),
    )
    TRACES = (
        "rules.traces-missing",
        "The leaderboard ranks only results with the trace of every answer.",
        phrase("Send the log that the run itself wrote, or publish without a rank."),
    )
    HARNESS = (
        "rules.other-harness",
        "The leaderboard ranks only results of the official harness.",
        phrase("If the official harness ran it, state so, or publish without a rank."),
    )
    ROUNDS = (
        "rules.too-many-rounds",
        "The leaderboard ranks only results whose log states few enough rounds for each task.",
        phrase("Set that limit in the harness and run all tasks again, or publish without a rank."),
    )
    ANSWERS = (
        "rules.no-answers",
        "More than half of the tasks have no answer: blank, an error, a refusal, one text for most, or none.",
        phrase(
            "The others are blank, an error, a refusal, one text for most, or missing. Run them again. Or "
            "send it with `allow_empty` (`--allow-empty`): it is listed without a rank."
        ),
    )
    LINKS = (
        "rules.links-missing",
        "The leaderboard ranks only results of systems with a link to code or a paper, and a contact.",
        phrase("State a link to code or a paper, and a contact, or publish without a rank."),
    )
    COST = (
        "rules.cost-missing",
        "The leaderboard ranks only results of systems with a stated cost per task.",
        phrase("State the cost per task, or publish without a rank."),
    )


class RunsCode(ProblemCode):
    """Problems of several runs that are sent as one submission, and of the archive that they come in."""

    TOO_MANY = (
        "runs.too-many",
        "There are more files than a submission can have runs.",
        phrase("Send only the result file of each run, of those that you planned first, up to the limit."),
    )
    IDENTICAL = (
        "runs.identical",
        "Two runs have the same answers, and no time in their logs tells them apart.",
        phrase("Send each run once; if the system always answers the same, state so (`deterministic`)."),
    )
    MORE_THAN_DECLARED = (
        "runs.more-than-declared",
        "There are more files than `runs` declares.",
        phrase("State in `runs` how many runs you planned, or leave it out."),
    )
    FORMATS_DIFFER = (
        "runs.formats-differ",
        "The runs are in different formats.",
        phrase("Write all runs in the same format and version."),
    )
    SEVERAL_SYSTEMS = (
        "runs.several-systems",
        "The files are of several systems, or nothing says that they are runs of one.",
        phrase(
            "Send each system by itself. Runs of one are called run, attempt, seed, trial, replicate or "
            "epoch, and a number."
        ),
    )
    PARTS = (
        "runs.parts",
        "The files have no task in common, as the parts of one run.",
        phrase("Join the parts of a run into one file: for each task a line, with its id and the answer."),
    )
    SELECTION = (
        "runs.selection",
        "What is selected of an archive (`select`) is nothing in it, or cannot be read.",
        phrase("Select by path: `gpt-4o/**` is a folder, `*` a part of a name, `|` separates several."),
    )
    LEFT_OUT = (
        "archive.left-out",
        "Files of the archive that hold no answers are left out, such as summaries, settings and pictures.",
        phrase("Nothing has to be done; if one of them is a result, send it by itself."),
    )
    DAMAGED = (
        "archive.damaged",
        "The archive holds no files, or cannot be read to its end.",
        phrase("Make the archive again, or send the files themselves."),
    )
    MEMBER = (
        "archive.member",
        "A file in the archive is encrypted, a link, compressed by an unknown method, or has an unsafe name.",
        phrase("Make the archive again with an ordinary program, without a password, links or equal names."),
    )
    NESTED = (
        "archive.nested",
        "An archive is inside the archive, or sent beside other files.",
        phrase("Send one archive that holds only result files, or the files themselves."),
    )
    ARCHIVE_TOO_LARGE = (
        "archive.too-large",
        "The archive lists more files than are read, or they are larger than the limit of one upload.",
        phrase("Put only the result file of each run into the archive, compressed with gzip if it is large."),
    )


class ReferenceCode(ProblemCode):
    """Problems of importing reference answers that any benchmark can have."""

    UNREADABLE = (
        "references.unreadable",
        "A file with reference answers cannot be read, or holds no task.",
        phrase("Check that it is the right file, and that it is whole."),
    )
    BOARD = (
        "references.leaderboard",
        "The leaderboard cannot have these reference answers.",
        phrase("Choose the files of this leaderboard; on the server, `--slug` names another one."),
    )
    UNUSABLE = (
        "references.unusable",
        "No answer to a task can be graded.",
        phrase("Fix the source, or import all the same (`--allow-unusable`): every answer is then wrong."),
    )
