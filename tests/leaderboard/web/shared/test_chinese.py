"""No page in Chinese has words left in English, in any view and state."""

import re

from leaderboard.models import Board, BoardEvent, ReportedResult, Status, Submission, System, Work
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import load_reported
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions.grade import NO_VERDICT
from tests.support import factories
from tests.support.addresses import BOARD
from tests.support.databases import shared_rows
from tests.support.pages.words import english_in, ill_set_in
from wardboard.scoring.fhir_agentbench import demo as fhir_agentbench
from wardboard.scoring.medagentbench import demo as medagentbench

FHIR, REPORTED = "/benchmarks/fhir-agentbench-demo/", "/benchmarks/fhir-agentbench/"
# Add every new page to one of these lists.
# {n}: an event in the middle of the record; {two}, {four}, {judged}: parameters of that many systems.
PUBLIC = [
    *("/", "/embed/medagentbench-demo/", "/embed/medagentbench-demo/?as_of={n}", "/embed/fhir-agentbench/"),
    *(
        "/benchmarks/empty/",
        "/benchmarks/closed/",
        "/about/",
        "/docs/",
        "/docs/submitters/",
        "/docs/operators/",
    ),
    *(
        "/status/",
        "/submit/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/inactive/",
        "/nothing-here/",
    ),
    *(f"/accounts/password/reset/{rest}" for rest in ("", "done/", "key/done/", "key/1-nonsense/")),
    *("/accounts/confirm-email/", "/accounts/confirm-email/nonsense/"),
    *(f"{BOARD}{rest}" for rest in ("", "?as_of={n}", "?as_of=2020-01-01", "?q=zebra", "about/", "changes/")),
    *(f"{BOARD}compare/{rest}" for rest in ("", "?q=zebra", "?{two}", "?{four}", "?system=999999")),
    *(f"{BOARD}views/{name}/" for name in ("progress", "by-task-type", "by-difficulty", "approach-by-model")),
    *(f"{BOARD}views/forest/{rest}" for rest in ("", "?as_of={n}", "?q=zebra")),
    *(f"{FHIR}{rest}" for rest in ("", "about/", "compare/?{judged}", "views/precision-recall/")),
    *(f"{FHIR}views/{name}/" for name in ("by-resource-type", "by-precision-bucket")),
    *(f"{REPORTED}{rest}" for rest in ("", "changes/", "views/approach-by-model/")),
]
OWN = [
    *(
        "/submissions/",
        "/submit/",
        f"{BOARD}submit/",
        f"{BOARD}submit/?system=1",
        "/benchmarks/closed/submit/",
    ),
    *("/account/tokens/", "/account/emails/", "/accounts/email/", "/accounts/password/change/"),
    *("/accounts/logout/", "/accounts/reauthenticate/"),
]


@shared_rows
def keys() -> dict:
    """Fill boards of every kind, with tie groups and with removed, judged, reported and unscored results."""
    demo, fhir_demo = factories.make_demo(), factories.make_fhir_demo()
    user = factories.make_user(first_name="王實驗室")
    team = personal_team(user)
    user.teams.update(name="王實驗室")
    good = medagentbench.GOOD.read_bytes()
    # The second system sets a best score.
    names = {"甲系統": 2, "乙系統": 0, "Xylo": 6, "Zeta": 12, "Quux": 20, "Corge": 30, "Grault": 1}
    submissions = [
        factories.make_published(
            user, demo, factories.with_wrong(good, wrong) if wrong else good, system=name, organisation="臺北"
        )
        for name, wrong in names.items()
    ]
    withdraw(submission_id=submissions[5].pk, team=team, by=user, reason="模型有誤")
    disqualify(submission_id=submissions[6].pk, by=user, reason="以任務訓練")
    answers = fhir_agentbench.GOOD.read_bytes()
    judged = [factories.make_published(user, fhir_demo, answers, system=name) for name in ("甲系統", "Xylo")]
    scored = factories.make_scored(user, demo, medagentbench.MIDDLING.read_bytes(), system="Zeta")
    factories.send(user, demo, medagentbench.MALFORMED.read_bytes(), system="Zeta")
    factories.make_demo(slug="empty", is_demo=False)
    for slug, benchmark in (("closed", "medagentbench"), ("fhir-agentbench", "fhir-agentbench")):
        Board.objects.create(slug=slug, benchmark=benchmark, version="1", title="FHIR-AgentBench")
    # The question of a board is in the language of its organisers.
    Board.objects.update(question="。")
    load_reported(board=Board.objects.get(slug="fhir-agentbench"))
    for board in Board.objects.all():
        compute_statistics(board_id=board.pk)
    systems = [submission.system_id for submission in submissions]
    return {
        "n": BoardEvent.objects.get(submission=submissions[6], action="published").number,
        "two": _query_of(systems[:2]),
        "four": _query_of(systems[:4]),
        "judged": _query_of([submission.system_id for submission in judged]),
        "systems": [*systems, judged[0].system_id],
        "best": submissions[0].pk,
        "scored": scored.pk,
    }


