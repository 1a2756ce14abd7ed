"""Every placeholder in a translated sentence of a template gets its value.

Inside a translated block Django ignores a name with a dot or a filter, and leaves its place empty.
"""

import re

import pytest

from tests.support.paths import ROOT
from tests.support.rows import put_row

pytestmark = pytest.mark.any_database

TEMPLATES = ROOT / "templates"
BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b.*?%}(.*?){%\s*endblocktrans", re.DOTALL)
PLACE = re.compile(r"{{\s*(.*?)\s*}}")


def find_empty_places(text: str) -> list[str]:
    return [
        place for block in BLOCK.findall(text) for place in PLACE.findall(block) if not place.isidentifier()
    ]


def test_an_empty_placeholder_is_found():
    assert find_empty_places(
        "{% blocktranslate %}page {{ page.number }} of {{ all }}{% endblocktranslate %}"
    ) == ["page.number"]


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_no_sentence_of_a_template_has_an_empty_placeholder(path):
    assert find_empty_places(path.read_text(encoding="utf-8")) == []


def test_the_screen_reader_announcement_names_the_page(visitor, demo):
    for n in range(60):
        put_row(demo, f"System {n}", 0.5)
    response = visitor.get("/benchmarks/medagentbench-demo/?page=2", headers={"HX-Request": "true"})
    assert "60 systems fit; page 2 of 2." in response.content.decode()
