"""`make house` finds each broken limit in a small tree that breaks it, and none in other trees."""

import textwrap

import pytest

from tests.support.paths import ROOT
from tools.house import (
    PACKAGES,
    Room,
    Shelf,
    benchmarks_without_contracts,
    budgets,
    check,
    circles,
    folder_sizes,
    functions_with_board_and_moment,
    imports,
    large_folders,
    main,
    over_budget,
    product_size,
    read_contracts,
    read_sources,
    reference_readers,
    right_deciders,
    right_deciders_in_templates,
    room_sizes,
    shelf_sizes,
    unseen_imports,
    variables,
    widespread_keys,
)


@pytest.fixture
def tree(tmp_path):
    """Return a function that writes files under leaderboard/ and reads them as sources."""

    def write(**files: str):
        for name, text in files.items():
            path = tmp_path / "leaderboard" / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return read_sources(tmp_path, ["leaderboard"])

    write.root = tmp_path
    return write


def test_folders_are_listed_with_modules_and_lines_and_init_files_are_not_modules(tree):
    sources = tree(boards__in____init__='"""Boards."""\n', boards__in__page="a = 1\nb = 2\n", urls="c = 3\n")
    assert folder_sizes(sources) == {"leaderboard": (1, 1), "leaderboard/boards": (1, 3)}


def test_two_modules_that_import_each_other_are_a_circle(tree):
    sources = tree(one="from leaderboard import two\n", two="import leaderboard.one\n", three="import one\n")
    assert circles(imports(sources)) == [["leaderboard.one", "leaderboard.two"]]


def test_an_import_inside_a_function_closes_a_circle(tree):
    sources = tree(
        one="from leaderboard.two import b\n",
        two="from leaderboard.three import c\nb = 1\n",
        three="def late():\n    from leaderboard.one import a\nc = 1\n",
    )
    assert circles(imports(sources)) == [["leaderboard.one", "leaderboard.three", "leaderboard.two"]]


def test_a_function_that_takes_a_board_and_a_moment_is_counted(tree):
    signatures = (
        "board, as_of",
        "*, board: Board, moment: Moment | None = None",
        "b: Board, at: Optional[Moment]",
    )
    for signature in signatures:
        sources = tree(ranks=f"class Ranks:\n    def read({signature}): ...\n")
        assert functions_with_board_and_moment(sources) == ["leaderboard/ranks.py:2 read"], signature


def test_fourteen_modules_fit_into_a_folder_and_fifteen_do_not(tree):
    assert large_folders(tree(**{f"boards__in__part{number}": "" for number in range(14)})) == []
    assert large_folders(tree(boards__in__part14="")) == ["leaderboard/boards: 15 modules"]


def test_a_key_that_more_than_four_modules_name_is_named_with_their_number(tree):
    named = {
        "declared": 'Fact(key="task_memory")\nFilter(key="runs")\n',
        "as_text": 'read("task_memory")\n',
        "as_field": "row.task_memory\n",
        "as_argument": "make(task_memory=True)\n",
    }
    assert widespread_keys(tree(**named)) == []
    assert widespread_keys(tree(**named, fifth="class Row:\n    task_memory: bool\n")) == [
        "task_memory: 5 modules"
    ]


