"""Boards as records of Every Eval Ever, in the layout of its datastore."""

import re

import pytest
from django.test import Client

from leaderboard.models import Board
from leaderboard.services.publishing.publish import withdraw
from tests.support import factories
from tests.support.every_eval_ever import read_archive
from tests.support.rows import put_row

pytestmark = [pytest.mark.django_db]

# As the validator of every_eval_ever 0.3.0 requires.
PLACE = re.compile(
    r'data/([^<>:"/\\|?*\x00-\x1f]+/){3}'
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json"
)
HOSTILE_NAMES = (
    *("CON", "com1.agent", "../../etc", "data", "Unknown", "a:b|c?", "…", "/", ".", "臨床代理人", "x" * 120),
    *("ends with a dot.", 'quoted "name"', "日" * 120),
)


def download(board: Board, query: str = "") -> bytes:
    response = Client().get(f"/benchmarks/{board.slug}/board.eee.zip{query}")
    assert response.status_code == 200
    return response.getvalue()


def records_of(board: Board, query: str = "") -> dict[str, dict]:
    """Return name of a system -> its record."""
    return {record["model_info"]["name"]: record for record in read_archive(download(board, query)).values()}


def test_each_result_has_a_file_of_its_own_at_its_place_in_the_datastore(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Several models")
    before = download(demo)
    assert download(demo) == before
    factories.make_published(user, demo, good_file + b"\n", system="One model", models="o4-mini")
    factories.make_published(user, demo, good_file + b" ", system="Path", models="Org/Model-7B:free/v2")
    runs = factories.join_runs(good_file, factories.with_wrong(good_file, 2))
    factories.make_published(user, demo, runs, filename="a.json, b.json", system="Own", models="Ward model 1")
    records = read_archive(download(demo))
    # A later table has the same names.
    assert set(read_archive(before)) < set(records)
    assert all(PLACE.fullmatch(path) for path in records)
    folders = {record["model_info"]["name"]: path.rpartition("/")[0] for path, record in records.items()}
    own = "data/wardboard-medagentbench-demo/ada"  # nobody confirmed the organisation
    assert folders == {
        "Several models": f"{own}/Several-models",
        "Own": f"{own}/Own",
        "One model": f"{own}/One-model",
        "Path": "data/wardboard-medagentbench-demo/Org/Model-7B-free-v2",
    }
    assert [n for n, each in records_of(demo).items() if "standard_deviation" not in str(each)] == ["Own"]
    for path, record in records.items():
        assert "/".join(path.split("/")[2:4]) == record["model_info"]["id"]
    relationships = {name: record["source_metadata"] for name, record in records_of(demo).items()}
    assert relationships["Own"]["evaluator_relationship"] == "collaborative"
    assert relationships["Path"]["evaluator_relationship"] == "third_party"


def test_no_name_leaves_its_folder_or_is_none_on_some_file_system(demo):
    for number, name in enumerate(HOSTILE_NAMES):
        put_row(demo, name, 0.5, model_names=[name] if number % 2 else [], organisation=name)
    paths = list(read_archive(download(demo)))
    assert len(paths) == len(HOSTILE_NAMES)
    for path in paths:
        assert PLACE.fullmatch(path), path
        for folder in path.split("/")[1:4]:
            assert folder.strip(". ") == folder != "data", path
            assert folder.partition(".")[0].upper() not in {"CON", "COM1"}, path
            assert len(folder.encode()) <= 255, path


def test_an_archive_has_no_unpublished_system_no_baseline_and_no_removed_row(user, good_file):
    board = factories.make_demo(has_baseline=True)
    factories.make_scored(user, board, good_file, system="Secret")
    put_row(board, "Printed", counts=(30, 50))
    assert list(records_of(board)) == ["Printed"]
    removed = factories.make_published(user, board, good_file + b"\n", system="Removed")
    event = Board.objects.get(pk=board.pk).state.number
    withdraw(submission_id=removed.pk, team=removed.team, by=user)
    assert records_of(board, f"?as_of={event}") == {}
