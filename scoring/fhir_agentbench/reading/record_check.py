"""Checking the records of a submission one by one, and making of each what scoring needs."""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.fhir_agentbench.reading.records import AnswerRecord, Usage
from scoring.fhir_agentbench.reading.resources import FIELD, Literals, read_resources
from scoring.fhir_agentbench.reading.summary_warnings import SlipCount
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Findings
from scoring.reading.documents import size
from scoring.reading.json_text import Repeated, repeated_key
from scoring.reading.limits import Limits
from scoring.reading.messages import Said, say
from scoring.reading.problems import quote

ANSWER = "agent_answer"
# Read, or known and passed over: what the runner writes, the columns of the question file, and their like.
FIELDS = frozenset(
    {"question_id", ANSWER, FIELD, "error", "usage", "trace"}
    | {"question", "true_answer", "assumption", "question_with_context", "patient_fhir_id"}
    | {"true_fhir_ids", "template"}
)
FIGURES = Usage.__struct_fields__
_HEX = re.compile(r"[0-9a-f]{24}")
_NOISE = re.compile(r"[^0-9a-f]+")
_LONGEST_ID = 100
_LARGEST = sys.float_info.max
_SURROGATE = re.compile("[\ud800-\udfff]")
# Made once: a file can earn one of these for each of its records.
_OBJECT = say("the answer is an object; it is judged as it is printed")
_SHORT_LIST = say("the answer is a list of one item or none; it is judged as it is printed")
_LONG_LIST = say(
    "the answer is a list of several items; it counts as wrong, unless there is no answer and it says so"
)
_NUMBER = say("the answer is a number, true or false; it counts as wrong")


class RecordCheck:
    """Looks at one record after another; remarks go to the findings that each comes with."""

    def __init__(self, task_ids: Sequence[str], limits: Limits) -> None:
        self.slips = SlipCount()
        self._literals = Literals(limits.literals_bytes)
        self._task_ids, self._known = task_ids, frozenset(task_ids)
        self.first: dict[str, int] = {}  # the line of each question's record, or its place in the list
        self._said: set[str] = set()
        self.answered = 0

    def missing(self) -> list[str]:
        """Return the questions of the board without a record so far, in their order."""
        return [task_id for task_id in self._task_ids if task_id not in self.first]

    def read(self, value: Any, here: Findings) -> AnswerRecord | None:
        """Return the record that `value` is, None where it is none. A record is of use only if there is no
        problem in all of the file. Raises Unreadable where nothing behind it is to be read."""
        if not isinstance(value, dict):
            here.problem(FhirCode.NOT_AN_OBJECT, (), say("this is no object"))
            return None
        if isinstance(value, Repeated):
            for key in sorted(value.repeated):
                here.warning(DocumentCode.DUPLICATE_KEY, (), repeated_key(key))
        self._check_fields(value, here)
        task_id = self._task_id(value, here)
        answer = self._answer(value, here)
        if FIELD not in value:
            here.problem(FhirCode.RESOURCES_MISSING, (), say("`{field}` is missing", field=FIELD))
        resources, slips = read_resources(value.get(FIELD), self._literals, here)
        self.slips.add(slips, here.at(FIELD))
        failed = _failed(value.get("error"), here)
        usage = _usage(value.get("usage"), self._literals, here)
        if task_id is None:
            return None
        return AnswerRecord(task_id=task_id, answer=answer, resources=resources, failed=failed, usage=usage)

    def _check_fields(self, value: dict[str, Any], here: Findings) -> None:
        if value.keys() <= FIELDS:
            return
        for name in value:
            # A hostile file can have a name of its own in each record.
            if name not in FIELDS and len(self._said) <= here.limits.listed:
                message = say(
                    "there is no field `{name}` in the format; it is not read in any record", name=quote(name)
                )
                self._say_once(FhirCode.FIELD_UNKNOWN, [name], message, here, name=name)

    def _task_id(self, value: dict[str, Any], here: Findings) -> str | None:
        """Return the id of the question; remark on one that is unknown or was there before."""
        task_id = value.get("question_id")
        where = ["question_id"]
        if task_id is None:
            # Null is what a table without the value holds.
            if "question_id" in value:
                here.problem(FhirCode.ID_MISSING, where, say("`{field}` is null", field="question_id"))
            else:
                here.problem(FhirCode.ID_MISSING, (), say("`{field}` is missing", field="question_id"))
        elif not isinstance(task_id, str):
            here.problem(FhirCode.ID_NOT_A_STRING, where, say("`question_id` is not a string"))
        elif task_id in self.first:
            here.problem(FhirCode.ID_REPEATED, where, self._repeated(task_id, here))
        elif task_id in self._known or (not self._known and _HEX.fullmatch(task_id)):
            self.first[task_id] = here.line or int(here.base[0])
            return task_id
        else:
            self._remark_unknown(task_id, here)
        return None

    def _repeated(self, task_id: str, here: Findings) -> Said:
        first = self.first[task_id]
        if here.line:
            return say("{id} is answered already by the record on line {line:,}", id=task_id, line=first)
        return say(
            "{id} is answered already by record {position} (counted from 0)", id=task_id, position=first
        )

    def _remark_unknown(self, task_id: str, here: Findings) -> None:
        near = _NOISE.sub("", task_id.lower()) if len(task_id) <= _LONGEST_ID else ""
        hint = say("Write {id} if that is meant.", id=near) if near in self._known else None
        if _HEX.fullmatch(task_id):
            message = say("{id} is no question of this board", id=task_id)
            here.problem(FhirCode.ID_UNKNOWN, ["question_id"], message, hint)
        else:
            message = say("“{id}” is not 24 digits of 0-9 and a-f", id=quote(task_id))
            here.problem(FhirCode.ID_MALFORMED, ["question_id"], message, hint)

    def _answer(self, value: dict[str, Any], here: Findings) -> Any:
        answer = value.get(ANSWER)
        if answer is None:
            if ANSWER not in value:
                here.problem(FhirCode.ANSWER_MISSING, (), say("`{field}` is missing", field=ANSWER))
            return None
        self.answered += 1
        if isinstance(answer, str):
            _check_length(answer, here)
            return answer
        here.warning(FhirCode.ANSWER_NOT_A_STRING, [ANSWER], _says(answer))
        answer = _finite(answer)
        _check_length(cleaned_text(msgspec.json.encode(without_surrogates(answer)).decode()), here)
        return answer

    def _say_once(
        self, code: FhirCode, steps: Sequence[str], message: Said, here: Findings, *, name: str = ""
    ) -> None:
        key = f"{code.value} {name}"
        if key not in self._said:
            self._said.add(key)
            here.warning(code, steps, message)


