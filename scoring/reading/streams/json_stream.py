"""Read the records of a JSON array, of a list in an object, or of JSON Lines, one in memory at a time."""

import json
import re
from collections.abc import Iterator
from typing import Any

from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.json_text import (
    Repeated,
    hint_on_slip,
    is_cut,
    long_integer,
    object_of,
    repeated_key,
    syntax_remark,
)
from wardboard.scoring.reading.limits import MIB, size
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.nesting import complexity_message, exceeded_limit, utf8_pieces
from wardboard.scoring.reading.problems import quote

# Parsing an incomplete record is tried again after this many more characters: often enough to hold little
# in memory, and seldom enough to be fast for a large record.
_LEAST_GROWTH, _MOST_GROWTH = MIB, 4 * MIB
_SPACE = re.compile(r"[ \t\n\r]*")
# Where reading resumes after a broken record. Text cannot contain this: its quotes would be escaped.
_RECORD = re.compile(r'\{\s{0,200}"question_id"\s{0,200}:')
# A record that begins on a line of its own. The pattern needs no more text than is there after an error.
_NEXT_RECORD = re.compile(r'\r?\n *(?=\{ ?"question_id")')
# The end of a text after which the digits of a number may continue.
_MORE_DIGITS = re.compile(r"\.?|[eE][+-]?")
_OVERLAP = 500
_LOOK_BACK, _EXCERPT = 250, 30  # characters before an error for its hint; and shown on either side of it
_MOST_BROKEN = 20  # broken records in an array after which reading ends
_DIGITS = 4300  # Python's own limit on reading an integer

Row = tuple[Findings, Any]  # the findings at the value's place, the value


def _parse_constant(name: str) -> float | None:
    # Infinity is a number, which is scored differently from null.
    return None if name == "NaN" else float(name)


_DECODER = json.JSONDecoder(object_pairs_hook=object_of, parse_constant=_parse_constant)
_LENIENT = json.JSONDecoder(
    object_pairs_hook=object_of,
    parse_constant=_parse_constant,
    parse_int=lambda digits: int(digits) if len(digits) <= _DIGITS else 0,
)


