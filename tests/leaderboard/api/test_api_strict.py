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
    """A file without its last two results, and without one answer."""
    results = json.loads(good_file)
    results["results"] = results["results"][:-2]
    results["results"][0]["answer"] = None
    results.pop("total_tasks", None)
    return json.dumps(results).encode()


@pytest.mark.parametrize("path", [CHECK, SUBMISSIONS])
def test_warnings_are_problems_and_nothing_is_stored(api, demo, incomplete, path):
    facts = make_facts() if path == SUBMISSIONS else {}
    problem = assert_problem(api.send(incomplete, facts, path=path, strict="true"), 422, "file-rejected")
    assert {one["code"] for one in problem["problems"]} == {"tasks.missing", "answer.null"}
    assert not Submission.objects.exists()
    assert api.send(incomplete, facts, path=path, strict="false").status_code in (200, 201)


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
