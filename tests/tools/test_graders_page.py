"""The plain examples of docs/graders.md run, on the demonstrations, and print what they say."""

import re
import shutil
from typing import Any

import pytest

from tests.support.paths import ROOT
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import demo

PAGE = (ROOT / "docs" / "graders.md").read_text()
EXAMPLES = dict(
    re.findall(r"^## (.+?)\n(?:(?!^## ).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Run examples in their order, in a folder with the files that they read; return their names."""
    for path in (demo.TASKS, demo.FOLDER / "fhir.ndjson", fhir_demo.QUESTIONS):
        shutil.copy(path, tmp_path)
    shutil.copy(demo.GOOD, tmp_path / "results.json")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    def _run(*titles: str) -> tuple[dict[str, Any], list[str]]:
        for title in titles:
            exec(compile(EXAMPLES[title], f"graders.md: {title}", "exec"), names)
        return names, capsys.readouterr().out.splitlines()

    return _run


def printed_by(title: str) -> list[str]:
    """Return what the comments of an example say that it prints."""
    return re.findall(r"^ *print\(.*\)  # (.+)$", EXAMPLES[title], re.MULTILINE)


def test_the_plain_examples_print_what_they_say(run):
    titles = ["One answer", "A whole file", "Answers in words"]
    _, printed = run(*titles)
    assert printed == [line for title in titles for line in printed_by(title)]
    assert len(printed) == 3
