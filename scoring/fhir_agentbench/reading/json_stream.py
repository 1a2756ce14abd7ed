"""The records of a JSON array, or one after another as in JSON Lines, one in memory at a time."""

import json
import re
from collections.abc import Iterator
from typing import Any

from scoring.fhir_agentbench.reading import limit_messages
from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.reading.codes import DocumentCode, ProblemCode
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.json_text import is_cut, object_of, slip_hint, syntax_remark
from scoring.reading.limits import MIB
from scoring.reading.lookalikes import text_kind
from scoring.reading.messages import say, say_n
from scoring.reading.nesting import limit_passed, pieces_of
from scoring.reading.problems import quote

# A record that is not yet whole is tried again when so many more characters are there: often enough to
# hold little at a time, and seldom enough for a large one.
_LEAST, _MOST = MIB, 4 * MIB
_SPACE = re.compile(r"[ \t\n\r]*")
# Where reading goes on behind a broken record: no text can hold this, since its quotes would be escaped.
_RECORD = re.compile(r'\{\s{0,200}"question_id"\s{0,200}:')
# What can stand behind a number at the end of the text when its digits may go on.
_MORE_DIGITS = re.compile(r"\.?|[eE][+-]?")
_OVERLAP = 500
_BEHIND, _SHOWN = 250, 30  # characters that a hint looks back at; shown on either side of a broken place
_BROKEN = 20  # broken records of an array after which reading ends
_DIGITS = 4300  # Python's own limit on reading an integer

Row = tuple[Findings, Any]  # the findings at the value's place, the value


def _constant(name: str) -> float | None:
    # Infinity is a number, which scores otherwise than null.
    return None if name == "NaN" else float(name)


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= _DIGITS else 0


_DECODER = json.JSONDecoder(object_pairs_hook=object_of, parse_constant=_constant)
_LENIENT = json.JSONDecoder(object_pairs_hook=object_of, parse_constant=_constant, parse_int=_integer)


