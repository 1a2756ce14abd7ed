"""Check the records of a submission one by one, and reduce each to what scoring needs."""

import math
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import (
    ANSWER_FIELD,
    IGNORED_FIELDS,
    OTHER_NAMES,
    RESOURCES_FIELD,
    RUNNER_FIELDS,
    is_not_run,
    is_runners_sentence,
    paths_of_answers,
    paths_of_ids,
)
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage
from wardboard.scoring.fhir_agentbench.reading.resources import LiteralParser, parse_resources, read_resources
from wardboard.scoring.fhir_agentbench.reading.schema_check import NAMES_OF_RUNNERS, check_record
from wardboard.scoring.fhir_agentbench.reading.summary_warnings import SummaryWarnings
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Facts
from wardboard.scoring.reading.formats.log_facts import LogFacts
from wardboard.scoring.reading.formats.rows.columns import Columns, is_of_agent
from wardboard.scoring.reading.limits import Limits, size
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import Fix, change_value

_USAGE_FIELDS = Usage.__struct_fields__
# The most that one question can take. Far above any real figure, and far below what a sum cannot hold.
_MOST_TOKENS, _MOST_DOLLARS, _MOST_CALLS = 10**12, 10**6, 10**6
_MOST = dict.fromkeys(_USAGE_FIELDS, _MOST_TOKENS) | {"cost": _MOST_DOLLARS, "llm_calls": _MOST_CALLS}
_JUDGED = 4000  # characters of an answer that the rules read closely
_MOST_JOINED = 20  # values of a list that a fix writes as one text
_LARGEST = sys.float_info.max
_QUESTION_ID = re.compile("[0-9a-f]{24}")
_SURROGATE = re.compile("[\ud800-\udfff]")
# This message is built once: a file can need it for each of its records.
_NOT_TEXT = phrase("the answer is not text: a number, or a list of several items, counts as wrong")


