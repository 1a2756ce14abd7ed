"""No page in Chinese has words left in English."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.models import Board, Standing, Status, Submission, System
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.publishing import publish
from tests.support import factories
from tests.support.ci_issuer import make_publisher
from tests.support.databases import shared_rows
from tests.support.factories import PASSWORD
from tests.support.pages.words import english_in, ill_set_in, texts_of
from wardboard.scoring.fhir_agentbench import demo as fhir_agentbench
from wardboard.scoring.medagentbench import demo as medagentbench

# We address readers as 您, and write 電子郵件信箱 for an email address, in texts of Django and allauth too.
AVOIDED_WORDS = re.compile(r"你|電子信箱|電子郵件(?!信箱)|和／或|必需|令牌|金鑰")
SIGN_UP = {"email": "zelda@example.org", "name": "王實驗室", "password1": PASSWORD}
MED, FHIR = "/benchmarks/medagentbench-demo/", "/benchmarks/fhir-agentbench-demo/"
DEMO_FILES = medagentbench.GOOD, medagentbench.MIDDLING, medagentbench.MALFORMED
# Add every new page to one of these lists.
PUBLIC = (
    "/",
    MED,
    FHIR,
    "/benchmarks/empty/",
    "/benchmarks/closed/",
    "/about/",
    "/docs/",
    "/docs/submitters/",
    "/docs/operators/",
    "/status/",
    "/submit/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/done/",
    "/accounts/password/reset/key/1-nonsense/",
    "/accounts/confirm-email/",
    "/accounts/confirm-email/nonsense/",
    "/accounts/inactive/",
    "/nothing-here/",
)
OWN = (
    "/submissions/",
    "/submit/",
    f"{MED}submit/",
    f"{MED}submit/?system=1",
    "/benchmarks/closed/submit/",
    "/account/tokens/",
    "/account/emails/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/accounts/reauthenticate/",
)


@shared_rows
def keys() -> tuple[int, int]:
    """Fill boards of every kind, and return the keys of a published and a scored submission."""
    demo, fhir_demo = factories.make_demo(), factories.make_fhir_demo()
    user = factories.make_user(first_name="王實驗室")
    # The question of a board is in the language of its organisers.
    Board.objects.update(question="。")
    factories.make_demo(slug="empty", is_demo=False, question="。")
    Board.objects.create(
        slug="closed", benchmark="medagentbench", version="v9", title="MedAgentBench v9", question="。"
    )
    good, middling, malformed = (file.read_bytes() for file in DEMO_FILES)
    best = factories.make_published(user, demo, good, system="Xylo")
    scored = factories.make_scored(user, demo, middling, system="Zeta")
    factories.send(user, demo, malformed, system="Zeta")
    factories.make_published(user, fhir_demo, fhir_agentbench.GOOD.read_bytes(), system="Xylo")
    return best.pk, scored.pk


@pytest.fixture
def filled(keys, db) -> tuple[Submission, Submission]:
    """Return a published and a scored submission, on boards of every kind."""
    best, scored = keys
    return Submission.objects.get(pk=best), Submission.objects.get(pk=scored)


@pytest.fixture
def find_english():
    """Return a function that finds the English words of a page in Chinese."""

    def find(response, *typed: str) -> dict[str, list[str]]:
        content = response.content.decode()
        assert '<html lang="zh-Hant">' in content or "<html" not in content
        assert re.search("[\u4e00-\u9fff]", content), "no page in Chinese"
        if "/accounts/" in response.request["PATH_INFO"]:
            main = content.split("<main", 1)[1].split("</main>")[0]
            assert AVOIDED_WORDS.findall(main) == []
        return english_in(content, given=(*typed, *_collect_names()))

    return find


def _collect_names() -> set[str]:
    """Collect names and facts of systems, titles and judges, which pages never translate."""
    names = {judge for judge in Standing.objects.values_list("judge", flat=True) if judge}
    for system in System.objects.all():
        # A row may name a model as its benchmark does.
        names |= {system.name, system.organisation, system.source, *system.model_names}
    for board in Board.objects.all():
        names |= {board.version, board.title}
    # A text of one letter would match inside every word.
    return {text for text in names if len(text) > 1}


def test_no_public_page_has_words_in_english(visitor, filled, find_english):
    for path in PUBLIC:
        response = visitor.get(f"/zh-hant{path}", follow=True)
        assert response.status_code == (404 if path == "/nothing-here/" else 200), path
        assert find_english(response) == {}, path


def test_no_page_of_a_signed_in_user_has_words_in_english(ada, user, filled, find_english):
    create_token(user=user, name="每夜", days=30)
    for path in OWN:
        response = ada.get(f"/zh-hant{path}", follow=True)
        assert response.status_code == 200, path
        assert find_english(response) == {}, path


def test_the_pages_of_a_team_have_no_words_in_english(ada, grace, visitor, user, demo, filled, find_english):
    link = f"/teams/join/{factories.make_invitation_link(user)}/"
    create_token(user=user, name="每夜", days=30, team=factories.make_team(user))
    own = (
        "/account/teams/",
        "/account/teams/ward-lab/",
        "/account/tokens/",
        "/submissions/",
        f"{MED}submit/",
    )
    pages = [ada.get(f"/zh-hant{path}") for path in own]
    pages += [client.get(f"/zh-hant{link}") for client in (ada, grace, visitor)]
    pages += [visitor.get("/zh-hant/teams/join/gone/"), ada.post("/zh-hant/account/teams/", {"handle": "-"})]
    assert [find_english(page, "Ward Lab", "ward-lab", "team", "API") for page in pages] == [{}] * len(pages)


def test_the_page_of_trusted_publishers_has_no_words_in_english(ada, user, demo, find_english):
    path = "/zh-hant/account/publishers/"
    make_publisher(user, environment="production", repository_id="17", bound_at=timezone.now())
    make_publisher(user, repository="lab/other", board=demo)
    make_publisher(user, issuer="https://ci.example.org")
    # Their names, and what they are called in YAML.
    code = ["example-lab/agent", "lab/other", "production", "https://ci.example.org"]
    code += [".github/workflows/release.yml", ".gitlab-ci.yml", "example-lab/my-agent", "release.yml"]
    for page in (ada.get(path), ada.post(path, {"issuer": "x", "repository": "x", "workflow": "x"})):
        assert find_english(page, *code) == {}


@pytest.mark.parametrize("status", [*Status, "published", "withdrawn"])
def test_a_submission_has_no_words_in_english_whatever_its_status(
    ada, user, demo, filled, find_english, status
):
    best, scored = filled
    team = personal_team(user)
    if status == Status.REJECTED:
        submission = Submission.objects.get(status=Status.REJECTED)
    elif status == "published":
        submission = best
    elif status in ("withdrawn", Status.SCORED):
        submission = scored
        if status == "withdrawn":
            publish.publish(submission_id=submission.pk, team=team, by=user)
            publish.withdraw(submission_id=submission.pk, team=team, by=user, reason="。")
    else:
        submission = _put_in_status(scored, Status(status))
    response = ada.get(f"/zh-hant/submissions/{submission.pk}/")
    assert response.status_code == 200
    assert find_english(response) == {}


def _put_in_status(scored: Submission, status: Status) -> Submission:
    """Put a submission into a status, with the fields that a worker sets."""
    from leaderboard.services.submissions.grade import NO_VERDICT

    fields = {
        Status.SCORING: {"claim": scored.pk, "progress": {"read": 10, "total": 50, "seconds_left": 90}},
        Status.INCOMPLETE: {"waits_for": "provider-down", "progress": None},
        Status.FAILED: {"failure": NO_VERDICT},
    }
    Submission.objects.filter(pk=scored.pk).update(
        status=status, evaluation=None, scored_at=None, **fields.get(status, {})
    )
    return scored


def test_tasks_have_no_words_in_english(ada, user, demo, filled, find_english):
    for level in ("by-task", "by-check", "answers"):
        Board.objects.filter(pk=demo.pk).update(feedback=level)
        response = ada.get(f"/zh-hant/submissions/{filled[1].pk}/tasks/?outcome=all")
        assert response.status_code == 200
        assert "task1_1" in response.content.decode()
        # A sentence on a POST names the fields of FHIR that are wrong.
        found = {text: words for text, words in find_english(response).items() if "POST" not in text}
        assert found == {}


def test_reports_have_no_words_in_english(
    visitor, ada, demo, fhir_demo, find_english, upload, good_file, noisy_file, malformed_file, good_answers
):
    Board.objects.update(question="。")
    for board, raw in (
        (demo, good_file),
        (demo, noisy_file),
        (demo, malformed_file),
        (demo, b""),
        (demo, b"{"),
        (demo, good_answers),
        (fhir_demo, good_answers),
        (fhir_demo, good_file),
        (fhir_demo, b"question_id,agent_answer\nx,y"),
    ):
        form = {"benchmark": board.slug, "file": upload(raw)}
        assert find_english(visitor.post("/zh-hant/submit/", form, follow=True)) == {}
    assert find_english(Client().post("/zh-hant/submit/", {})) == {}
    wrong = {"system": "\u200b", "models": "x" * 200, "code_url": "ftp://x", "open_weights": "maybe"}
    response = ada.post(f"/zh-hant{MED}submit/", wrong)
    assert response.status_code == 422
    assert find_english(response, "ftp://x", "maybe", "x" * 200) == {}


def test_refused_forms_of_accounts_have_no_words_in_english(visitor, ada, user, find_english):
    for client, path, form in (
        (visitor, "/accounts/login/", {"login": "x@example.org", "password": "no"}),
        (visitor, "/accounts/login/", {}),
        (visitor, "/accounts/signup/", {"email": "nonsense", "password1": "123", "name": ""}),
        (visitor, "/accounts/signup/", {"email": user.email, "password1": "123456789", "name": "。"}),
        (visitor, "/accounts/password/reset/", {"email": "nonsense"}),
        (ada, "/accounts/password/change/", {"oldpassword": "x", "password1": "y", "password2": "z"}),
        (ada, "/accounts/email/", {"email": user.email, "action_add": ""}),
        (ada, "/account/tokens/", {"name": "\u200b", "days": "4"}),
        (ada, "/account/tokens/", {"name": "每夜", "days": "30", "scopes": ["read"]}),
    ):
        response = client.post(f"/zh-hant{path}", form, follow=True)
        assert response.status_code in (200, 422)
        assert find_english(response) == {}, (path, form)


def test_error_pages_have_no_words_in_english(visitor, user, demo, find_english, upload, settings):
    stale = Client(enforce_csrf_checks=True)
    assert find_english(stale.post("/zh-hant/submit/", {})) == {}
    settings.ANONYMOUS_CHECK_BYTES = 10
    assert find_english(visitor.post("/zh-hant/submit/", {"file": upload(b" " * 6_000_000)})) == {}
    broken = Client(raise_request_exception=False)
    settings.CHECK_AT_ONCE_BYTES = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaderboard.models.boards.BoardQuerySet.accepting_files", lambda _: 1 / 0)
        response = broken.get("/zh-hant/submit/")
    assert response.status_code == 500
    assert find_english(response) == {}


def test_emails_use_our_own_translations(visitor, user, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    for path, form in (
        ("/signup/", SIGN_UP),
        ("/signup/", SIGN_UP | {"email": user.email}),
        ("/password/reset/", {"email": user.email}),
        ("/password/reset/", {"email": "nobody@example.org"}),
    ):
        visitor.post(f"/zh-hant/accounts{path}", form)
        visitor.post("/zh-hant/accounts/logout/")
    assert [letter.subject for letter in mail.outbox] == [
        "Wardboard: 確認您的電子郵件信箱",
        "Wardboard: 帳號已存在",
        "Wardboard: 設定新密碼",
        "Wardboard: 沒有這個帳號",
    ]
    for letter in mail.outbox:
        assert AVOIDED_WORDS.findall(letter.body) == []
        assert english_in(letter.body, given=["testserver"]) == {}


def test_words_are_found_where_readers_meet_them():
    html = (
        '<p title="Hover">Seen <b>too</b><code>code</code></p><i lang="en">English only</i>'
        '<img alt="Drawn"><span hidden data-words data-a="Said {name}"></span><p>中文 JSON</p>'
    )
    assert texts_of(html) == ["Hover", "Seen", "too", "Drawn", ".", "Said {name}", "中文 JSON"]
    words = [word for words_of_text in english_in(html).values() for word in words_of_text]
    assert words == ["Hover", "Seen", "too", "Drawn", "Said"]
    assert english_in("<p>Seen by o4-mini</p>", given=["o4-mini"]) == {"Seen by o4-mini": ["Seen", "by"]}


def test_latin_marks_and_spaces_are_found_beside_chinese():
    assert ill_set_in("<p>檔案,請重試</p><p>好。 再來</p><p>請重試 (一次)</p>") != []
    assert len(ill_set_in("<p>檔案,請重試</p><p>好。 再來</p>")) == 2
    assert ill_set_in("<p>檔案，請重試。再來</p>") == []
