"""POST /api/v1/submissions/ with the file as a form field or as the body, and what is refused."""

import json
from uuid import UUID

import pytest

from leaderboard.models import AuditEvent, Board, Evaluation, IdempotencyKey, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.files.remarks import without_parts
from leaderboard.services.submissions.grade import score
from leaderboard.services.submissions.stated_facts import parse_stated
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, as_file, assert_problem
from tests.support.factories import make_facts, make_user, with_wrong
from tests.support.processes import run_at_once
from tests.support.scoring.inspect_logs import eval_log, sample
from wardboard.scoring.medagentbench.demo import TASKS

pytestmark = pytest.mark.usefixtures("demo")


def codes(document: dict) -> list[tuple[str, str]]:
    return [(problem["code"], problem["pointer"]) for problem in document["problems"]]


def test_a_good_file_comes_back_scored_with_its_address_and_is_published_where_that_is_asked_for(
    api, anonymous, demo, good_file, system_facts
):
    response = api.send(good_file, system_facts)
    submission = response.json()
    assert response.status_code == 201
    assert response["Location"] == submission["url"] == f"{SUBMISSIONS}{submission['id']}/"
    assert (submission["status"], submission["published"]) == ("scored", False)
    assert (submission["result"]["right"], submission["result"]["total"]) == (47, 50)
    assert submission["system"]["models"] == ["model-a", "model-b"]
    assert submission["filename"] == "results.json"
    assert api.get(response["Location"]).json() == submission
    assert api.send(good_file, system_facts, publish="true").json()["published"]
    board = anonymous.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()
    assert [(row["rank"], row["submission"]) for row in board["rows"]] == [(1, submission["url"])]


def test_designate_says_what_it_does_where_the_score_is_known(api, demo, good_file, system_facts):
    api.send(good_file, system_facts)
    other = api.send(good_file, {**system_facts, "publish": "true", "models": "another"}).json()
    assert (other["published"], other["facts_not_applied"]) == (False, ["models"])
    assert "publish" in other["not_applied"]
    assert other["notice"].endswith("of this request was not applied: publish, facts.")
    again = api.send(good_file, {**system_facts, "designate": "true"}).json()
    assert again["published"]
    rewritten = api.send(good_file + b"\n", {**system_facts, "designate": "true"}).json()
    assert (rewritten["published"], rewritten["designation"]) == (True, None)
    assert "your team had scores for the same answers before" in rewritten["notice"]
    Board.objects.update(publication_limit=2)
    refused = api.send(with_wrong(good_file, 5), {**system_facts, "designate": "true"})
    assert_problem(refused, 429, "quota-spent")
    assert int(refused.headers["Retry-After"]) > 86400


def test_a_rejected_file_is_422_with_every_problem_and_its_id(api, demo, malformed_file, system_facts):
    problem = assert_problem(api.send(malformed_file, system_facts), 422, "file-rejected")
    submission = Submission.objects.get()
    assert problem["submission"] == {
        "id": str(submission.pk),
        "url": f"{SUBMISSIONS}{submission.pk}/",
        "status": "rejected",
    }
    assert problem["problems_total"] == submission.problem_count == len(problem["problems"]) > 5
    assert problem["warnings"] == without_parts(submission.warnings)
    assert ("answer.not-a-string", "/results/0/answer") in codes(problem)
    assert all(one["message"] and one["hint"] for one in problem["problems"])
    assert api.get(problem["submission"]["url"]).json()["problems"] == problem["problems"]


def test_a_file_that_waits_for_its_score_is_not_published_for_another_system(
    api, demo, good_file, system_facts
):
    api.send(good_file, {**system_facts, "system": "Alder"})
    Submission.objects.update(status="queued", evaluation=None, scored_at=None)
    for system, is_published_then in (("Birch", False), ("Alder", True)):
        again = api.send(good_file, {**system_facts, "system": system, "publish": "true"}).json()
        assert ("It is published as soon as" in again["notice"]) == is_published_then
        assert Submission.objects.get().publish_when_scored == is_published_then


