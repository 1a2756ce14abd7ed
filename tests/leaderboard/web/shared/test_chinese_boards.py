"""Boards with a long history have no English words and no Latin punctuation in Chinese, in any view."""

import html
import re

import pytest

from leaderboard.models import Board, BoardEvent, System
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import load_reported
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.statistics import compute
from tests.support import factories
from tests.support.databases import shared_rows
from tests.support.pages.words import english_in, ill_set_in
from wardboard.scoring.fhir_agentbench import demo as fhir_agentbench
from wardboard.scoring.medagentbench import demo as medagentbench

BOARD, JUDGED = "/benchmarks/medagentbench-demo/", "/benchmarks/fhir-agentbench-demo/"
REPORTED = "/benchmarks/fhir-agentbench/"
# {n}: an event in the middle of the record; {two}, {four}: parameters of that many systems.
PATHS = (
    "/",
    BOARD,
    f"{BOARD}?as_of={{n}}",
    f"{BOARD}?as_of=2020-01-01",
    f"{BOARD}?q=zebra",
    f"{BOARD}?source=reported&weights=open&sort=system",
    f"{BOARD}about/",
    f"{BOARD}changes/",
    f"{BOARD}compare/",
    f"{BOARD}compare/?q=zebra",
    f"{BOARD}compare/?{{two}}",
    f"{BOARD}compare/?{{four}}",
    f"{BOARD}compare/?system=999999",
    *(f"{BOARD}views/{name}/" for name in ("progress", "forest", "by-task-type", "by-difficulty")),
    f"{BOARD}views/approach-by-model/",
    f"{BOARD}views/forest/?as_of={{n}}",
    f"{BOARD}views/forest/?q=zebra",
    "/embed/medagentbench-demo/",
    "/embed/medagentbench-demo/?as_of={n}&scheme=dark",
    "/embed/medagentbench-demo/?q=zebra",
    JUDGED,
    f"{JUDGED}about/",
    f"{JUDGED}compare/?{{judged}}",
    *(f"{JUDGED}views/{name}/" for name in ("precision-recall", "by-resource-type", "by-precision-bucket")),
    REPORTED,
    f"{REPORTED}changes/",
    f"{REPORTED}views/approach-by-model/",
    "/embed/fhir-agentbench/",
)


@pytest.fixture
def lived_in(boards, db):
    """Return addresses of boards with tie groups and with removed, judged and reported results."""
    return boards


@pytest.fixture
def demo(lived_in) -> Board:
    return Board.objects.get(slug="medagentbench-demo")


@shared_rows
def boards() -> dict:
    demo, fhir_demo, user = factories.make_demo(), factories.make_fhir_demo(), factories.make_user()
    good_file, good_answers = medagentbench.GOOD.read_bytes(), fhir_agentbench.GOOD.read_bytes()
    Board.objects.update(question="。")
    team = personal_team(user)
    user.teams.update(name="王實驗室")

    def put(board, raw, name):
        submission = factories.make_scored(user, board, raw, system=name, organisation="臺北")
        return publish(submission_id=submission.pk, team=team, by=user)

    names = ("甲系統", "乙系統", "Xylo", "Zeta", "Quux", "Corge", "Grault")
    # The second system sets a best score.
    wrong = (2, 0, 6, 12, 20, 30, 1)
    submissions = [
        put(demo, factories.with_wrong(good_file, n) if n else good_file, name)
        for name, n in zip(names, wrong, strict=True)
    ]
    withdraw(submission_id=submissions[5].pk, team=team, by=user, reason="模型有誤")
    disqualify(submission_id=submissions[6].pk, by=user, reason="以任務訓練")
    judged = [put(fhir_demo, good_answers, name) for name in ("甲系統", "Xylo")]
    load_reported(
        board=Board.objects.create(
            slug="fhir-agentbench",
            benchmark="fhir-agentbench",
            version="1",
            title="FHIR-AgentBench",
            question="。",
        )
    )
    for board in Board.objects.all():
        compute.compute_statistics(board_id=board.pk)
    keys = [submission.system_id for submission in submissions]
    return {
        "n": BoardEvent.objects.get(submission=submissions[6], action="published").number,
        "two": _write_query(keys[:2]),
        "four": _write_query(keys[:4]),
        "judged": _write_query([submission.system_id for submission in judged]),
        "systems": [*keys, judged[0].system_id],
    }


def _write_query(system_ids: list[int]) -> str:
    return "&".join(f"system={system_id}" for system_id in system_ids)


def _collect_names() -> set[str]:
    """Collect names, which pages never translate."""
    names = {"official: o4-mini", "rules 6"}
    for system in System.objects.all():
        names |= {system.name, system.organisation, *system.model_names}
    for board in Board.objects.all():
        names |= {board.title, board.version}
    return {text for text in names if len(text) > 1}


def check_page(response) -> None:
    content = response.content.decode()
    assert '<html lang="zh-Hant"' in content
    assert english_in(content, given=_collect_names()) == {}
    assert ill_set_in(content) == []


def test_every_view_of_a_board_is_in_chinese(visitor, lived_in):
    for path in PATHS:
        response = visitor.get(f"/zh-hant{path.format(**lived_in)}", follow=True)
        assert response.status_code == (404 if "999999" in path else 200), path
        check_page(response)


def test_the_page_of_a_system_is_in_chinese_in_every_state(visitor, lived_in):
    published = System.objects.filter(team=None).values_list("pk", flat=True)
    for key in (*lived_in["systems"], *published[:2], *published.filter(name__contains="Null")):
        response = visitor.get(f"/zh-hant/systems/{key}/")
        assert response.status_code == 200
        check_page(response)


@pytest.mark.parametrize("name", ["progress", "forest", "by-task-type", "approach-by-model"])
def test_charts_are_in_chinese(visitor, lived_in, name):
    page_html = visitor.get(f"/zh-hant{BOARD}views/{name}/").content.decode()
    address = html.unescape(re.search(r'<img\s+src="([^"]+)"', page_html)[1])
    response = visitor.get(address)
    assert address.startswith("/zh-hant/")
    assert response["Content-Type"] == "image/svg+xml"
    content = response.content.decode()
    assert "Noto Sans TC" in content, "a font with Chinese letters"
    # The script of the page removes this label.
    content = re.sub(r'aria-label="Title text [^"]*"', "", content)
    assert english_in(content, given=_collect_names()) == {}


@pytest.mark.parametrize("name", ["board.csv", "board.json", "board.md", "board.tex"])
def test_exports_are_the_same_in_every_language(visitor, lived_in, name):
    def export(prefix: str) -> bytes:
        response = visitor.get(f"{prefix}{BOARD}{name}?as_of={lived_in['n']}")
        assert response.status_code == 200
        return b"".join(response.streaming_content)

    assert export("/zh-hant") == export("")
