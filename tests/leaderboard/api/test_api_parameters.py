"""Parameters of the API: unknown ones are refused, lists are filtered, limits are in headers."""

import threading
from collections.abc import Iterator

import pytest

from leaderboard.api.parameters import waiting
from leaderboard.models import Status, Submission
from leaderboard.services import turns
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, with_wrong

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("demo")]

# Written once: `demo` returns it.
BOARD = "/api/v1/benchmarks/medagentbench-demo/"
# As the page's form sends what is chosen there.
CHOSEN = f"{BOARD}leaderboard/?columns=runs&columns=interval&compare=1&compare=2"


def hints(response) -> dict[str, str]:
    problem = assert_problem(response, 400, "parameter-invalid")
    return {one["pointer"]: one["hint"] for one in problem["problems"]}


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v1/", "/api/v1/status/", "/api/v1/health/", "/api/v1/benchmarks/", BOARD, SUBMISSIONS),
        *(f"{BOARD}{name}/" for name in ("leaderboard", "changes", "records", "schema", "allowance")),
        "/api/v1/schemas/medagentbench/result-file-1.0.json",
    ],
)
def test_every_address_refuses_a_parameter_that_it_does_not_have(api, demo, path):
    assert api.get(path).status_code == 200
    assert set(hints(api.get(path, {"pge": "1", "éé": "2"}))) == {"/pge", "/éé"}


def test_the_nearest_parameter_is_named(api, demo):
    assert "Did you mean page?" in hints(api.get(SUBMISSIONS, {"pge": "1"}))["/pge"]
    problem = assert_problem(api.send(b"{}", make_facts(), modles="x"), 422, "request-invalid")
    assert "Did you mean models?" in problem["problems"][0]["hint"]


def test_a_field_that_an_action_does_not_have_is_refused_and_nothing_happens(api, scored):
    api.post(f"{scored['url']}publish/")
    assert "Did you mean reason?" in hints(api.post(f"{scored['url']}withdraw/", {"reson": "x"}))["/reson"]
    assert set(hints(api.post(f"{scored['url']}publish/?force=1"))) == {"/force"}
    assert api.get(scored["url"]).json()["published"]


@pytest.mark.parametrize(
    ("path", "repeated"),
    [
        (f"{SUBMISSIONS}?status=scored&status=failed&page=1&page=2&page=3&benchmark=x", {"/status", "/page"}),
        (f"{CHOSEN}&judge=a&judge=a", {"/judge"}),
        (f"{BOARD}schema/?name=result-file-1.0.json&name=x", {"/name"}),
        (f"{BOARD}changes/?page=1&page=1&pge=1&pge=2", {"/page", "/pge"}),
    ],
)
def test_a_parameter_that_counts_once_is_refused_when_it_is_repeated(api, demo, path, repeated):
    response = api.get(path)
    assert set(hints(response)) == repeated
    codes = {one["pointer"]: one["code"] for one in response.json()["problems"]}
    assert codes.pop("/pge", "request.unknown-parameter") == "request.unknown-parameter"
    assert set(codes.values()) == {"request.repeated-parameter"}


def test_parameters_that_may_be_repeated_still_may(api, demo):
    assert api.get(CHOSEN).status_code == 200
    problem = assert_problem(api.get(f"{BOARD}compare/?system=1&system=1"), 400, "parameter-invalid")
    assert [one["code"] for one in problem["problems"]] == ["request.systems-invalid"]