def _says(answer: Any) -> Said:
    """Return what officially becomes of an answer that is not text."""
    if isinstance(answer, dict):
        return _OBJECT
    if isinstance(answer, list):
        return _SHORT_LIST if len(answer) <= 1 else _LONG_LIST
    return _NUMBER


def _check_length(text: str, here: Findings) -> None:
    limit = here.limits.text_bytes
    if len(text) * 4 > limit and (count := len(text.encode(errors="surrogatepass"))) > limit:
        message = say("the answer has {count:,} bytes; the limit is {limit}", count=count, limit=size(limit))
        here.problem(FhirCode.ANSWER_TOO_LARGE, [ANSWER], message)


def _failed(error: Any, here: Findings) -> bool:
    """Tell whether the agent failed. Source: FHIR-AgentBench, its evaluator (specification 4.1)."""
    if error is None:
        return False
    if isinstance(error, str):
        return error.strip() not in ("", "nan")
    here.warning(
        FhirCode.ERROR_NOT_A_STRING, ["error"], say("`error` is not text; the answer counts as wrong")
    )
    return True


def _usage(value: Any, literals: Literals, here: Findings) -> Usage | None:
    if isinstance(value, str):
        # A table holds it as text.
        limits = here.limits
        value = literals.parse(value, limits) if len(value) <= limits.text_bytes else value
    if value is None:
        return None
    if not isinstance(value, dict):
        here.warning(FhirCode.USAGE_MALFORMED, ["usage"], say("`usage` is no object; it is not counted"))
        return None
    figures: dict[str, float] = {}
    for name in FIGURES:
        figure = value.get(name)
        # A bool is an int too, and counts nothing.
        if isinstance(figure, int | float) and not isinstance(figure, bool) and 0 <= figure <= _LARGEST:
            figures[name] = figure
        elif figure is not None:
            message = say("`{name}` is no number of 0 or more", name=name)
            here.warning(FhirCode.USAGE_MALFORMED, ["usage", name], message)
    return Usage(**figures) if figures else None


def _finite(value: Any) -> Any:
    """Return `value` with what no JSON has replaced: as text within, as a large number by itself."""
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
    """Return `value`, of a record, with U+FFFD for halves of surrogate pairs, which UTF-8 cannot hold."""
    if isinstance(value, str):
        return cleaned_text(value)
    # A literal can hold the other two.
    if isinstance(value, (list, tuple, set)):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {cleaned_text(key): without_surrogates(item) for key, item in value.items()}
    return value
