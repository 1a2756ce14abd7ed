"""The documents as pages: all of them, with links that lead somewhere, and examples that pass the check."""

import re
from io import BytesIO

import pytest
from django.test import Client
from django.utils import translation

from leaderboard.web.docs.library import Document, find, guide_of, sections
from leaderboard.web.docs.markdown import render
from tests.support.paths import ROOT
from wardboard.scoring import registry
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids

pytestmark = [pytest.mark.django_db]


def documents() -> list[Document]:
    return [document for _reader, wanted in sections() for document, _wish in wanted]


def test_every_file_of_docs_is_a_page_that_each_of_them_links_to_and_the_index_answers_14_wishes():
    files = set((ROOT / "docs").glob("*.md"))
    assert files <= {path for document in documents() for path in document.paths.values()}
    slugs = [document.slug for document in documents()]
    assert len(slugs) == len(set(slugs))
    index, page = (
        re.findall(
            r'href="(/(?:docs|api)/[^"#]*)"',
            Client().get(f"/docs/{slug}").text.partition("<main")[2].partition("</main>")[0],
        )
        for slug in ("", "verify/")
    )
    # web/site/test_links.py follows them all.
    assert {f"/docs/{slug}/" for slug in slugs} <= set(page)
    assert len(index) <= 14


def test_links_between_documents_are_addresses_of_the_site_in_the_language_of_the_page():
    document = find("submitters")
    with translation.override("zh-hant"):
        html = render(document).html
    assert 'href="/zh-hant/docs/problems/' in html


def test_a_document_cannot_bring_html_or_scripts_to_the_page(tmp_path, monkeypatch):
    file = tmp_path / "odd.md"
    file.write_text("# Odd\n\n<script>alert(1)</script> [go](javascript:alert(1)) <b>bold</b>\n")
    odd = Document(slug="odd", paths={"en": file})
    monkeypatch.setattr("leaderboard.web.docs.markdown.find", lambda slug: odd)
    html = render(odd).html
    assert "<script" not in html
    assert "<b>" not in html
    assert "href=" not in html


def test_an_unknown_document_or_file_is_not_found():
    for path in ("nothing/", "operators/files/secret-key", "submitters/files/..%2Fsubmitters.md"):
        assert Client().get(f"/docs/{path}").status_code == 404, path


TASKS = {
    "medagentbench": ("v2", published_task_ids("v2")),
    "fhir-agentbench": ("1", [f"00c0ffee00c0ffee00c0ff{n:02}" for n in range(1, 4)]),
}


@pytest.mark.parametrize("benchmark", TASKS)
def test_the_examples_pass_the_check_and_the_text_shows_one_of_them(benchmark):
    guide, board = guide_of(benchmark), registry.get(benchmark)
    version, task_ids = TASKS[benchmark]
    # Beside them is a sample of the demonstration, whose tasks are invented.
    examples = [path for path in guide.files.values() if path.parent.name == "guide"]
    assert examples
    for path in examples:
        reading = board.read(
            BytesIO(path.read_bytes()), task_ids=task_ids, version=version, limits=board.limits
        )
        assert reading.count >= 2
        codes = {str(warning.code) for warning in reading.warnings.listed}
        assert codes <= {"tasks.missing", "questions.missing", "answer.null"}, path
    shown = re.findall(r"```json\n(.+?)```", guide.paths["en"].read_text(), re.DOTALL)
    assert shown
    if benchmark == "medagentbench":
        assert shown[0] in [path.read_text() for path in examples]
