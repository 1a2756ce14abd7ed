"""Boards as records of Every Eval Ever, in the layout of its datastore."""

import json
import re

import pytest
from django.test import Client

from leaderboard.models import UNLIMITED, Board
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support import factories
from tests.support.every_eval_ever import read_archive
from tests.support.rows import put_row
from wardboard.scoring.medagentbench.demo import GOOD
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, encode_attempt

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


def as_log(raw: bytes, facts: Facts) -> bytes:
    return b"".join(
        encode_attempt(
            Attempt(
                task_id=result["task_id"],
                answer=result["answer"],
                states_answer=True,
                history=tuple(result["post_history"]),
                facts=facts,
            )
        )
        for result in json.loads(raw)["results"]
    )


def publish_runs(user, board: Board, **facts):
    raw = GOOD.read_bytes()
    files = [raw, factories.with_wrong(raw, 6), factories.with_wrong(raw, 9)]
    submission = factories.send_runs(user, board, files, **facts).submission
    return publish(submission_id=submission.pk, team=submission.team, by=user)


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
        "One model": "data/wardboard-medagentbench-demo/openai/o4-mini",
        "Path": "data/wardboard-medagentbench-demo/Org/Model-7B-free-v2",
    }
    for path, record in records.items():
        assert "/".join(path.split("/")[2:4]) == record["model_info"]["id"]
    relationships = {name: record["source_metadata"] for name, record in records_of(demo).items()}
    assert relationships["Own"]["evaluator_relationship"] == "collaborative"
    assert relationships["One model"]["evaluator_relationship"] == "third_party"


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


def test_a_record_has_the_temperature_the_tokens_and_the_rounds_of_its_log(user, demo, good_file):
    facts = Facts(
        model="heron-2", temperature=0.5, input_tokens=5200, output_tokens=310, cost_usd=0.04, rounds=6
    )
    submission = factories.make_published(user, demo, as_log(good_file, facts), system="Logged")
    conditions = records_of(demo)["Logged"]["evaluation_results"][0]["generation_config"]
    assert conditions["generation_args"]["temperature"] == 0.5
    logged = {
        key: json.loads(conditions["additional_details"][f"from_log_{key}"])
        for key in (*("input_tokens_per_task", "output_tokens_per_task", "rounds_per_task", "cost_per_task"),)
    }
    assert {key: mean["mean"] for key, mean in logged.items()} == {
        "input_tokens_per_task": 5200,
        "output_tokens_per_task": 310,
        "rounds_per_task": 6,
        "cost_per_task": 0.04,
    }
    event = Board.objects.get(pk=demo.pk).state.number
    withdraw(submission_id=submission.pk, team=submission.team, by=user)
    # The page of a withdrawn submission is its team's alone, and the past board has removed the row.
    assert records_of(demo, f"?as_of={event}") == {}


def test_the_uncertainty_is_that_of_the_table(user, demo, good_file):
    factories.make_published(user, demo, good_file, system="Mine")
    put_row(demo, "Printed", counts=(30, 50))
    put_row(demo, "Without counts", 0.5)
    records = records_of(demo)
    score = ranked(records["Mine"])
    interval = score["uncertainty"].pop("confidence_interval")
    assert interval.pop("lower") < score["score"] == 0.94 < interval.pop("upper")
    assert interval == {"confidence_level": 0.95, "method": "Wilson score interval over the tasks"}
    # sqrt(.94 * .06)
    assert score["uncertainty"] == {"standard_deviation": 0.237, "num_samples": 50}
    assert (score["details"]["right"], score["details"]["total"]) == ("47", "50")
    assert ranked(records["Printed"])["uncertainty"]["standard_deviation"] == 0.49
    assert ranked(records["Without counts"])["uncertainty"] == {
        "confidence_interval": {"lower": 0.45, "upper": 0.55, "confidence_level": 0.95}
    }


def test_an_interval_that_allows_for_clusters_says_so(user, fhir_demo, good_answers):
    factories.make_published(user, fhir_demo, good_answers, system="Mine")
    (record,) = records_of(fhir_demo).values()
    assert ranked(record)["uncertainty"]["confidence_interval"]["method"] == (
        "Wilson score interval over the effective number of tasks, since tasks share patients and "
        "question templates"
    )
    assert ranked(record)["details"]["judge_name"].startswith("Wardboard rules")


def test_a_record_of_several_runs_has_their_spread_as_on_the_page(user, demo):
    publish_runs(user, demo, system="Three runs")
    score = ranked(records_of(demo)["Three runs"])
    assert score["uncertainty"]["num_samples"] == 50
    # 47, 41 and 38 of 50
    spread = {
        "standard_deviation_of_runs": 0.092,
        "right_in_all_runs": 0.76,
        "right_in_some_runs_only": 0.18,
    }
    assert {key: float(score["details"][key]) for key in spread} == spread
    assert "spread_of_runs_rounded_to" not in score["details"]
    # With hidden references it is rounded.
    hidden = factories.make_hidden(**{**UNLIMITED, "rounding": 1})
    publish_runs(user, hidden, system="Three runs")
    details = ranked(records_of(hidden)["Three runs"])["details"]
    assert details["spread_of_runs_rounded_to"] == "0.06"
    for key in spread:
        assert float(details[key]) / 0.06 == pytest.approx(round(float(details[key]) / 0.06)), key


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


def test_an_archive_has_no_unpublished_system_and_no_baseline(user, good_file):
    board = factories.make_demo(has_baseline=True)
    factories.make_scored(user, board, good_file, system="Secret")
    put_row(board, "Printed", counts=(30, 50))
    assert list(records_of(board)) == ["Printed"]


def test_an_archive_of_many_rows_takes_a_fixed_number_of_queries(demo, django_assert_max_num_queries):
    for number in range(60):
        put_row(demo, f"System {number}", number / 100)
    with django_assert_max_num_queries(14):
        assert len(read_archive(download(demo))) == 60