def test_all_errors_of_request_facts_and_file_are_reported_together(api, demo, malformed_file):
    facts = {"system": "", "interaction": "many-turns", "colour": "blue", "publish": "perhaps"}
    facts["designate"] = "never"
    problem = assert_problem(api.send(malformed_file, facts), 422, "request-invalid")
    listed = codes(problem)
    assert {
        ("request.unknown-parameter", "/colour"),
        ("request.value-invalid", "/publish"),
        ("request.value-invalid", "/designate"),
        ("facts.invalid", "/system"),
        ("facts.invalid", "/interaction"),
        ("answer.not-a-string", "/results/0/answer"),
    } <= set(listed)
    assert "colour" in problem["problems"][0]["message"]
    assert not Submission.objects.exists()


def test_a_file_and_a_board_that_are_missing_repeated_or_unknown_are_problems_of_their_fields(
    api, demo, good_file
):
    for name, value, code in (
        ("file", ..., "request.file-missing"),
        ("file", "not uploaded with @", "request.file-missing"),
        ("file", [as_file(b"{}"), "not uploaded with @"], "request.file-repeated"),
        ("file", as_file(b""), "request.file-empty"),
        ("benchmark", ..., "request.benchmark-missing"),
        ("benchmark", "no-such-board", "request.benchmark-unknown"),
        ("benchmark", "nul\x00", "request.benchmark-unknown"),
        ("benchmark", [demo.slug, demo.slug], "request.repeated-parameter"),
    ):
        form = {"system": "s", "benchmark": demo.slug, "file": as_file(good_file), name: value}
        sent = {key: each for key, each in form.items() if each is not ...}
        problem = assert_problem(api.post(SUBMISSIONS, sent), 422, "request-invalid")
        assert codes(problem) == [(code, f"/{name}")]


def test_a_name_that_a_variable_should_have_had_is_refused(api, demo, good_file):
    names = ("${{ env.SYSTEM }}", "$SYSTEM", "agent ${VERSION}", "$(System)", "%SYSTEM%", "null", "None")
    names += ("<system>", "@SYSTEM@", "nan", "N/A", "agent-undefined", "agent-null", "agent-", "---", "#{V}")
    texts = {"organisation": "$ORG", "note": "${{ env.NOTE }}", "commit": "$GIT_SHA", "tools": "n/a"}
    for key, value in (*(("system", name) for name in names), *texts.items()):
        form = {"benchmark": demo.slug, "file": as_file(good_file), "system": "s", key: value}
        problem = assert_problem(api.post(SUBMISSIONS, form), 422, "request-invalid")
        assert codes(problem) == [("facts.invalid", f"/{key}")], value


def test_a_name_that_only_looks_like_a_variable_is_taken():
    for name in ("Null-Agent 2", "agent_$5", "C++", "Agent <3", "100%", "@home", "nanoGPT", "Агент"):
        facts = {"system": name, "tools": "none", "note": "costs $5: {a, b}"}
        assert parse_stated(facts, files=1).facts.name == name


def test_where_workers_do_the_work_the_answer_is_queued_and_says_when_to_ask(
    demo, settings, api, good_file, django_capture_on_commit_callbacks
):
    settings.WORKERS = True
    with django_capture_on_commit_callbacks(execute=True):
        response = api.send(good_file, make_facts(), publish="true")
    submission = response.json()
    assert (response.status_code, submission["status"], submission["result"]) == (201, "queued", None)
    assert "as soon as it is scored" in submission["notice"]
    assert int(response["Retry-After"]) >= 1
    assert int(api.get(submission["url"])["Retry-After"]) >= 1
    score(submission_id=UUID(submission["id"]))
    scored = api.get(submission["url"])
    assert (scored.json()["status"], scored.json()["published"]) == ("scored", True)
    assert "Retry-After" not in scored


def test_a_board_with_credentialed_data_takes_files_only_with_its_acknowledgement(
    api, demo, good_file, malformed_file, system_facts
):
    Board.objects.filter(pk=demo.pk).update(data_class="credentialed")
    board = api.get(f"/api/v1/benchmarks/{demo.slug}/").json()
    assert board["data_class"] == "credentialed"
    for path in (SUBMISSIONS, "/api/v1/validations/"):
        fields = system_facts if path == SUBMISSIONS else {}
        refused = api.post(path, {"benchmark": demo.slug, **fields, "file": as_file(malformed_file)})
        problem = assert_problem(refused, 422, "request-invalid")
        # The file was not read.
        assert codes(problem) == [("request.acknowledgement-missing", "/acknowledgement")]
        terms = {"acknowledgement": board["acknowledgement"]}
        taken = api.post(path, {"benchmark": demo.slug, **fields, **terms, "file": as_file(good_file)})
        assert taken.status_code in (200, 201), taken.content
    assert Submission.objects.get().acknowledged == board["acknowledgement"]


