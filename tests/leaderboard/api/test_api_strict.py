"""`strict`: warnings of chosen kinds are problems, and so are facts that are not applied."""

import json

import pytest

from leaderboard.models import Submission
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, with_wrong

CHECK = "/api/v1/validations/"


@pytest.fixture
def incomplete(good_file) -> bytes:
    """A file without its last two results, and with a duplicate key."""
    results = json.loads(good_file)
    results["results"] = results["results"][:-2]
    results.pop("total_tasks", None)
    return json.dumps(results).encode().replace(b"{", b'{"version": "demo", ', 1)


def codes(problem: dict) -> set[str]:
    return {one["code"] for one in problem["problems"]}


@pytest.mark.parametrize(
    ("strict", "problems", "warnings"),
    [
        ("true", {"tasks.missing", "json.duplicate-key"}, set()),
        ("tasks.missing", {"tasks.missing"}, {"json.duplicate-key"}),
    ],
)
@pytest.mark.parametrize("path", [CHECK, SUBMISSIONS])
def test_warnings_of_the_chosen_kinds_are_problems_and_nothing_is_stored(
    api, demo, incomplete, path, strict, problems, warnings
):
    facts = make_facts() if path == SUBMISSIONS else {}
    problem = assert_problem(api.send(incomplete, facts, path=path, strict=strict), 422, "file-rejected")
    assert codes(problem) == problems
    assert {one["code"] for one in problem.get("warnings", ())} == warnings
    assert not Submission.objects.exists()
    for other in ("false", "json.nan"):
        assert api.send(incomplete, facts, path=path, strict=other).status_code in (200, 201)


def test_an_unknown_kind_is_refused_with_the_nearest(api, demo, good_file):
    problem = assert_problem(api.send(good_file, make_facts(), strict="task.missing"), 422, "request-invalid")
    assert problem["problems"][0]["hint"] == "Did you mean strict=tasks.missing?"


def test_facts_that_wait_for_publication_are_problems_unless_it_is_published(api, demo, good_file):
    api.send(good_file, make_facts(organisation="Here"), publish="true")
    other = with_wrong(good_file, 2)
    facts = make_facts(organisation="Elsewhere")
    problem = assert_problem(api.send(other, facts, strict="true"), 422, "request-invalid")
    assert [(one["code"], one["pointer"]) for one in problem["problems"]] == [
        ("facts.not-applied", "/organisation")
    ]
    assert Submission.objects.count() == 1
    assert api.send(other, facts, strict="true", publish="true").status_code == 201
