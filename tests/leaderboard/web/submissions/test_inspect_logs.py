"""A log of inspect_ai takes every way that a result file takes, and earns the same score."""

import json

import pytest

from leaderboard.services.accounts import create_token
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_facts
from tests.support.scoring.inspect_logs import assistant, eval_log, sample, user


@pytest.fixture
def samples(good_file):
    """Return the answers of a result file as samples of a log."""
    roles = {"agent": assistant, "user": user}
    return [
        sample(
            result["task_id"],
            "" if result["answer"] is None else f"FINISH({result['answer']})",
            [roles[item["role"]](item["content"]) for item in result["post_history"]],
        )
        for result in json.loads(good_file)["results"]
    ]


@pytest.fixture
def api(user):
    return Api(create_token(user=user, name="tests", days=1)[1])


def test_a_result_with_an_invalidated_sample_is_published_once_its_sender_confirms_it(
    api, visitor, user, demo, samples
):
    samples[0]["invalidation"] = {"author": "a", "reason": "leak", "timestamp": "2026-11-26T11:08:57+00:00"}
    sent = api.send(eval_log(*samples), {**make_facts(), "publish": "true"}).json()
    assert (sent["status"], sent["published"]) == ("scored", False)
    assert "log.invalidated" in {warning["code"] for warning in sent["warnings"]}
    visitor.force_login(user)
    page = visitor.get(f"/submissions/{sent['id']}/").content.decode()
    assert 'name="confirm_log"' in page
    visitor.post(f"/submissions/{sent['id']}/publish/")
    assert_problem(api.post(f"{sent['url']}publish/"), 409, "confirmation-needed")
    published = api.post(f"{sent['url']}publish/", {"confirm_log": "true"}).json()
    assert published["published"] is True
