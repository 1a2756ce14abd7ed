"""Tell conditions from runs of one system, by what each run states of itself beside its answers.

The table `conditions.tsv` has words of names: of a `system`, of what may differ between its runs (`other`;
`run` by itself; `number` at the end), of a `setting`, within which numbers and lists tell too, and of a
`limit`, a number that tells anywhere.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from os.path import commonprefix
from pathlib import PurePath
from typing import Any

from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.formats.attempts import Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.systems import RUN, listed, several_systems
from wardboard.scoring.reading.formats.values import TASK_ID, decoded, names_reference, words_beside, words_of
from wardboard.scoring.reading.limits import KIB
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

_ROWS, _MOST, _DEEPEST = 200, 500, 6  # rows that show what is the same, values of an object, and levels
_LONGEST, _MOST_KEYS, _LONGEST_SHOWN = 300, 5000, 40  # characters with an id, keys, characters shown
_MOST_FILES, _LARGEST = 200, 256 * KIB  # beside results, and bytes of each
_MOST_COMPARED = 500_000  # keys times files, beyond the first keys
_WORDS = {kind: frozenset(words) for kind, words in words_beside(__file__).items()}
# Addresses, times and ids, which differ between runs.
_VOLATILE = re.compile(
    r"(?i)(?<!\w)\w{2,9}://\S+|\d{4}-?\d\d-?\d\d(?:[t_ -]{1,2}[\d:.+-]+z?)?"
    r"|(?<![^\W_])(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,}(?:-[\da-f]{4,12})*(?![^\W_])"
)
_NUMBER = re.compile(r"[-+\d.,:%eE\s]*|NaN|-?Infinity")
_LINE = re.compile(r"^[ \t-]*(\w[\w.-]*)[ \t]*(?:[:=]([^\n#]*))?", re.MULTILINE)

# Keys that lead to a value -> that value, without what may differ between runs.
Stated = dict[tuple[str, ...], str]


def states_differ(stated: Mapping[str, Stated], findings: Findings) -> bool:
    """Return whether files state different things of their systems, which is reported.

    What only some of them state is no difference, unless it is left out of settings that they all have.
    """
    found = dict[tuple[str, ...], dict[str, str]]()
    most = min(_MOST_KEYS, max(100, _MOST_COMPARED // max(1, len(stated))))
    for keys in islice(dict.fromkeys(keys for own in stated.values() for keys in own), most):
        having = (name for name, own in stated.items() if keys in own or keys[:-1] in own)
        values = {name: stated[name].get(keys, "null") for name in having}
        if len({*values.values()}) > 1:
            found[keys] = values
    if found:
        files = defaultdict[tuple[str, ...], list[str]](list)
        for name in stated:
            files[tuple(values.get(name, "") for values in found.values())].append(name)
        # Name a model before other settings, and a value before what holds it.
        keys = min(found, key=lambda k: ("{…}" in found[k].values(), "model" not in k[-1], len(k), k))
        shown = {own: f"{own[:_LONGEST_SHOWN]} ({name})" for name, own in found[keys].items()}
        key, named = quote(".".join(keys[-3:])), listed([*shown.values()])
        message = phrase("files state different `{key}`: {values}", key=key, values=named)
        told = {name: f"{name}, {keys[-1]} {own[:_LONGEST_SHOWN]}" for name, own in found[keys].items()}
        groups = [(quote(told.get(own[0], own[0])), own) for own in files.values()]
        findings.add_problem(replace(several_systems(FormatCode.SEVERAL_SYSTEMS, groups), message=message))
    return bool(found)


def stated_by(rows: Iterator[Row]) -> Stated:
    """Return what the rows of a file state of a system, or the one object that holds its rows."""
    values = list[Any]()
    with suppress(Unreadable):
        values.extend(value for _, value in islice(rows, _ROWS))
    header = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}
    within = [header, *(each for each in header.values() if isinstance(each, dict))]
    lists = [each for parent in within for each in parent.values() if isinstance(each, list)]
    objects = [row for row in max(lists, key=len, default=values)[:_ROWS] if isinstance(row, dict)]
    first = objects[0].items() if objects else ()
    kept = {k for k, own in first if isinstance(own, dict) or all(row.get(k) == own for row in objects)}
    found = [stated_in({key: row[key] for key in kept & row.keys()}) for row in objects]
    same = set.intersection(*({*row.items()} for row in found)) if found else set[Any]()
    # In a single row, the answer is the same as in all.
    of_rows = {keys: own for keys, own in same if len(found) > 1 or _has("system", keys[-1])}
    return of_rows | stated_in(header if lists else {})


def stated_beside(
    head: Callable[[str, int], bytes], results: Iterable[str], others: Iterable[str]
) -> dict[str, Stated]:
    """Return what small files of settings and accounts, among `others`, state of the files of results."""
    stated = {name: Stated() for name in results}
    small = [name for name in others if name.endswith((".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"))]
    small = small[: min(_MOST_FILES, _MOST_COMPARED // 10 // max(1, len(stated)))]
    runs = {path: {found[0].casefold() for found in RUN.finditer(path)} for path in (*stated, *small)}
    for other in sorted(small, key=lambda path: (path.count("/"), path)):
        text = head(other, _LARGEST).decode("utf-8-sig", "replace")
        value = decoded(text, {name: value.strip("\"' \r") or "true" for name, value in _LINE.findall(text)})
        # It belongs to the results of its run, whose path begins alike: `run_1/a.yaml`, `m_2.args.json`.
        alike = {n: (len(runs[other] & runs[n]), len(commonprefix([other, n]))) for n in stated}  # noqa: RUF071
        kind = re.sub(r"\d+", "", PurePath(other).name)
        is_setting = _has("setting", *PurePath(other).parts[-2:])
        found, most = stated_in(value, (kind,), is_setting=is_setting), max(alike.values())
        for name, own in stated.items():
            if alike[name] == most and len(own) < _MOST_KEYS:
                own.update(found)
    return stated


def stated_in(value: Any, keys: tuple[str, ...] = (), *, is_setting: bool = False) -> Stated:
    """Return what a header, a row, or settings state of a system."""
    if not isinstance(value, dict | list):
        text = value if isinstance(value, str) else json.dumps(value)
        if "model" not in keys[-1] and len(text) < _LONGEST:
            text = _VOLATILE.sub("", RUN.sub(r"\1", text))
        if _NUMBER.fullmatch(text):
            tells = _has("limit", *keys[-2:]) or (is_setting and not keys[-1].isdigit())
            text = text.removesuffix(".0") if tells else ""
        return {keys: text} if text and not TASK_ID.search(text[:_LONGEST]) else {}
    items = value.items() if isinstance(value, dict) else enumerate(value) if is_setting else ()
    named = [(str(key), item) for key, item in items]
    held = [each for each in named if isinstance(value, list) or _may_tell(each[0], *keys[-1:])]
    stated: Stated = {keys: "{…}" if held else "null"} if is_setting else {}
    for key, item in held[:_MOST] if len(keys) < _DEEPEST else ():
        stated |= stated_in(item, (*keys, key), is_setting=is_setting or _has("setting", key))
    return stated


def _has(kind: str, *names: str) -> bool:
    return any(word in _WORDS[kind] for name in names for word in words_of(name))


def _may_tell(name: str, of: str = "") -> bool:
    """Return whether a value of this name, in what is named `of`, may tell of a system."""
    words = words_of(name)
    if not words or names_reference(name) or TASK_ID.search(name):
        return False
    if _has("other", name):
        return {"max", "tokens"} <= {*words}
    is_of_system = _has("system", name, *([of] if name == "id" else ()))
    return is_of_system or not (words[-1] in _WORDS["number"] or {*words} <= _WORDS["run"])