def _query_of(systems: list[int]) -> str:
    return "&".join(f"system={system}" for system in systems)


def _names() -> set[str]:
    """Return names and facts of systems, titles and judges, which pages never translate."""
    names = {"official: o4-mini", "rules 7", *ReportedResult.objects.values_list("name", flat=True)}
    for system in System.objects.all():
        # A row may name a model as its benchmark does.
        names |= {system.name, system.organisation, system.source, *system.model_names}
    for board in Board.objects.all():
        names |= {board.version, board.title}
    # A text of one letter would match inside every word.
    return {text for text in names if len(text) > 1}


def english_of(response, *typed: str) -> dict[str, list[str]]:
    """Return the English words of a page in Chinese; those about leaderboards have no Latin marks either."""
    content, path = response.content.decode(), response.request["PATH_INFO"]
    assert '<html lang="zh-Hant"' in content or "<html" not in content
    assert re.search("[\u4e00-\u9fff]", content), "no page in Chinese"
    if re.match("/zh-hant/(benchmarks|embed|systems)/(?!.*/submit/)", path):
        assert ill_set_in(content) == []
    return english_in(content, given=(*typed, *_names()))


def test_no_public_page_has_words_in_english(visitor, keys, db):
    for path in PUBLIC:
        response = visitor.get(f"/zh-hant{path.format(**keys)}", follow=True)
        expected = 404 if path == "/nothing-here/" or "999999" in path else 200
        assert response.status_code == expected, path
        assert english_of(response) == {}, path
    published = System.objects.filter(team=None).values_list("pk", flat=True)
    for key in (*keys["systems"], *published[:2], *published.filter(name__contains="Null")):
        response = visitor.get(f"/zh-hant/systems/{key}/")
        assert (response.status_code, english_of(response)) == (200, {})


def test_no_page_of_a_signed_in_user_has_words_in_english(ada, user):
    create_token(user=user, name="每夜", days=30)
    for path in OWN:
        response = ada.get(f"/zh-hant{path}", follow=True)
        assert response.status_code == 200, path
        assert english_of(response) == {}, path


def test_the_pages_of_a_team_have_no_words_in_english(ada, grace, visitor, user):
    link = f"/zh-hant/teams/join/{factories.make_invitation_link(user)}/"
    create_token(user=user, name="每夜", days=30, team=factories.make_team(user))
    own = (
        "/account/teams/",
        "/account/teams/ward-lab/",
        "/account/tokens/",
        "/submissions/",
        f"{BOARD}submit/",
    )
    pages = [ada.get(f"/zh-hant{path}") for path in own]
    pages += [client.get(link) for client in (ada, grace, visitor)]
    pages += [visitor.get("/zh-hant/teams/join/gone/"), ada.post("/zh-hant/account/teams/", {"handle": "-"})]
    assert [english_of(page, "Ward Lab", "ward-lab", "team", "API") for page in pages] == [{}] * len(pages)


def test_a_submission_has_no_words_in_english_whatever_its_status(ada, user, keys):
    scored = Submission.objects.get(pk=keys["scored"])
    rejected = Submission.objects.get(status=Status.REJECTED)

    def check(submission) -> None:
        response = ada.get(f"/zh-hant/submissions/{submission.pk}/")
        assert (response.status_code, english_of(response)) == (200, {}), submission.status

    for submission in (Submission.objects.get(pk=keys["best"]), scored, rejected):
        check(submission)
    of_team = {"submission_id": scored.pk, "team": scored.team, "by": user}
    check(publish(**of_team))
    check(withdraw(**of_team, reason="。"))
    # With the fields that a worker sets.
    Work.objects.filter(pk=scored.pk).update(progress={"read": 10, "total": 50})
    fields = {
        Status.SCORING: {"claim": scored.pk},
        Status.INCOMPLETE: {"waits_for": "provider-down"},
        Status.FAILED: {"failure": NO_VERDICT},
    }
    unset = {"claim": None, "waits_for": "", "failure": "", "withdrawn_at": None}
    unset |= {"published_at": None, "evaluation": None, "scored_at": None, "withdrawal_reason": ""}
    for status in {*Status} - {Status.SCORED, Status.REJECTED, Status.SEALED}:
        values = {**unset, **fields.get(status, {}), "status": status}
        Submission.objects.filter(pk=scored.pk).update(**values)
        check(scored)


def test_tasks_have_no_words_in_english(ada, demo, keys):
    for level in ("by-task", "by-check", "answers"):
        Board.objects.filter(pk=demo.pk).update(feedback=level)
        response = ada.get(f"/zh-hant/submissions/{keys['scored']}/tasks/?outcome=all")
        assert response.status_code == 200
        assert "task1_1" in response.content.decode()
        # A sentence on a POST names the fields of FHIR that are wrong.
        assert {text: words for text, words in english_of(response).items() if "POST" not in text} == {}


def test_refused_forms_of_accounts_have_no_words_in_english(visitor, ada, user):
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
        assert english_of(response) == {}, (path, form)
