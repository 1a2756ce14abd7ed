"""`make house` finds each broken limit in a small tree that breaks it, and none in other trees."""

import pytest

from tests.support.paths import ROOT
from tools import house


@pytest.fixture
def tree(tmp_path):
    """Return a function that writes files, by default under leaderboard/, and reads them as sources."""

    def write(*, top: str = "leaderboard", **files: str):
        for name, text in files.items():
            path = tmp_path / top / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return house.read_sources(tmp_path, [top])

    write.root = tmp_path
    return write


def test_modules_that_import_each_other_are_a_circle_also_by_an_import_inside_a_function(tree):
    sources = tree(one="from leaderboard import two\n", two="import leaderboard.one\n", three="import one\n")
    assert house.circles(house.imports(sources)) == [["leaderboard.one", "leaderboard.two"]]
    late = "def late():\n    from leaderboard.one import a\nc = 1\n"
    sources = tree(one="from leaderboard.two import b\n", two="from leaderboard.three import c\n", three=late)
    assert house.circles(house.imports(sources)) == [
        ["leaderboard.one", "leaderboard.three", "leaderboard.two"]
    ]


def test_an_import_that_no_contract_sees_is_named_wherever_it_is_and_no_other(tree):
    for line, found in (
        ("from importlib import import_module", "importlib.import_module"),
        ("loaders.import_string(name)", "import_string"),
        ("__import__('leaderboard.web')", "__import__"),
        ("exec('import leaderboard.web')", "exec"),
        ("from urllib import request", "urllib.request"),
    ):
        [finding] = house.unseen_imports(tree(page=f"def late():\n    {line}\n"))
        assert finding == f"leaderboard/page.py:2 {found}"
    for line in ("from urllib.parse import quote", "import importance", "frame.eval('a + b')"):
        assert house.unseen_imports(tree(page=line)) == [], line
    # One module may ask for what is installed, and import nothing else by name.
    asks = "from importlib.metadata import entry_points\n"
    sources = tree(top="scoring", registry__in__plugins=f"{asks}import importlib\n", other=asks)
    assert house.unseen_imports(sources) == [
        "scoring/other.py:1 importlib.metadata.entry_points",
        "scoring/registry/plugins.py:2 importlib",
    ]


def test_a_reader_of_references_is_found_and_what_reads_none_is_not(tree):
    for line in (
        "bytes(revision.content)",
        "benchmark.load_references(data)",
        "rows.values_list('pk', 'content')",
        "rows.only('active_revision__content')",
        "getattr(revision, 'content')",
    ):
        assert house.reference_readers(tree(page=f"\n{line}\n")) == ["leaderboard/page.py:2"], line
    for line in (
        "rows.defer('content', 'active_revision__content')",
        "Revision(content=benchmark.dump_references(references))",
        "response.content",
    ):
        assert house.reference_readers(tree(page=line)) == [], line
    # The one that may read them is there, and would be found elsewhere.
    reader = (ROOT / "leaderboard/services/judging/references.py").read_text()
    assert house.reference_readers(tree(services__in__judging__in__references=reader)) == []
    assert len(house.reference_readers(tree(elsewhere=reader))) > 1


def test_who_may_do_what_is_decided_in_one_module_and_the_admin_and_in_no_template(tree):
    line = "user.has_perm('leaderboard.view_submission') or Board.objects.organised_by(user)"
    assert house.right_deciders(tree(services__in__access=line, admin=line)) == []
    found = house.right_deciders(tree(web__in__page=f"\n{line}\n", web__in__other="user.email\n"))
    assert found == ["leaderboard/web/page.py:2 has_perm", "leaderboard/web/page.py:2 organised_by"]
    folder = tree.root / "templates" / "web"
    folder.mkdir(parents=True)
    (folder / "page.html").write_text("{{ user.email }}\n{% if perms.leaderboard or user.is_staff %}\n")
    (folder / "rows.jinja").write_text("{% if may_read and user.is_authenticated %}{% endif %}")
    assert house.right_deciders_in_templates(tree.root) == [
        "templates/web/page.html:2 perms",
        "templates/web/page.html:2 user.is_staff",
    ]


def test_a_room_a_shelf_and_a_product_above_their_budgets_are_named(tree):
    # A file belongs to the room with the longest prefix, and a migration to none.
    rooms = (
        house.Room(name="outer", prefixes=("leaderboard/",), budget=1),
        house.Room(name="inner", prefixes=("leaderboard/boards/",), budget=2),
    )
    sources = tree(urls="a = 1\n", boards__in__page="b = 2\nc = 3\nd = 4\n", migrations__in__first="e = 5\n")
    sizes = house.room_sizes(sources, rooms)
    assert list(sizes.values()) == [1, 3]
    (tree.root / "texts/zh").mkdir(parents=True)
    (tree.root / "texts/zh/page.md").write_text("one\ntwo\n")
    documents = house.Shelf(name="documents", patterns=("texts/**/*.md",), budget=1)
    shelves = house.shelf_sizes(tree.root, [documents])
    over = ["inner: 3 lines, 2 allowed", "documents: 2 lines, 1 allowed"]
    assert house.over_budget(house.budgets(sizes, shelves, product_budget=4)) == over
    assert house.over_budget(house.budgets(sizes, shelves, product_budget=3))[2:] == [
        "the product, without migrations and tests: 4 lines, 3 allowed"
    ]
