"""Every placeholder in a translated sentence of a template gets its value.

Inside a translated block Django ignores a name with a dot or a filter, and leaves its place empty. In Jinja2
a text whose values do not fit its places fails only when it is rendered.
"""

import re

from jinja2 import Environment, nodes

from tests.support.paths import ROOT

TEMPLATES = ROOT / "templates"
BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b.*?%}(.*?){%\s*endblocktrans", re.DOTALL)
PLACE = re.compile(r"{{\s*(.*?)\s*}}")
NAME = re.compile(r"%\((\w+)\)")


def find_empty_places(text: str) -> list[str]:
    return [
        place for block in BLOCK.findall(text) for place in PLACE.findall(block) if not place.isidentifier()
    ]


def find_misfits(text: str) -> list[str]:
    """Return the places without a value and the values without a place, of each text of a Jinja2 template."""
    tree = Environment(autoescape=True).parse(text)
    values = {
        call: {pair.key for pair in each.kwargs}
        for each in tree.find_all(nodes.Filter)
        for call in [each.node]
        if each.name == "format"
    }
    return [
        name
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name)
        and call.node.name == "_"
        and isinstance(call.args[0], nodes.Const)
        for name in sorted({*NAME.findall(call.args[0].value)} ^ values.get(call, set()))
    ]


def test_no_sentence_of_a_template_has_an_empty_placeholder():
    sentence = "{% blocktranslate %}page {{ page.number }} of {{ all }}{% endblocktranslate %}"
    assert find_empty_places(sentence) == ["page.number"]
    for path in TEMPLATES.rglob("*.html"):
        assert find_empty_places(path.read_text(encoding="utf-8")) == [], path


def test_the_values_of_a_jinja2_template_fit_its_texts():
    texts = '{{ _("%(n)s of %(all)s")|format(n=1, of=2) }} {{ _("%(lost)s") }} {{ _("plain") }}'
    assert find_misfits(texts) == ["all", "of", "lost"]
    for path in (*TEMPLATES.rglob("*.jinja"), *TEMPLATES.rglob("*.svg")):
        assert find_misfits(path.read_text(encoding="utf-8")) == [], path
