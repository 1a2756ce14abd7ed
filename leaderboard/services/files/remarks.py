"""Convert remarks on a file to and from the JSON that a submission stores.

A stored remark has the fields of the API, in English, and beside them the template and values of its texts,
from which a page can show it in another language. Remarks without templates are shown in English.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wardboard.scoring.reading.messages import Phrase, phrase_from_parts
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid

_TEXTS = ("message", "hint")
_PARTS = "text_parts"  # the key of templates and values, in the database only


def columns_of(*, problems: Remarks | None = None, warnings: Remarks) -> dict[str, Any]:
    """Return the columns of a submission with the remarks on its file."""
    remarks = {"warning": warnings} | ({} if problems is None else {"problem": problems})
    columns: dict[str, Any] = {}
    for name, each in remarks.items():
        columns |= {
            f"{name}s": [_as_stored(remark) for remark in each.listed],
            f"{name}_count": each.total,
            f"{name}s_by_code": dict(each.counts),
        }
    return columns


def report_columns(rejection: SubmissionInvalid) -> dict[str, Any]:
    """Return the columns of a rejected submission: its report, of whose file nothing else is kept."""
    columns = columns_of(problems=rejection.problems, warnings=rejection.warnings)
    return {**columns, "kept_bytes": len(json.dumps(columns))}


def without_parts(stored: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return stored remarks as the API shows them."""
    return [{key: value for key, value in remark.items() if key != _PARTS} for remark in stored]


def restore_texts(stored: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return stored remarks with translatable texts, where their templates are known."""
    return [public | _texts(remark) for public, remark in zip(without_parts(stored), stored, strict=True)]


def _as_stored(remark: Problem) -> dict[str, Any]:
    # A text without values is its own template.
    texts = {"message": remark.message, "hint": remark.hint}
    parts = {name: text.parts() for name, text in texts.items() if isinstance(text, Phrase) and text.values}
    return remark.as_dict() | ({_PARTS: parts} if parts else {})


def _texts(remark: Mapping[str, Any]) -> dict[str, Phrase]:
    texts = {}
    for name in _TEXTS:
        try:
            text = phrase_from_parts(remark[_PARTS][name])
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
        # The English text is authoritative: parts that give another one are ignored.
        if text == remark.get(name):
            texts[name] = text
    return texts


def refuse_warnings(warnings: Remarks) -> None:
    """Raise SubmissionInvalid where there are warnings, with these as its problems."""
    if warnings:
        raise SubmissionInvalid(warnings)
