"""Write the tables of codes into docs/problems.md and its translation: `python -m tools.problems`.

A page keeps what stands before its first table by hand. The English tables have meaning and fix; the Chinese
ones have the fix, which the catalogues translate, as reports show it.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from babel.messages.pofile import read_po

from wardboard.scoring.fhir_agentbench.grading.questions_file import QuestionCode
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.medagentbench.grading.task_codes import TaskCode
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.reading.codes import (
    DocumentCode,
    ProblemCode,
    ReferenceCode,
    RulesCode,
    RunsCode,
)
from wardboard.scoring.reading.formats.codes import FormatCode

_ROOT = Path(__file__).parent.parent
PAGES = {"en": _ROOT / "docs" / "problems.md", "zh_Hant": _ROOT / "docs" / "zh_Hant" / "problems.md"}
_CATALOGUES = ("leaderboard", "scoring/medagentbench", "scoring/fhir_agentbench")
_HEADS = {"en": ("Code", "Meaning", "What to do"), "zh_Hant": ("代碼", "修正方式")}


class Section(NamedTuple):
    """A table of a page.

    title_zh: "" for what organisers alone see, which is in English
    first_warning: the code from which on a class has warnings; None for a class without
    """

    title: str
    title_zh: str
    codes: type[ProblemCode]
    first_warning: ProblemCode | None = None


_OF_RUNS = {RunsCode.IDENTICAL, RunsCode.LEFT_OUT}
SECTIONS = (
    Section("in any file", "任何檔案", DocumentCode, DocumentCode.NAN),
    Section("in several runs", "多次執行與封存檔", RunsCode),
    Section("in a log of a harness", "測試框架的記錄檔", FormatCode, FormatCode.ANSWER_FORM),
    Section("in a MedAgentBench file", "MedAgentBench 的檔案", Code, Code.TASKS_MISSING),
    Section("in a FHIR-AgentBench file", "FHIR-AgentBench 的檔案", FhirCode, FhirCode.QUESTIONS_MISSING),
    Section("of the rules of a leaderboard", "排行榜的規則", RulesCode, RulesCode.RUNS),
    Section("in reference answers", "", ReferenceCode),
    Section("in reference answers of MedAgentBench", "", TaskCode),
    Section("in reference answers of FHIR-AgentBench", "", QuestionCode),
)


def split_codes(section: Section) -> tuple[list[ProblemCode], list[ProblemCode]]:
    """Return the errors and the warnings of a section."""
    codes = list(section.codes)
    if section.codes is RunsCode:
        return [c for c in codes if c not in _OF_RUNS], [c for c in codes if c in _OF_RUNS]
    at = codes.index(section.first_warning) if section.first_warning else len(codes)
    return codes[:at], codes[at:]


def tables(language: str) -> str:
    """Return the tables of a page: those of errors, then those of warnings."""
    translations = _translations() if language != "en" else {}
    return "\n".join(_lines(language, translations)) + "\n"


def _lines(language: str, translations: Mapping[str, str]) -> Iterator[str]:
    for number, (noun, noun_zh) in enumerate((("Errors", "錯誤"), ("Warnings", "警告"))):
        for section in SECTIONS:
            codes = split_codes(section)[number]
            if not codes or (language != "en" and not section.title_zh):
                continue
            title = f"{noun} {section.title}" if language == "en" else f"{noun_zh}：{section.title_zh}"
            yield from (f"## {title}", "", _row(_HEADS[language]), _row(["---"] * len(_HEADS[language])))
            for code in codes:
                fix = translations.get(str(code.fix)) or str(code.fix)
                yield _row([f"`{code.value}`", *([code.meaning] if language == "en" else []), fix])
            yield ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _translations() -> dict[str, str]:
    texts: dict[str, str] = {}
    for folder in _CATALOGUES:
        path = _ROOT / folder / "locale" / "zh_Hant" / "LC_MESSAGES" / "django.po"
        with path.open("rb") as file:
            texts |= {str(m.id): str(m.string) for m in read_po(file) if isinstance(m.id, str) and m.string}
    return texts


def page(language: str) -> str:
    """Return a page with its tables as they are now."""
    first = f"## {'Errors' if language == 'en' else '錯誤：'}"
    return (
        PAGES[language].read_text(encoding="utf-8").partition(first)[0] + tables(language).rstrip("\n") + "\n"
    )


if __name__ == "__main__":
    for name, path in PAGES.items():
        path.write_text(page(name), encoding="utf-8")
