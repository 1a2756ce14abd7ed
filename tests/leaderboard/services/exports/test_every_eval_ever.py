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
CONDITIONS = {
    "harness": "own-tools",
    "harness_name": "careful-loop 2",
    "tools": "FHIR search, a calculator",
    "cost_per_task": 0.042,
    "seconds_per_task": 12.5,
    "run_on": "2026-03-01",
}
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


def ranked(record: dict) -> dict:
    return record["evaluation_results"][0]["score_details"]


def test_each_result_has_a_file_of_its_own_at_its_place_in_the_datastore(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Several models")
    before = download(demo)
    assert download(demo) == before
    factories.make_published(user, demo, good_file + b"\n", system="One model", models="o4-mini")
    factories.make_published(user, demo, good_file + b" ", system="Path", models="Org/Model-7B:free/v2")
    factories.make_published(user, demo, good_file + b"\n\n", system="Own", models="Ward model 1")
    records = read_archive(download(demo))
    # A later table has the same names.
    assert set(read_archive(before)) < set(records)
    assert all(PLACE.fullmatch(path) for path in records)
    folders = {record["model_info"]["name"]: path.rpartition("/")[0] for path, record in records.items()}
    own = "data/wardboard-medagentbench-demo/Example-hospital"
    assert folders == {
        "Several models": f"{own}/Several-models",
        "Own": f"{own}/Own",
        "One model": f"{own}/One-model",
        "Path": "data/wardboard-medagentbench-demo/Org/Model-7B-free-v2",
    }
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


def test_a_record_has_the_conditions_of_its_runs_and_what_they_cost(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Stated", **CONDITIONS)
    result = records_of(demo)["Stated"]["evaluation_results"][0]
    conditions = result["generation_config"]
    assert conditions["generation_args"]["agentic_eval_config"]["additional_details"] == {
        "harness": "own-tools",
        "harness_name": "careful-loop 2",
        "tools": "FHIR search, a calculator",
    }
    assert conditions["additional_details"] == {
        "interaction": "multi-turn",
        "retrieval": "query-generator",
        "reasoning": "code",
        "cost_per_task_usd": "0.042",
        "seconds_per_task": "12.5",
        "run_on": "2026-03-01",
        "runs": "1",
    }
    assert records_of(demo)["Stated"]["evaluation_timestamp"] == "2026-03-01"


def test_the_uncertainty_is_that_of_the_table(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Mine")
    put_row(demo, "Printed", counts=(30, 50))
    put_row(demo, "Without counts", 0.5)
    records = records_of(demo)
    score = ranked(records["Mine"])
    interval = score["uncertainty"].pop("confidence_interval")
    assert interval.pop("lower") < score["score"] == 0.94 < interval.pop("upper")
    assert interval == {"confidence_level": 0.95}
    # sqrt(.94 * .06)
    assert score["uncertainty"] == {"standard_deviation": 0.237, "num_samples": 50}
    assert (score["details"]["right"], score["details"]["total"]) == ("47", "50")
    assert ranked(records["Printed"])["uncertainty"]["standard_deviation"] == 0.49
    assert ranked(records["Without counts"])["uncertainty"] == {
        "confidence_interval": {"lower": 0.45, "upper": 0.55, "confidence_level": 0.95}
    }


def test_a_published_result_names_its_source_and_is_no_run_of_this_service(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Scored here")
    put_row(demo, "Printed", counts=(30, 50))
    records = records_of(demo)
    printed, scored = records["Printed"], records["Scored here"]
    assert printed["source_metadata"]["source_type"] == "documentation"
    assert printed["source_metadata"]["evaluator_relationship"] == "other"
    assert printed["source_metadata"]["additional_details"]["source"] == "a paper, reported"
    assert printed["eval_library"] == {"name": "unknown", "version": "unknown"}
    assert scored["source_metadata"]["source_type"] == "evaluation_run"
    assert scored["eval_library"] == {"name": "wardboard", "version": "1.0.0"}
    assert "source" not in scored["source_metadata"]["additional_details"]


def test_an_archive_has_no_unpublished_system_no_baseline_and_no_removed_row(user, good_file):
    board = factories.make_demo(has_baseline=True)
    factories.make_scored(user, board, good_file, system="Secret")
    put_row(board, "Printed", counts=(30, 50))
    assert list(records_of(board)) == ["Printed"]
    removed = factories.make_published(user, board, good_file + b"\n", system="Removed")
    event = Board.objects.get(pk=board.pk).state.number
    withdraw(submission_id=removed.pk, team=removed.team, by=user)
    assert records_of(board, f"?as_of={event}") == {}
