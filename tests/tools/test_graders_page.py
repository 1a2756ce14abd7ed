"""The plain examples of docs/graders.md run, on the demonstrations, and print what they say."""

import re
import shutil
from typing import Any

from tests.support.paths import ROOT
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import demo

PAGE = (ROOT / "docs" / "graders.md").read_text()
EXAMPLES = dict(
    re.findall(r"^## (.+?)\n(?:(?!^## ).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


def test_the_plain_examples_print_what_they_say(monkeypatch, tmp_path, capsys):
    for path in (demo.TASKS, demo.FOLDER / "fhir.ndjson", fhir_demo.QUESTIONS):
        shutil.copy(path, tmp_path)
    shutil.copy(demo.GOOD, tmp_path / "results.json")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    comments = []
    for title in ("One answer", "A whole file", "Answers in words"):
        exec(compile(EXAMPLES[title], f"graders.md: {title}", "exec"), names)
        comments += re.findall(r"^ *print\(.*\)  # (.+)$", EXAMPLES[title], re.MULTILINE)
    assert len(comments) == 3
    assert capsys.readouterr().out.splitlines() == comments