class RecordCheck:
    """A check of one record after another, which adds problems to the findings passed with each."""

    def __init__(self, task_ids: Sequence[str], limits: Limits, patients: Collection[str] = ()) -> None:
        self.summary = SummaryWarnings()
        self.format = ""  # of the file
        self._patients = patients
        self._literals = LiteralParser(limits.literals_bytes)
        self._task_ids, self._known = task_ids, frozenset(task_ids)
        # Question id -> line of its first record, or its index in the list (its name in an `.eval` log).
        self.first: dict[str, int | str] = {}
        self.answered: set[str] = set()
        self._reported_fields: set[str] = set()
        self.answer_count, self.fingerprints = 0, list[int | None]()
        # What its usage states, and what a log states of its attempts.
        self.usage_facts, self.log_facts = LogFacts(), LogFacts()
        # Whether records of other questions are left out, as AgentBeats has tasks of several benchmarks.
        self.leaves_out_unknown = False
        self.left_out: list[str] = []
        # Of rows that are no records of the runner, which fields are the id and the answer.
        self.columns: Columns | None = None
        self.characters = 0  # of answers, as far as they are judged

    def missing(self) -> list[str]:
        """Return the board's questions that have no record so far, in their order."""
        return [task_id for task_id in self._task_ids if task_id not in self.first]

    def read(self, value: Any, here: Findings) -> AnswerRecord | None:
        """Return `value` as a record, or None if it is not one.

        The record may only be used if the whole file has no problem. Raises Unreadable if reading must end.
        """
        value, here = self._with_own_names(value, here)
        if self.leaves_out_unknown and self._is_of_others(value):
            self.left_out.append(value["question_id"])
            return None
        if isinstance(value, dict) and isinstance(text := value.get(RESOURCES_FIELD), str):
            # The schema holds for what the text holds, too.
            value = {**value, RESOURCES_FIELD: parse_resources(text, self._literals, here)}
        if isinstance(value, dict) and value.get("error") and not paths_of_answers(value):
            # Other writers leave out what a question that failed has not, which the runner writes as null.
            value = {ANSWER_FIELD: None, RESOURCES_FIELD: None, **value}
        wrong = check_record(value, self._known, here)
        if not isinstance(value, dict):
            return None
        self._check_fields(value, wrong, here)
        has_failed = bool(value.get("error")) and not value.get(ANSWER_FIELD)
        if "question_id" not in wrong and has_failed and value["question_id"] in self.answered:
            message = phrase(
                "this attempt at {id} failed; an earlier record has its answer", id=value["question_id"]
            )
            here.warning(FhirCode.ATTEMPT_FAILED, (), message)
            return None
        task_id = None if "question_id" in wrong else self._read_task_id(value["question_id"], here)
        answer = self._read_answer(value.get(ANSWER_FIELD), here)
        resources = read_resources(value.get(RESOURCES_FIELD), here, self.summary)
        if self._patients and self._patients_outside(value, resources):
            self.summary.count(FhirCode.PATIENTS_OUTSIDE, here)
        failed = _has_failed(value.get("error"), here)
        usage = _read_usage(value.get("usage"), self._literals, here)
        self.usage_facts.add(_facts_of_usage(usage))
        if task_id is None:
            return None
        if answer is not None:
            self.answered.add(task_id)
        if is_not_run(value):
            self.summary.count(FhirCode.NOT_RUN, here)
            return None
        if is_runners_sentence(answer):
            message = phrase(
                "“{text}” is in the place of the answer: the question failed", text=quote(answer)
            )
            self.summary.count(FhirCode.RUNNERS_SENTENCE, here.at(ANSWER_FIELD), message)
        return AnswerRecord(
            task_id=task_id,
            answer=answer,
            resources=resources,
            failed=failed,
            usage=usage,
            has_trace=_has_trace(value.get("trace")),
        )

    def is_question(self, task_id: str) -> bool:
        """Return whether an id is that of a question; of any, where those of the board are not known."""
        return task_id in self._known if self._known else _QUESTION_ID.fullmatch(task_id) is not None

    def _is_of_others(self, value: Any) -> bool:
        task_id = value.get("question_id") if isinstance(value, dict) else None
        return isinstance(task_id, str) and not self.is_question(task_id)

    def _with_own_names(self, value: Any, here: Findings) -> tuple[Any, Findings]:
        """Return a record with our names of fields in the place of those of other writers, and its place."""
        if not isinstance(value, dict):
            return value, here
        names = {ours: other for ours, other in OTHER_NAMES.items() if ours not in value and other in value}
        if {RESOURCES_FIELD, OTHER_NAMES[RESOURCES_FIELD]} & value.keys() and ANSWER_FIELD not in value:
            # What was retrieved says that the record is of a run.
            said = [name for name in value if is_of_agent(name) and name != "answer"]
            names |= {ANSWER_FIELD: said[0]} if len(said) == 1 else {}
        if self.columns:
            columns = {"question_id": self.columns.task, ANSWER_FIELD: self.columns.answer_in(value)}
            names = {ours: other for ours, other in columns.items() if ours != other}
            value = {key: item for key, item in value.items() if key not in names}
        elif not names:
            return value, here
        for ours, other in names.items():
            message = phrase("`{other}` is read as `{field}`", other=other, field=ours)
            self._warn_once(FhirCode.FIELD_RENAMED, other, message, here)
        ours_of = {other: ours for ours, other in names.items()}
        value = {ours_of.get(name, name): item for name, item in value.items()}
        # Other writers leave the ids out of a file, which the runner never does.
        if RESOURCES_FIELD not in value and not paths_of_ids(value):
            value[RESOURCES_FIELD] = None
        if value.get(RESOURCES_FIELD, "") is None and not value.get("error"):
            self.summary.count(FhirCode.RESOURCES_UNKNOWN, here)
        return value, here.renaming({ours: (other,) for ours, other in names.items()})

    def _patients_outside(self, value: dict[str, Any], resources: Any) -> set[str]:
        """Return the patients named by a record, as its own or as retrieved, who are not the board's."""
        retrieved = resources.get("Patient") if isinstance(resources, Mapping) else None
        named = [value.get("patient_fhir_id"), *(retrieved if isinstance(retrieved, list) else ())]
        ids = {patient.rpartition("/")[2].strip() for patient in named if isinstance(patient, str)}
        return {patient for patient in ids if patient and patient not in self._patients}

    def _check_fields(self, value: dict[str, Any], wrong: set[str | int], here: Findings) -> None:
        # The problem of a missing field says which one to rename.
        renamed = {other for name in wrong for other in NAMES_OF_RUNNERS.get(str(name), ())}
        unknown = value.keys() - RUNNER_FIELDS - IGNORED_FIELDS - renamed
        for name in value if unknown else ():
            # A hostile file can use a different name in each record.
            if name in unknown and len(self._reported_fields) <= here.limits.listed:
                message = phrase(
                    "the format has no field `{name}`; it is ignored in every record", name=quote(name)
                )
                self._warn_once(FhirCode.FIELD_UNKNOWN, name, message, here)

    def _read_task_id(self, task_id: str, here: Findings) -> str | None:
        """Return the question's id, or None with a problem if it is unknown or repeated."""
        if task_id in self.first:
            here.problem(FhirCode.ID_REPEATED, ["question_id"], self._repeated_message(task_id, here))
        elif self._known and task_id not in self._known:
            message = phrase("{id} is not a question on this leaderboard", id=task_id)
            here.problem(FhirCode.ID_UNKNOWN, ["question_id"], message)
        else:
            self.first[task_id] = here.line or here.base[-1]
            return task_id
        return None

    def _repeated_message(self, task_id: str, here: Findings) -> Phrase:
        first = self.first[task_id]
        if here.line:
            return phrase("{id} is answered already by the record on line {line:,}", id=task_id, line=first)
        return phrase("{id} is answered already by record {number}", id=task_id, number=int(first) + 1)

    def _read_answer(self, answer: Any, here: Findings) -> Any:
        if answer is None:
            return None
        self.answer_count += 1
        if isinstance(answer, str):
            _check_length(answer, here)
            self.characters += min(len(answer), _JUDGED)
            return answer
        here.warning(FhirCode.ANSWER_NOT_A_STRING, [ANSWER_FIELD], _NOT_TEXT, fix=_answer_as_text(answer))
        answer = _finite(answer)
        text = cleaned_text(msgspec.json.encode(without_surrogates(answer)).decode())
        _check_length(text, here)
        self.characters += min(len(text), _JUDGED)
        return answer

    def _warn_once(self, code: FhirCode, name: str, message: Phrase, here: Findings) -> None:
        if name not in self._reported_fields:
            self._reported_fields.add(name)
            here.warning(code, [name], message)


