"""A log of inspect_ai with an invalidated sample, by the API and on its page."""

import json

from leaderboard.services.accounts import create_token
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_facts
from tests.support.scoring.inspect_logs import eval_log, sample
from wardboard.scoring.medagentbench.demo import TASKS


def test_a_result_with_an_invalidated_sample_is_published_once_its_sender_confirms_it(visitor, user, demo):
    api = Api(create_token(user=user, name="tests", days=1)[1])
    samples = [sample(task["id"]) for task in json.loads(TASKS.read_text())]
    samples[0]["invalidation"] = {"author": "a", "reason": "leak", "timestamp": "2026-11-26T11:08:57+00:00"}
    sent = api.send(eval_log(*samples), {**make_facts(allow_empty="true"), "publish": "true"}).json()
    assert (sent["status"], sent["published"]) == ("scored", False)
    assert "log.invalidated" in {warning["code"] for warning in sent["warnings"]}
    visitor.force_login(user)
    page = visitor.get(f"/submissions/{sent['id']}/").content.decode()
    assert 'name="confirm_log"' in page
    visitor.post(f"/submissions/{sent['id']}/publish/")
    assert_problem(api.post(f"{sent['url']}publish/"), 409, "confirmation-needed")
    published = api.post(f"{sent['url']}publish/", {"confirm_log": "true"}).json()
    assert published["published"] is True