def test_the_command_prints_the_folders_and_succeeds_where_no_limit_is_broken(tree, capsys):
    tree(one="class Kind: ...\n", two="from leaderboard.one import Kind\n")
    assert main([str(tree.root)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["leaderboard", "2", "2"]
    assert sum(line.endswith(": ok") for line in lines) == len(check([])) + 2 == 11


def test_the_command_fails_and_can_print_broken_limits_alone(tree, capsys):
    tree(one="from leaderboard import two\n", two="from leaderboard import one\n")
    assert main([str(tree.root), "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "Circles of imports: 1 (at most 0): BROKEN",
        "  leaderboard.one <-> leaderboard.two",
    ]


def test_an_import_that_no_contract_sees_is_named_wherever_it_is_and_no_other(tree):
    for line, found in (
        ("from importlib import import_module", "importlib.import_module"),
        ("loaders.import_string(name)", "import_string"),
        ("__import__('leaderboard.web')", "__import__"),
        ("exec('import leaderboard.web')", "exec"),
        ("from urllib import request", "urllib.request"),
    ):
        [finding] = unseen_imports(tree(page=f"def late():\n    {line}\n"))
        assert finding.startswith("leaderboard/page.py:2 ")
        assert finding.endswith(found)
    for line in ("from urllib.parse import quote", "import importance", "frame.eval('a + b')"):
        assert unseen_imports(tree(page=line)) == [], line


def test_one_module_may_ask_for_what_is_installed_and_import_nothing_else_by_name(tree):
    path = tree.root / "scoring" / "registry" / "plugins.py"
    path.parent.mkdir(parents=True)
    path.write_text("from importlib.metadata import entry_points\nimport importlib\n")
    (tree.root / "scoring" / "other.py").write_text("from importlib.metadata import entry_points\n")
    assert unseen_imports(read_sources(tree.root, ["scoring"])) == [
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
        assert reference_readers(tree(page=f"\n{line}\n")) == ["leaderboard/page.py:2"], line
    for line in (
        "rows.defer('content', 'active_revision__content')",
        "Revision(content=benchmark.dump_references(references))",
        "response.content",
    ):
        assert reference_readers(tree(page=line)) == [], line


def test_the_one_reader_of_references_may_read_them(tree):
    assert reference_readers(tree(services__in__judging__in__references="bytes(row.content)")) == []


def test_the_one_reader_of_references_is_there_and_would_be_found_elsewhere(tree):
    text = (ROOT / "leaderboard/services/judging/references.py").read_text()
    assert len(reference_readers(tree(elsewhere=text))) > 1


def test_who_may_do_what_is_decided_in_one_module_and_the_admin(tree):
    line = "user.has_perm('leaderboard.view_submission') or Board.objects.organised_by(user)"
    assert right_deciders(tree(services__in__access=line, admin=line)) == []
    found = right_deciders(tree(web__in__page=f"\n{line}\n", web__in__other="user.email\n"))
    assert found == ["leaderboard/web/page.py:2 has_perm", "leaderboard/web/page.py:2 organised_by"]


def test_no_template_decides_who_may_do_what(tmp_path):
    folder = tmp_path / "templates" / "web"
    folder.mkdir(parents=True)
    (folder / "page.html").write_text("{{ user.email }}\n{% if perms.leaderboard or user.is_staff %}\n")
    (folder / "rows.jinja").write_text("{% if may_read and user.is_authenticated %}{% endif %}")
    assert right_deciders_in_templates(tmp_path) == [
        "templates/web/page.html:2 perms",
        "templates/web/page.html:2 user.is_staff",
    ]


@pytest.fixture
def benchmarks(tmp_path):
    """Return the sources of two benchmarks, and of a folder that is none."""
    for path in ("first/benchmark.py", "second/benchmark.py", "fhir/server.py", "benchmark.py"):
        file = tmp_path / "scoring" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return read_sources(tmp_path, ["scoring"])


def test_a_benchmark_that_a_contract_leaves_out_is_named(benchmarks):
    contracts = [
        {"name": "registry", "forbidden_modules": ["wardboard.scoring.first"]},
        {"name": "inside", "containers": ["wardboard.scoring.first"]},
    ]
    assert benchmarks_without_contracts(benchmarks, contracts) == [
        "wardboard.scoring.second: not in the contract 'registry'",
        "wardboard.scoring.second: no contract for its folders",
    ]


def test_the_contracts_and_packages_of_this_checkout_are_read():
    assert {"forbidden", "layers"} <= {contract["type"] for contract in read_contracts(ROOT)}
    sources = read_sources(ROOT, PACKAGES)
    assert {source.path.parts[0] for source in sources} == set(PACKAGES)
    of_users = [source for source in sources if source.path.parts[0] != "tools"]
    lines = sum(source.lines for source in of_users if not source.is_generated)
    assert product_size(room_sizes(of_users)) == lines, "a file that has no room"


@pytest.fixture
def rooms():
    """Return a room and the room inside it, of one and two lines."""
    return (
        Room(name="outer", prefixes=("leaderboard/",), budget=1),
        Room(name="inner", prefixes=("leaderboard/boards/",), budget=2),
    )


def test_a_file_belongs_to_the_room_with_the_longest_prefix_and_migrations_to_none(tree, rooms):
    sources = tree(urls="a = 1\n", boards__in__page="b = 2\nc = 3\n", migrations__in__first="d = 4\n")
    assert list(room_sizes(sources, rooms).values()) == [1, 2]


def test_a_room_a_shelf_and_a_product_above_their_budgets_are_named(tree, rooms, tmp_path):
    sizes = room_sizes(tree(urls="a = 1\n", boards__in__page="b = 2\nc = 3\nd = 4\n"), rooms)
    (tmp_path / "texts/zh").mkdir(parents=True)
    (tmp_path / "texts/zh/page.md").write_text("one\ntwo\n")
    shelves = shelf_sizes(tmp_path, [Shelf(name="documents", patterns=("texts/**/*.md",), budget=1)])
    over = ["inner: 3 lines, 2 allowed", "documents: 2 lines, 1 allowed"]
    assert over_budget(budgets(sizes, shelves, product_budget=4)) == over
    assert over_budget(budgets(sizes, shelves, product_budget=3))[2:] == [
        "the product, without migrations and tests: 4 lines, 3 allowed"
    ]


def test_a_variable_is_counted_once_wherever_it_is_read(tree):
    sources = tree(
        settings="env.text('B_URL')\nenv.flag('A', default=True)\n", serve="env.flag('A')\nenv.text(b)\n"
    )
    assert variables(sources) == ["A", "B_URL"]