def _answer_as_text(answer: Any) -> Fix | None:
    """Return the fix that writes a number, or a list of them or of texts, as text."""
    values = answer if isinstance(answer, list) else [answer]
    if not 0 < len(values) <= _MOST_JOINED or not all(map(_is_short_text, values)):
        return None
    try:
        return change_value(answer, ", ".join(map(str, values)))
    except ValueError:
        # Python prints no integer of more than 4,300 digits.
        return None


def _is_short_text(value: Any) -> bool:
    return type(value) in (str, int) or (type(value) is float and math.isfinite(value))


def _check_length(text: str, here: Findings) -> None:
    limit = here.limits.text_bytes
    if len(text) * 4 > limit and (count := len(text.encode(errors="surrogatepass"))) > limit:
        message = phrase(
            "the answer has {count:,} bytes; the limit is {limit}", count=count, limit=size(limit)
        )
        here.problem(DocumentCode.TEXT_TOO_LARGE, [ANSWER_FIELD], message)


def _has_failed(error: Any, here: Findings) -> bool:
    """Check whether the agent failed. Source: FHIR-AgentBench evaluator."""
    if error is None:
        return False
    if isinstance(error, str):
        return error.strip() not in ("", "nan")
    message = phrase("`error` is not text; the answer counts as wrong")
    # Of a value that says that there was no error, as some runners write it.
    fix = None if error else change_value(error, None)
    here.warning(FhirCode.ERROR_NOT_A_STRING, ["error"], message, fix=fix)
    return True


def _facts_of_usage(usage: Usage | None) -> Facts:
    """Return what the benchmark's runner states of an answer. A cost of 0 is one that it rounded."""
    if usage is None:
        return Facts()
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.llm_calls)
    prompt, completion, calls = (None if count is None else round(count) for count in counts)
    return Facts(input_tokens=prompt, output_tokens=completion, rounds=calls, cost_usd=usage.cost or None)


def _has_trace(value: Any) -> bool:
    if isinstance(value, str):
        # In a table it is text.
        return value.strip() not in ("", "[]", "nan")
    return isinstance(value, list | dict) and bool(value)


def _read_usage(value: Any, literals: LiteralParser, here: Findings) -> Usage | None:
    if isinstance(value, str):
        # In a table it is text.
        value = literals.parse(value, here) if len(value) <= here.limits.text_bytes else value
    if value is None:
        return None
    if not isinstance(value, dict):
        here.warning(
            FhirCode.USAGE_MALFORMED, ["usage"], phrase("`usage` is not an object; it is not counted")
        )
        return None
    figures: dict[str, float] = {}
    for name in _USAGE_FIELDS:
        figure = value.get(name)
        if name == "cost" and figure == 0 and value.get("llm_calls"):
            # The runner rounds each call to 4 places, so that a cheap model seems to be free.
            figure = None
        # In Python a bool is an int too.
        if isinstance(figure, int | float) and not isinstance(figure, bool) and 0 <= figure < math.inf:
            figures[name] = figure
            if figure > _MOST[name]:
                message = phrase("`{name}` is more than {limit:,}", name=name, limit=_MOST[name])
                here.problem(FhirCode.USAGE_TOO_LARGE, ["usage", name], message)
        elif figure is not None:
            message = phrase("`{name}` is not a number of 0 or more", name=name)
            here.warning(FhirCode.USAGE_MALFORMED, ["usage", name], message)
    return Usage(**figures) if figures else None


def _finite(value: Any) -> Any:
    """Replace numbers that JSON cannot hold: by text within `value`, at its top by a large one."""
    if isinstance(value, float) and abs(value) > _LARGEST:
        return _LARGEST
    if isinstance(value, list):
        return [_text_of_infinite(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _text_of_infinite(item) for key, item in value.items()}
    return value


def _text_of_infinite(value: Any) -> Any:
    return str(value) if isinstance(value, float) and abs(value) > _LARGEST else _finite(value)


def cleaned_text(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


def without_surrogates(value: Any) -> Any:
    """Replace halves of surrogate pairs in `value` by U+FFFD, because UTF-8 cannot hold them."""
    if isinstance(value, str):
        return cleaned_text(value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {cleaned_text(key): without_surrogates(item) for key, item in value.items()}
    return value