def test_two_waits_are_refused(api, scored):
    assert set(hints(api.get(f"{scored['url']}?wait=0&wait=60"))) == {"/wait"}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"reason=first&reason=second", "application/x-www-form-urlencoded"),
        (b'{"reason": "first", "reason": "second"}', "application/json"),
        (
            b"".join(
                b'--b\r\nContent-Disposition: form-data; name="reason"\r\n\r\n%s\r\n' % text
                for text in (b"first", b"second")
            )
            + b"--b--\r\n",
            "multipart/form-data; boundary=b",
        ),
    ],
    ids=["form", "json", "multipart"],
)
def test_a_field_that_is_repeated_is_refused_and_nothing_is_withdrawn(api, scored, body, content_type):
    api.post(f"{scored['url']}publish/")
    response = api.post(f"{scored['url']}withdraw/", body, content_type)
    assert hints(response) == {"/reason": "Give `reason` once."}
    assert api.get(scored["url"]).json()["published"]


def test_submissions_are_filtered_by_each_fact(api, demo, good_file):
    first = api.send(good_file, make_facts(system="First"), commit="abcdef0123").json()
    api.send(with_wrong(good_file, 2), make_facts(system="Second"))
    for query in (
        {"system": "first"},
        {"sha256": first["file"]["sha256"].upper()},
        {"commit": "ABCDEF0"},
        {"benchmark": demo.slug, "status": "scored", "system": "First"},
    ):
        assert [line["id"] for line in api.get(SUBMISSIONS, query).json()["results"]] == [first["id"]]
    assert api.get(SUBMISSIONS, {"status": "rejected"}).json()["count"] == 0
    assert api.get(SUBMISSIONS, {"commit": "1234567"}).json()["count"] == 0


def test_every_value_that_there_is_not_is_refused_with_the_nearest(api, scored):
    query = {"benchmark": "medagentbench-dem", "status": "score", "system": "Careful agnt", "page": "0"}
    found = hints(api.get(SUBMISSIONS, query | {"sha256": "abc", "commit": "main"}))
    assert set(found) == {"/benchmark", "/status", "/system", "/page", "/sha256", "/commit"}
    assert found["/benchmark"] == "Did you mean benchmark=medagentbench-demo?"
    assert found["/status"] == "Did you mean status=scored?"


def test_an_empty_filter_is_refused_and_does_not_list_all_submissions(api, scored):
    names = ["benchmark", "status", "system", "sha256", "commit"]
    refused = hints(api.get(SUBMISSIONS, dict.fromkeys(names, "") | {"commit": " "}))
    assert refused == {f"/{name}": f"Give a value, or leave `{name}` out." for name in names}


def test_the_filter_by_system_reveals_no_system_of_another_team(api, other_api, demo, good_file):
    other_api.send(good_file, make_facts(system="Secret agent"))
    assert "Secret" not in hints(api.get(SUBMISSIONS, {"system": "Secret agen"}))["/system"]


def test_an_unknown_leaderboard_names_the_nearest(api, demo):
    problem = assert_problem(api.get("/api/v1/benchmarks/medagentbench-dmo/"), 404, "not-found")
    assert problem["detail"].startswith("There is no such leaderboard; GET /api/v1/benchmarks/ lists them.")
    assert "Did you mean medagentbench-demo?" in problem["detail"]


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.0", "", "１"])
def test_a_page_that_is_no_number_is_refused(api, demo, page):
    for path in (SUBMISSIONS, f"{BOARD}leaderboard/", f"{BOARD}changes/"):
        assert set(hints(api.get(path, {"page": page}))) == {"/page"}


@pytest.mark.parametrize("size", ["0", "201", "-1", "x", "1.0", "", "１", "01"])
@pytest.mark.parametrize("path", [SUBMISSIONS, f"{BOARD}leaderboard/", f"{BOARD}changes/"])
def test_a_size_of_a_page_outside_of_its_limits_is_refused(api, demo, path, size):
    document = assert_problem(api.get(path, {"per_page": size}), 400, "parameter-invalid")
    assert [problem["pointer"] for problem in document["problems"]] == ["/per_page"]


