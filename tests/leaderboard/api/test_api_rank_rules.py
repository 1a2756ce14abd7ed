"""The rules on ranks over the API: what a benchmark and its rows state, and the warnings before scoring."""

from leaderboard.models import Submission
from leaderboard.services.publishing.change_settings import change_settings
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, make_published


def test_a_benchmark_states_its_rules_and_a_row_what_it_lacks(demo, user, api, visitor, good_file):
    make_published(user, demo, good_file)
    change_settings(board=demo, values={"least_runs": 3, "most_rounds": 8})
    shown = api.get(f"/api/v1/benchmarks/{demo.slug}/").json()["rank_rules"]
    assert (shown["least_runs"], shown["most_rounds"], shown["needs_traces"]) == (3, 8, False)
    (row,) = api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()["rows"]
    assert row["unmet_rules"] == ["least_runs", "most_rounds"]
    assert (row["rank"], row["not_tested"]) == (None, "rules")
    assert "Its results do not meet the rules for a rank." in visitor.get("/").content.decode()
    exported = api.get(f"/benchmarks/{demo.slug}/board.json")
    assert b'"unmet_rules": ["least_runs", "most_rounds"]' in b"".join(exported.streaming_content)


ALL = {"least_runs": 3, "needs_traces": True, "needs_official_harness": True, "most_rounds": 8}
ALL |= {"needs_links": True, "needs_cost": True}
CODES = ["rules.too-few-runs", "rules.traces-missing", "rules.other-harness", "rules.too-many-rounds"]
CODES += ["rules.links-missing", "rules.cost-missing"]
OF_SYSTEM = {"rules.other-harness", "rules.links-missing", "rules.cost-missing"}


def codes_of(warnings) -> list[str]:
    return [warning["code"] for warning in warnings if warning["code"].startswith("rules.")]


def test_a_submitter_learns_of_each_rule_before_the_file_is_scored(demo, api, good_file):
    change_settings(board=demo, values=ALL)
    # What is checked by itself states nothing of its system yet.
    checked = api.send(good_file, {}, path="/api/v1/validations/").json()["warnings"]
    assert codes_of(checked) == [code for code in CODES if code not in OF_SYSTEM]
    refused = api.send(good_file, make_facts(), strict="true")
    problems = assert_problem(refused, 422, "file-rejected")["problems"]
    assert codes_of(problems) == CODES
    assert {"/harness", "/contact_url", "/cost_per_task"} <= {problem["pointer"] for problem in problems}
    assert all(problem["message"] and problem["hint"] for problem in problems)
    assert not Submission.objects.exists()
