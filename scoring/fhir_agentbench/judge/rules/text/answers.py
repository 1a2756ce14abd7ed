"""An answer to judge, whose parts are read when a rule needs them."""

import re
from functools import cached_property

from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate, blank_dates, find_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import (
    MOST_CHARACTERS,
    normalise,
    sentences,
    stem,
    words,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number, find_numbers, hours_in
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import Stance, read_stance

_HEX = "[0-9a-fA-F]"
_ID = re.compile(
    rf"\b{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}\b"
    # Long digit strings, but not the decimals of a number.
    rf"|(?<![.,\d])\b\d{{7,}}\b(?![.,]\d)|(?<![.,])\b(?=\d*[a-fA-F]){_HEX}{{16,}}\b"
    r"|\b[A-Za-z]{4,31}/(?=[\w.-]{0,63}\d)[\w.-]{1,64}|https?://[^\s'\"<>]{1,300}"
    r"|\b[Pp]atient (?:(?:id|ID|with id|with ID|fhir id|FHIR ID) )?#?\d+\b"
)
# "ICU visit 3", "table 3": a label, not a count.
_LABEL = re.compile(
    r"\b(?:(?:visit|stay|encounter|admission|table|step|figure|page|case|row|column|option|item|line|"
    r"stage|phase|grade|"
    r"type|version|day|week|class|section|chapter|part|question|example|no\.)(?: no\.?| number)?|"
    r"(?:room|bed|floor)(?: is| no\.?| number)?) ?#?$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\d/]")
_BULLET = re.compile(r"^\s{0,8}[-*•]\s", re.MULTILINE)
_ITEM = re.compile(r"^\s{0,8}(\d{1,3})[.)]\s", re.MULTILINE)
_RESOURCE = re.compile(r"""["']?resourceType["']?\s*:|["'](?:fullUrl|coding|effectiveDateTime)["']\s*:""")


class Answer:
    """Hold the normalised text of an answer.

    - is_data: it is printed data, not words.
    - is_cut: only its beginning was read.
    """

    def __init__(self, text: str, question: ParsedQuestion) -> None:
        self.original = text
        self.is_cut = len(text) > MOST_CHARACTERS
        self.question = question
        self.text = normalise(text)
        is_printed = self.text[:1] in ("{", "[") and len(self.text) > 1
        self.is_data = is_printed or bool(_RESOURCE.search(self.text))

    @cached_property
    def stance(self) -> Stance:
        # Words in printed data are not a stance.
        return read_stance("" if self.is_data else self.without_ids)

    @cached_property
    def dates(self) -> list[WrittenDate]:
        return find_dates(self.text)

    @cached_property
    def without_ids(self) -> str:
        """The text with identifiers blanked out: they do not answer a question."""
        return without_ids(self.text)

    @cached_property
    def is_question(self) -> bool:
        """Whether the whole answer is a single question."""
        return self.text.endswith("?") and len(sentences(self.text)) == 1

    @cached_property
    def words(self) -> list[str]:
        return words(self.without_ids)

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers that the answer gives, without dates, labels and echoes of the question."""
        text = self.without_dates
        return [
            number
            for number in self.all_numbers
            if not self._is_echo(number, text) and not _is_label(number, text)
        ]

    @cached_property
    def all_numbers(self) -> list[Number]:
        """All numbers except those in dates and identifiers."""
        return find_numbers(self.without_dates)

    @cached_property
    def without_dates(self) -> str:
        """The text with identifiers, list markers and dates blanked out; positions do not change."""
        text = self.without_ids
        for marker in (*_BULLET.finditer(text), *_items_of_lists(text)):
            text = f"{text[: marker.start()]}{' ' * len(marker[0])}{text[marker.end() :]}"
        return blank_dates(text, self.dates)

    def writes(self, number: float) -> bool:
        """Check whether `number` is in the text in a way that may not have been read, but in no full date."""
        text = self.without_ids
        for date in self.dates:
            if date.year:
                text = f"{text[: date.start]}{' ' * (date.end - date.start)}{text[date.end :]}"
        return re.search(rf"(?<![\d.,]){re.escape(f'{abs(number):g}')}(?![\d])", text) is not None

    @cached_property
    def new_dates(self) -> list[WrittenDate]:
        """The dates that are not in the question."""
        return [date for date in self.dates if not any(map(date.same_day, self.question.dates))]

    def _is_echo(self, number: Number, text: str) -> bool:
        written = stem(text[number.start : number.end].strip().rstrip("."))
        pairs = self.question.pairs
        unit = f"{written}%" if number.after == "%" else written
        if unit != written and unit in self.question.words:
            return True
        return (written, number.after) in pairs or (
            (stem(number.before), written) in pairs and number.before not in ("is", "was", "of", "to")
        )


def without_ids(text: str) -> str:
    """Return `text` with spaces in place of identifiers."""
    return _ID.sub(lambda match: " " * len(match[0]), text) if _NUMBERED.search(text) else text


def _items_of_lists(text: str) -> list[re.Match[str]]:
    """Return the numbers that count the items of a list: "70. (final)" opens none, as no item 71 follows."""
    found = list(_ITEM.finditer(text))
    numbers = [int(match[1]) for match in found]
    return [
        match
        for index, match in enumerate(found)
        if numbers[index] + 1 in numbers[index + 1 : index + 2]
        or numbers[index] - 1 in numbers[max(0, index - 1) : index]
    ]


def _is_label(number: Number, text: str) -> bool:
    before = text[max(0, number.start - 24) : number.start]
    if hours_in(number.after):
        return False
    return text[number.start].isdigit() and _LABEL.search(before) is not None
