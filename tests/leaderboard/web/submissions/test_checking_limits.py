"""What a check of a file may cost: problems counted, seconds by who asks."""

import json

from leaderboard.services.accounts import create_token

VALIDATIONS = "/api/v1/validations/raw/?benchmark=medagentbench-demo"


def hostile(items: int = 5000) -> bytes:
    """Return a result file with two problems an item."""
    results = [{"task_id": "task1_1", "answer": "[]", "post_history": [{}] * items}]
    return json.dumps({"version": "demo", "results": results}).encode()


def test_the_api_counts_to_a_thousand_and_says_that_there_are_more(demo, visitor):
    answer = visitor.post(VALIDATIONS, hostile(), content_type="application/json")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "file-rejected")
    assert problem["problems_total"] == 1001
    assert problem["detail"] == "More than 1,000 problems in the file."
    assert problem["problems"][0]["code"] == "file.too-many-problems"


def test_an_account_gives_more_time(demo, visitor, user, settings, good_file):
    settings.CHECK_SECONDS_ANONYMOUS = 0
    answer = visitor.post(VALIDATIONS, good_file, content_type="application/json")
    assert answer.status_code == 422
    assert [problem["code"] for problem in answer.json()["problems"]] == ["records.too-slow"]
    token = {"authorization": f"Bearer {create_token(user=user, name='t', days=1)[1]}"}
    answer = visitor.post(VALIDATIONS, good_file, content_type="application/json", headers=token)
    assert answer.status_code == 200
    settings.CHECK_SECONDS = 0
    answer = visitor.post(VALIDATIONS, good_file, content_type="application/json", headers=token)
    assert answer.status_code == 422