class JsonStream:
    """The values of a text that comes in pieces.

    NaN becomes None. Problems, and warnings of repeated keys, are added to `findings`.
    A problem that ends the reading is raised as Unreadable, after all values before it were yielded.
    """

    def __init__(self, pieces: Iterator[str], findings: Findings) -> None:
        self._pieces, self._findings = pieces, findings
        self._text, self._at, self._has_ended = "", 0, False
        self._pending_error: Unreadable | None = None
        self._added = 0  # characters that the last piece added
        # The line of a position, that position, and the characters of the first line dropped from `_text`.
        self._line, self._line_position, self._dropped = 1, 0, 0
        self.started = self._completed = 0
        self._is_broken = False  # after a broken record, no other one was found

    def peek(self) -> str:
        """Go to the next character that is not a space and return it, "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def array(self) -> Iterator[Row]:
        """Yield the items of the array that begins here, then check that nothing follows it."""
        yield from self._items(self._findings)
        self._end()

    def members(self, streamed: str) -> Iterator[tuple[str, Any]]:
        """Yield the key and the value of each member of the object that begins here; None for a large value.

        The value of the key `streamed`, if it is a list, is an iterator of its items, to be read before the
        next member. What is broken is reported, and ends the reading.
        """
        self._at += 1
        try:
            while self.peek() != "}":
                key = self._value(self._findings)
                if not isinstance(key, str) or self.peek() != ":":
                    raise json.JSONDecodeError("Expecting ':' delimiter", self._text, self._at)
                self._at += 1
                here = self._findings.at(key)
                yield key, self._items(here) if self.peek() == "[" and key == streamed else self._value(here)
                if self._is_broken or self._skip_separator("}"):
                    break
        except json.JSONDecodeError as error:
            self._report_broken(error, self._findings)
            return
        self._at += 1
        self._end()

    def _items(self, findings: Findings) -> Iterator[Row]:
        """Yield the items of the array that begins here, at whose place `findings` are, and go past it."""
        self._at += 1
        broken = 0
        while self.started or self.peek() != "]":
            here = findings.at(self.started)
            self.started += 1
            try:
                if self.peek() in ("", "]"):
                    raise json.JSONDecodeError("Expecting value", self._text, self._at)
                yield from self._read_record(here)
                if self._skip_separator("]"):
                    break
            except json.JSONDecodeError as error:
                position = self._report_broken(error, here)
                broken += 1
                if broken > _MOST_BROKEN or not self._seek_record(position):
                    self._is_broken = True
                    return
        self._at += 1

    def _end(self) -> None:
        """Raise Unreadable if something follows the document, unless a broken record has no end."""
        if self._is_broken or not (character := self.peek()):
            return
        line = self._line_of(self._at)
        if character in "[{":
            message = phrase("another JSON document begins on line {line:,}, behind the list", line=line)
            raise Unreadable(DocumentCode.SEVERAL, message, line=line)
        message = phrase("text follows on line {line:,}, behind the list", line=line)
        raise Unreadable(DocumentCode.AROUND, message, line=line)

    def lines(self) -> Iterator[Row]:
        """Yield the values that follow one another, usually one per line."""
        broken = 0
        while self.peek():
            here = self._findings.on_line(self._line_of(self._at))
            self.started += 1
            try:
                yield from self._read_record(here)
            except json.JSONDecodeError as error:
                self._report_broken(error, here)
                broken += 1
                # Every second byte of a hostile file can be a broken line.
                if broken > self._findings.limits.listed:
                    return
                self._skip_line()

    def _value(self, here: Findings) -> Any:
        return next((value for _, value in self._read_value(here)), None)

    def _read_record(self, here: Findings) -> Iterator[Row]:
        for row in self._read_value(here):
            self._completed += 1
            yield row
            # Free this value before the next one is read.
            del row

    def _read_value(self, here: Findings) -> Iterator[Row]:
        """Yield the value that begins here, or report the limit that it exceeds, and move past it.

        Raises JSONDecodeError if it is broken, Unreadable if it is too large to find its end.
        """
        decoder = _DECODER
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._has_ended or not is_cut(self._text, error):
                    raise
                self._grow_value(here)
                continue
            except RecursionError:
                message = complexity_message(here.limits, "depth")
                raise self._unfinished(DocumentCode.TOO_COMPLEX, message, here) from None
            except ValueError:
                decoder = _LENIENT
                continue
            rest = self._text[end : end + 3]
            if self._has_ended or not isinstance(value, int | float) or not _MORE_DIGITS.fullmatch(rest):
                break
            self._grow_value(here)
        exceeded = self._exceeded_limit(end)
        self._at = end
        if decoder is _LENIENT:
            here.problem(DocumentCode.TOO_COMPLEX, (), long_integer())
        elif exceeded:
            code, message = exceeded
            here.problem(code, (), message)
        else:
            _warn_of_repeated_keys(value, here)
            yield here, value
            # Free this value before the next one is read.
            del value

    def _exceeded_limit(self, end: int) -> tuple[ProblemCode, Phrase] | None:
        """Return the code and the message of the limit that the text from here to `end` exceeds, or None."""
        limits, text, at = self._findings.limits, self._text, self._at
        length = end - at
        if length * 4 > limits.record_bytes:
            byte_count = length if text.isascii() else sum(map(len, utf8_pieces(text, at, end)))
            if byte_count > limits.record_bytes:
                message = phrase("the record is larger than {limit}", limit=size(limits.record_bytes))
                return DocumentCode.RECORD_TOO_LARGE, message
        exceeded = exceeded_limit(text, limits, at, end)
        return (DocumentCode.TOO_COMPLEX, complexity_message(limits, exceeded)) if exceeded else None

    def _grow_value(self, here: Findings) -> None:
        """Get more of the value that begins here. Raises Unreadable if it already exceeds a limit."""
        # Check before more is read, because the parser creates an object for every value.
        if exceeded := self._exceeded_limit(len(self._text)):
            raise self._unfinished(*exceeded, here)
        self._grow()

    def _grow(self) -> bool:
        """Drop the text already read and append the next; return whether there was any."""
        if self._pending_error:
            raise self._pending_error
        # Some of the text already read is kept, to be quoted in messages about an error.
        start = max(0, self._at - _LOOK_BACK)
        kept = self._text[start:]
        self._line_of(self._at)
        self._dropped = self._column_of(start) - 1
        parts, self._added = [kept], 0
        growth = min(max(_LEAST_GROWTH, len(kept) // 2), _MOST_GROWTH)
        try:
            while self._added < growth and not self._has_ended:
                piece = next(self._pieces, None)
                self._has_ended = piece is None
                parts.append(piece or "")
                self._added += len(piece or "")
        except Unreadable as error:
            self._pending_error = error
        # The old text is freed first: one wide character makes a text take four bytes per character.
        self._text = ""
        self._text, self._at = "".join(parts), self._at - start
        self._line_position -= start
        if self._pending_error and not self._added:
            raise self._pending_error
        return self._added > 0

    def _skip_separator(self, end: str) -> bool:
        """Skip the comma after an item or a member; return whether `end` is here instead."""
        character = self.peek()
        if character not in (",", end):
            raise json.JSONDecodeError("Expecting ',' delimiter", self._text, self._at)
        self._at += character == ","
        return character == end

    def _seek_record(self, start: int) -> bool:
        """Go to the next position from `start` that begins like a record; return whether one does."""
        self._at = start
        while True:
            if match := _RECORD.search(self._text, self._at):
                self._at = match.start()
                return True
            self._at = max(self._at, len(self._text) - _OVERLAP)
            if not self._grow():
                return False

    def _skip_line(self) -> None:
        while (end := self._text.find("\n", self._at)) < 0:
            self._at = len(self._text)
            if not self._grow():
                return
        self._at = end + 1

    def _line_of(self, position: int) -> int:
        """Return the line of `position`. Positions must be passed in ascending order."""
        if position > self._line_position:
            self._line += self._text.count("\n", self._line_position, position)
            self._line_position = position
        return self._line

    def _column_of(self, position: int) -> int:
        last = self._text.rfind("\n", 0, position)
        return position - last if last >= 0 else self._dropped + position + 1

    def _unfinished(self, code: ProblemCode, what: Phrase, here: Findings) -> Unreadable:
        """Return the problem of the record that begins here, exceeds a limit, and ends the reading."""
        line = self._line_of(self._at)
        message = phrase(
            "{what}; it begins on line {line:,}, and the rest was not read",
            what=what,
            line=line,
        )
        return Unreadable(code, message, line=line, steps=here.base)

    def _report_broken(self, error: json.JSONDecodeError, here: Findings) -> int:
        """Add the problem at which the parser stopped; return where to look for the next record.

        Raises Unreadable if reading cannot go on.
        """
        at = self._extend_text(error.pos)
        text = self._text
        line = self._line + text.count("\n", self._line_position, at)
        if self.started == 1 and (kind := text_kind(text, at)):
            raise Unreadable(*kind, line=line)
        if is_cut(text, json.JSONDecodeError(error.msg, text, at)):
            line = self._line + text.count("\n", self._line_position)
            column = self._column_of(len(text))
            message = phrase_n(
                "the text ends too early, on line {line:,}, column {column:,}, after {n:,} whole record",
                "the text ends too early, on line {line:,}, column {column:,}, after {n:,} whole records",
                self._completed,
                line=line,
                column=column,
            )
            raise Unreadable(DocumentCode.TRUNCATED, message, line=line, column=column)
        cut = _NEXT_RECORD.search(text, self._at, at + _EXCERPT)
        after = at
        if cut and cut.start() <= at:
            after = cut.end()
            # The record stops before the next one begins, and the parser fails only in that.
            line = self._line + text.count("\n", self._line_position, cut.start())
            column = self._column_of(cut.start())
            message = phrase(
                "it ends too early, on line {line:,}, column {column:,}: the next record begins on line "
                "{next:,}",
                line=line,
                column=column,
                next=line + 1,
            )
            hint: Phrase | None = phrase("Complete the record, or delete what there is of it.")
        else:
            begins = max(at - _EXCERPT, text.rfind("\n", 0, at) + 1)
            excerpt = quote(text[begins : at + _EXCERPT].partition("\n")[0])
            column = self._column_of(at)
            message = syntax_remark(error, line, column, excerpt)
            hint = hint_on_slip(text, at)
        broken = Unreadable(DocumentCode.SYNTAX, message, hint, line=line, column=column, steps=here.base)
        self._findings.add_problem(broken.problem)
        return after

    def _extend_text(self, position: int) -> int:
        """Read on until there is an excerpt after `position`; return the position, which may move."""
        try:
            while len(self._text) < position + _EXCERPT:
                before = len(self._text)
                more = self._grow()
                position -= before - len(self._text) + self._added
                if not more:
                    break
        except Unreadable:
            # It is raised again when reading reaches it.
            pass
        return position


def _warn_of_repeated_keys(value: Any, here: Findings) -> None:
    """Add a warning for each repeated key of a record, and of the objects that are its fields."""
    fields = value.items() if isinstance(value, dict) else ()
    for steps, item in ((), value), *(((name,), field) for name, field in fields):
        # Keep the order of the file, which a set loses.
        for key in item if isinstance(item, Repeated) else ():
            if key in item.repeated and here.warnings.wants(DocumentCode.DUPLICATE_KEY):
                here.warning(DocumentCode.DUPLICATE_KEY, steps, repeated_key(key))
            elif key in item.repeated:
                here.warnings.count(DocumentCode.DUPLICATE_KEY)