def test_every_list_in_pages_has_as_many_on_a_page_as_are_asked_for(api, demo, good_file):
    for number in range(3):
        sent = api.send(with_wrong(good_file, number), make_facts(system=f"System {number}"), publish="true")
        assert sent.status_code == 201
    for path, results in (
        (SUBMISSIONS, "results"),
        (f"{BOARD}leaderboard/", "rows"),
        (f"{BOARD}changes/", "results"),
    ):
        page = api.get(path, {"per_page": "2"}).json()
        assert (len(page[results]), page["pages"]) == (2, -(-page["count"] // 2)), path
        following = api.get(page["next"]).json()
        assert (following["page"], following[results][0] in page[results]) == (2, False)
        assert len(api.get(path, {"per_page": "200"}).json()[results]) == page["count"]


def test_a_page_beyond_any_number_of_rows_is_empty(api, scored):
    assert api.get(SUBMISSIONS, {"page": "99999999999"}).json()["results"] == []
    board = api.get(f"{BOARD}leaderboard/", {"page": "99999999999"}).json()
    assert (board["rows"], board["next"]) == ([], None)


def test_a_submission_that_has_not_changed_is_304_and_after_a_change_it_is_not(api, scored):
    response = api.get(scored["url"])
    known = {"If-None-Match": response["ETag"]}
    again = api.get(scored["url"], **known)
    assert (again.status_code, again.content) == (304, b"")
    api.post(f"{scored['url']}publish/")
    assert api.get(scored["url"], **known).json()["published"]


def test_requests_left_are_in_the_headers(api, demo, good_file):
    first, second = (api.send(good_file, make_facts()) for _ in range(2))
    assert first["RateLimit-Policy"] == '"submissions";q=600;w=60'
    assert first["RateLimit"].startswith('"submissions";r=599;t=')
    assert second["RateLimit"].startswith('"submissions";r=598;t=')
    assert "RateLimit" not in api.get(SUBMISSIONS)


def test_files_left_are_in_the_headers_of_a_submission_and_of_a_refusal(api, demo, good_file):
    type(demo).objects.update(daily_limit=1)
    response = api.send(good_file, make_facts())
    assert '"day";q=1;w=86400' in response["RateLimit-Policy"]
    assert '"day";r=0;t=' in response["RateLimit"]
    refused = api.send(with_wrong(good_file, 1), make_facts())
    assert_problem(refused, 429, "quota-spent")
    assert '"day";r=0;t=' in refused["RateLimit"]


def test_other_sites_may_read_without_credentials_and_change_nothing(api, anonymous, demo):
    response = anonymous.get(f"{BOARD}leaderboard/", Origin="https://example.org")
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "X-Request-ID" in response["Access-Control-Expose-Headers"]
    assert response["X-Request-ID"]
    assert "Access-Control-Allow-Credentials" not in response
    assert anonymous.get("/api/v1/benchmarks/none/")["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in api.post(SUBMISSIONS)
    preflight = anonymous.client.options(SUBMISSIONS, headers={"Origin": "https://example.org"})
    assert "Access-Control-Allow-Origin" not in preflight


@pytest.fixture
def queued(api, demo, good_file, monkeypatch) -> Iterator[dict]:
    """Return a submission that waits for a worker, as JSON."""
    monkeypatch.setattr("leaderboard.services.background.is_for_request", lambda **_: False)
    monkeypatch.setattr("leaderboard.services.background.enqueue", lambda *_, **__: None)
    body = api.send(good_file, make_facts()).json()
    assert body["status"] == "queued"
    return body


def test_a_wait_ends_with_its_time_and_the_answer_says_to_ask_again(api, queued, monkeypatch):
    monkeypatch.setattr(waiting, "MOST_SECONDS", 0.3)
    response = api.get(queued["url"], {"wait": "60"})
    assert (response.status_code, response.json()["status"], response["Retry-After"]) == (200, "queued", "2")


def test_a_wait_ends_as_soon_as_the_submission_is_settled(api, queued, monkeypatch):
    looks = []

    def settle(seconds: float) -> bool:
        looks.append(seconds)
        if len(looks) == 3:
            Submission.objects.update(status=Status.CANCELLED)
        return False

    monkeypatch.setattr(waiting.STOPPING, "wait", settle)
    response = api.get(queued["url"], {"wait": "60"})
    assert (response.json()["status"], len(looks)) == ("cancelled", 3)
    assert "Retry-After" not in response


def test_a_wait_needs_a_free_turn_and_else_the_answer_comes_at_once(api, queued, monkeypatch):
    monkeypatch.setattr(waiting.turns, "waiting", turns.Turns(4, at_once=1, room=1))
    with waiting.turns.waiting.take(0):
        assert api.get(queued["url"], {"wait": "60"}).json()["status"] == "queued"


def test_one_request_of_a_user_waits_at_a_time_and_another_user_still_can(
    api, other_api, queued, good_file, monkeypatch
):
    monkeypatch.setattr(waiting.turns, "waiting", turns.Turns(8, at_once=2))
    theirs = other_api.send(good_file, make_facts()).json()
    looks, answers = [], []

    def ask_meanwhile(seconds: float) -> bool:
        looks.append(seconds)
        if not answers:
            answers.append(api.get(queued["url"], {"wait": "60"}))
            assert len(looks) == 1
            answers.append(other_api.get(theirs["url"], {"wait": "60"}))
            assert len(looks) == 2
        return True

    monkeypatch.setattr(waiting.STOPPING, "wait", ask_meanwhile)
    api.get(queued["url"], {"wait": "60"})
    assert [answer["Retry-After"] for answer in answers] == ["2", "2"]
    assert [answer.json()["status"] for answer in answers] == ["queued", "queued"]
    # The first request is over, so the next may wait again.
    api.get(queued["url"], {"wait": "60"})
    assert len(looks) == 3


def test_a_wait_ends_when_the_process_stops(api, queued, monkeypatch):
    stopping = threading.Event()
    stopping.set()
    monkeypatch.setattr(waiting, "STOPPING", stopping)
    assert api.get(queued["url"], {"wait": "60"})["Retry-After"] == "2"


def test_threads_remain_for_pages_while_requests_wait():
    # Of eight threads two may wait; the process has seven for all that takes long.
    limited = turns.Turns(8, at_once=2, others=threading.BoundedSemaphore(7))
    held = [limited.take(0) for _ in range(2)]
    with pytest.raises(turns.TooBusy):
        limited.take(0)
    assert len(held) == 2


@pytest.mark.parametrize("wait", ["61", "-1", "1.5", "soon", "100"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(api, scored, good_file, wait):
    assert set(hints(api.get(scored["url"], {"wait": wait}))) == {"/wait"}
    problem = assert_problem(api.send(good_file, make_facts(), wait=wait), 422, "request-invalid")
    assert [one["pointer"] for one in problem["problems"]] == ["/wait"]


def test_a_file_is_sent_and_its_score_awaited_in_one_request(api, demo, good_file):
    assert api.send(good_file, make_facts(), wait="60").json()["status"] == "scored"


def test_a_text_that_is_too_long_or_none_is_refused_and_nothing_is_withdrawn(api, scored):
    api.post(f"{scored['url']}publish/")
    withdraw = f"{scored['url']}withdraw/"
    assert "it has 301" in hints(api.post(withdraw, {"reason": "x" * 301}))["/reason"]
    for value in (b'["x"]', b'{"a": 1}', b"{}", b"[]", b"7", b"true", b"null"):
        body = b'{"reason": %s}' % value
        assert set(hints(api.post(withdraw, body, "application/json"))) == {"/reason"}, value
    assert api.get(scored["url"]).json()["published"]


def test_a_method_that_there_is_not_is_405_whatever_it_asks_for(api, scored):
    for send in (api.client.delete, api.client.post, api.client.trace):
        response = send(f"{scored['url']}?pge=1", headers=api.headers())
        assert_problem(response, 405, "method-not-allowed")