@pytest.mark.parametrize("path", ["/api/v1/validations/", SUBMISSIONS])
def test_warnings_are_problems_of_strict_requests_and_nothing_is_stored(api, demo, good_file, path):
    document = json.loads(good_file)
    results = [{**document["results"][0], "answer": None}, *document["results"][1:-2]]
    incomplete = json.dumps({"version": document["version"], "results": results}).encode()
    facts = make_facts() if path == SUBMISSIONS else {}
    problem = assert_problem(api.send(incomplete, facts, path=path, strict="true"), 422, "file-rejected")
    assert {one["code"] for one in problem["problems"]} == {"tasks.missing", "answer.null"}
    assert not Submission.objects.exists()
    assert api.send(incomplete, facts, path=path, strict="false").status_code in (200, 201)


def test_facts_that_wait_for_publication_are_problems_of_strict_requests_unless_it_is_published(
    api, demo, good_file
):
    api.send(good_file, make_facts(organisation="Here"), publish="true")
    other = with_wrong(good_file, 2)
    facts = make_facts(organisation="Elsewhere")
    problem = assert_problem(api.send(other, facts, strict="true"), 422, "request-invalid")
    assert codes(problem) == [("facts.not-applied", "/organisation")]
    assert Submission.objects.count() == 1
    assert api.send(other, facts, strict="true", publish="true").status_code == 201


def test_a_result_with_an_invalidated_sample_is_published_once_its_sender_confirms_it(api, ada, demo):
    samples = [sample(task["id"]) for task in json.loads(TASKS.read_text())]
    samples[0]["invalidation"] = {"author": "a", "reason": "leak", "timestamp": "2026-11-26T11:08:57+00:00"}
    sent = api.send(eval_log(*samples), {**make_facts(allow_empty="true"), "publish": "true"}).json()
    assert (sent["status"], sent["published"]) == ("scored", False)
    assert "log.invalidated" in {warning["code"] for warning in sent["warnings"]}
    assert 'name="confirm_log"' in ada.get(f"/submissions/{sent['id']}/").text
    ada.post(f"/submissions/{sent['id']}/publish/")
    assert_problem(api.post(f"{sent['url']}publish/"), 409, "confirmation-needed")
    assert api.post(f"{sent['url']}publish/", {"confirm_log": "true"}).json()["published"] is True


TWINS = 4


@pytest.mark.both_databases
@pytest.mark.parametrize("key", ["", "build-17"])
def test_a_request_again_gets_the_first_response_which_says_so(api, demo, good_file, malformed_file, key):
    for raw, status in ((good_file, 201), (malformed_file, 422)):
        first, again = (api.send(raw, make_facts(), key=key and f"{key}-{status}") for _ in range(2))
        assert first.status_code == status
        assert again.status_code == (status if key or status == 422 else 200)
        assert "Idempotent-Replayed" not in first
        assert again["Idempotent-Replayed"] == "true"
        assert again.json().get("id") == first.json().get("id")
        assert first.get("Location") == again.get("Location")
    assert Submission.objects.count() == 2


@pytest.mark.both_databases
def test_an_invalid_idempotency_key_is_a_problem_of_the_request(api, demo, good_file, system_facts):
    for key in ("x" * 256, "schlüssel", "tab\there"):
        document = assert_problem(api.send(good_file, system_facts, key=key), 422, "request-invalid")
        assert [problem["code"] for problem in document["problems"]] == ["request.idempotency-key-invalid"]
    assert not Submission.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", ["", "build-17"])
def test_two_identical_requests_at_once_make_one_submission_with_one_evaluation(demo, good_file, key):
    token = create_token(user=make_user("twins@example.org"), name="t", days=1)[1]
    responses = run_at_once(*[lambda: Api(token).send(good_file, make_facts(), key=key)] * TWINS)
    statuses = sorted(response.status_code for response in responses)
    assert statuses == ([201] * TWINS if key else [200] * (TWINS - 1) + [201])
    assert len({response.json()["id"] for response in responses}) == 1
    assert Submission.objects.get().status == "scored"
    assert Evaluation.objects.count() == 1
    assert AuditEvent.objects.filter(action="submission.received").count() == 1
    assert IdempotencyKey.objects.count() == (1 if key else 0)