class JsonStream:
    """The values of a text that comes in pieces. NaN is None; objects with repeated keys are `Repeated`.

    Problems go to `findings`. What ends the reading is raised as Unreadable, after all values before it.
    """

    def __init__(self, pieces: Iterator[str], findings: Findings) -> None:
        self._pieces, self._findings = pieces, findings
        self._text, self._at, self._done = "", 0, False
        self._late: Unreadable | None = None
        self._got = 0  # characters that the last piece added
        # The line that `_marked` is on, and the characters of the first line that are gone already.
        self._line, self._marked, self._gone = 1, 0, 0
        self.begun = self._whole = 0

    def peek(self) -> str:
        """Go to the next character that is no space and return it, "" at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def array(self) -> Iterator[Row]:
        """Yield the items of the array that begins here, and look at what follows it."""
        self._at += 1
        broken = 0
        while self.begun or self.peek() != "]":
            here = self._findings.at(self.begun)
            self.begun += 1
            try:
                if self.peek() in ("", "]"):
                    raise json.JSONDecodeError("Expecting value", self._text, self._at)
                yield from self._value(here)
                if self._ends():
                    break
            except json.JSONDecodeError as error:
                position = self._add_broken(error, here)
                broken += 1
                if broken > _BROKEN or not self._find_record(position):
                    return
        self._at += 1
        if mark := self.peek():
            self._raise_trailing(mark)

    def lines(self) -> Iterator[Row]:
        """Yield the values that stand one after another, as a rule one a line."""
        broken = 0
        while self.peek():
            here = self._findings.on_line(self._line_of(self._at))
            self.begun += 1
            try:
                yield from self._value(here)
            except json.JSONDecodeError as error:
                self._add_broken(error, here)
                broken += 1
                # A hostile file can have a broken line for every other byte.
                if broken > self._findings.limits.listed:
                    return
                self._pass_line()

    def _value(self, here: Findings) -> Iterator[Row]:
        """Yield the value that begins here, or remark on the limit that it passes, and go behind it.

        Raises JSONDecodeError where it is broken, Unreadable where it is too large to find its end.
        """
        decoder = _DECODER
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._done or not is_cut(self._text, error):
                    raise
                self._grow_value(here)
                continue
            except RecursionError:
                raise self._ended(DocumentCode.TOO_DEEP, here, too_deep=True) from None
            except ValueError:
                decoder = _LENIENT
                continue
            rest = self._text[end : end + 3]
            if self._done or not isinstance(value, int | float) or not _MORE_DIGITS.fullmatch(rest):
                break
            self._grow_value(here)
        passed = self._passed(end)
        self._at = end
        if decoder is _LENIENT:
            here.problem(DocumentCode.INTEGER_TOO_LONG, (), say("an integer has more than 4,300 digits"))
        elif passed:
            here.problem(passed, (), limit_messages.of_whole(passed, here.limits))
        else:
            self._whole += 1
            yield here, value
            # Before the next is read.
            del value

    def _passed(self, end: int) -> ProblemCode | None:
        """Return the limit that the text from here to `end` passes, None for none."""
        limits, text, at = self._findings.limits, self._text, self._at
        length = end - at
        if length * 4 > limits.record_bytes:
            data = length if text.isascii() else sum(map(len, pieces_of(text, at, end)))
            if data > limits.record_bytes:
                return FhirCode.TOO_LARGE
        return limit_passed(text, limits, at, end)

    def _grow_value(self, here: Findings) -> None:
        """Get more of the value that begins here. Raises Unreadable where it passes a limit already."""
        # Before more of it is read, since the parser makes an object of everything.
        if passed := self._passed(len(self._text)):
            raise self._ended(passed, here)
        self._grow()

    def _grow(self) -> bool:
        """Drop what was read and add what comes next; tell whether there was any."""
        if self._late:
            raise self._late
        # Some of what was read stays, to be shown beside a broken place.
        start = max(0, self._at - _BEHIND)
        kept = self._text[start:]
        self._line_of(self._at)
        self._gone = self._column_of(start) - 1
        parts, self._got = [kept], 0
        want = min(max(_LEAST, len(kept) // 2), _MOST)
        try:
            while self._got < want and not self._done:
                piece = next(self._pieces, None)
                self._done = piece is None
                parts.append(piece or "")
                self._got += len(piece or "")
        except Unreadable as error:
            self._late = error
        # The old text first: a text with one wide character takes four bytes for each.
        self._text = ""
        self._text, self._at, self._marked = "".join(parts), self._at - start, self._marked - start
        if self._late and not self._got:
            raise self._late
        return self._got > 0

    def _ends(self) -> bool:
        """Go behind the comma after an item, or to the bracket that ends the array; tell whether it ends."""
        mark = self.peek()
        if mark not in (",", "]"):
            raise json.JSONDecodeError("Expecting ',' delimiter", self._text, self._at)
        self._at += mark == ","
        return mark == "]"

    def _find_record(self, start: int) -> bool:
        """Go to the next text from `start` on that begins like a record."""
        self._at = start
        while True:
            if found := _RECORD.search(self._text, self._at):
                self._at = found.start()
                return True
            self._at = max(self._at, len(self._text) - _OVERLAP)
            if not self._grow():
                return False

    def _pass_line(self) -> None:
        while (end := self._text.find("\n", self._at)) < 0:
            self._at = len(self._text)
            if not self._grow():
                return
        self._at = end + 1

    def _line_of(self, position: int) -> int:
        """Return the line of `position`; positions are asked for in ascending order."""
        if position > self._marked:
            self._line += self._text.count("\n", self._marked, position)
            self._marked = position
        return self._line

    def _column_of(self, position: int) -> int:
        last = self._text.rfind("\n", 0, position)
        return position - last if last >= 0 else self._gone + position + 1

    def _ended(self, code: ProblemCode, here: Findings, *, too_deep: bool = False) -> Unreadable:
        """Return what to say of the record that begins here, and ends the reading.

        too_deep: it is nested more deeply than the interpreter can go.
        """
        line = self._line_of(self._at)
        return Unreadable(
            code,
            limit_messages.of_begun(code, line, here.limits, too_deep=too_deep),
            line=line,
            steps=here.base,
        )

    def _add_broken(self, error: json.JSONDecodeError, here: Findings) -> int:
        """Add what is wrong where the parser stopped, and return that place, which may have moved.

        Raises Unreadable where that ends all.
        """
        at = self._with_more(error.pos)
        text = self._text
        line = self._line + text.count("\n", self._marked, at)
        if self.begun == 1 and (kind := text_kind(text, at)):
            raise Unreadable(*kind, line=line)
        if is_cut(text, json.JSONDecodeError(error.msg, text, at)):
            line = self._line + text.count("\n", self._marked)
            message = say_n(
                "the text ends too early, on line {line:,}, column {column:,}, after {n:,} whole record",
                "the text ends too early, on line {line:,}, column {column:,}, after {n:,} whole records",
                self._whole,
                line=line,
                column=self._column_of(len(text)),
            )
            raise Unreadable(DocumentCode.TRUNCATED, message, line=line)
        begins = max(at - _SHOWN, text.rfind("\n", 0, at) + 1)
        excerpt = quote(text[begins : at + _SHOWN].partition("\n")[0])
        message = syntax_remark(error, line, self._column_of(at), excerpt)
        trouble = Unreadable(
            DocumentCode.SYNTAX, message, hint=slip_hint(text, at), line=line, steps=here.base
        )
        self._findings.problems.add(trouble.problem)
        return at

    def _with_more(self, position: int) -> int:
        """Have the text reach so far beyond `position` that it can be shown; return where that is now."""
        try:
            while len(self._text) < position + _SHOWN:
                before = len(self._text)
                more = self._grow()
                position -= before - len(self._text) + self._got
                if not more:
                    break
        except Unreadable:
            # Raised again when reading comes to it.
            pass
        return position

    def _raise_trailing(self, mark: str) -> None:
        line = self._line_of(self._at)
        if mark in "[{":
            message = say_n(
                "another JSON document begins on line {line:,}, behind the list of {n:,} record",
                "another JSON document begins on line {line:,}, behind the list of {n:,} records",
                self.begun,
                line=line,
            )
            hint = say("Put all records into one list.")
            raise Unreadable(DocumentCode.SEVERAL, message, hint=hint, line=line)
        message = say_n(
            "text follows on line {line:,}, behind the list of {n:,} record",
            "text follows on line {line:,}, behind the list of {n:,} records",
            self.begun,
            line=line,
        )
        raise Unreadable(DocumentCode.TRAILING, message, line=line)
