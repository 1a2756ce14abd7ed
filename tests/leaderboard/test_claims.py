"""Page, exports, API, front page and embedded table of a leaderboard say one thing of its order."""

import csv
import html
import json
import re

import numpy as np
import pytest

from leaderboard.models import Board, Feedback, Kind
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.rank_statistics import WhyNot
from tests.support.factories import make_demo, make_fhir_demo, make_published, make_user, with_answers
from tests.support.rows import put_row, raise_revision, revise
from wardboard.scoring.fhir_agentbench import demo as fhir_demo_files
from wardboard.scoring.medagentbench.demo import GOOD

UNREADABLE, WRONG = "Nein, vielleicht doch.", "Final answer: 987654"


def medagent_file(rng, level: int) -> bytes:
    ids = [result["task_id"] for result in json.loads(GOOD.read_bytes())["results"]]
    wrong = rng.choice(ids, level, replace=False)
    return with_answers(GOOD.read_bytes(), **{task: f'["certainly not {task}"]' for task in wrong.tolist()})


def fhir_file(rng, level: int) -> bytes:
    records = json.loads(fhir_demo_files.GOOD.read_bytes())
    for number in rng.choice(len(records), level, replace=False):
        records[number]["agent_answer"] = UNREADABLE if rng.random() < 0.2 else f"{WRONG}.{number}"
    return json.dumps(records).encode()


# System -> why it is not tested; None for the others, one of which was decided on by another judge.
NOT_TESTED = {"S08": "other-references", "S09": "rules", "S11": "reported", "S12": "baseline"}
NOT_TESTED["Null agent"] = "baseline"
UNRANKED = "It is listed without a rank"


def publish_systems(board: Board) -> None:
    """Publish seven systems, some nearly equal, and one of each other kind of row beside them."""
    rng, user = np.random.default_rng(7), make_user()
    make_file = medagent_file if board.benchmark == "medagentbench" else fhir_file
    make_published(user, board, make_file(rng, 1), system="S08", harness="official")
    board = revise(board)
    for number, level in enumerate((2, 4, 4, 20, 22, 40, 40, 3, 1, 5)):
        facts = {"system": f"S{number:02}", "harness": "own-tools" if number == 9 else "official"}
        if number != 8:
            make_published(user, board, make_file(rng, level), **facts)
    judge = board.standings.filter(kind=Kind.RESCORED).values_list("judge", flat=True)[0]
    board.standings.filter(name="S07").update(judge="another")
    change_settings(board=board, values={"needs_official_harness": True})
    put_row(board, "S11", 0.97, judge=judge)
    put_row(board, "S12", 0.05, kind=Kind.BASELINE)
    compute_statistics(board_id=board.pk)
    raise_revision(board)


def text_of(fragment: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", fragment)))


def marked_in(content: str) -> set[str]:
    """Return the systems whose rows are marked as tied for first."""
    rows = re.findall(r"<tr .*?</tr>", content, re.DOTALL)
    return {re.search(r"\bS\d\d\b", text_of(row))[0] for row in rows if "tied for 1st" in row}


def cells(row: dict) -> list[str]:
    """Return what an export says of the order of a row, as texts."""
    names = ("rank", "rank_to", "rank_low", "rank_high", "tied_for_first", "p_next", "not_tested")
    return ["" if row[name] is None else str(row[name]) for name in names]


@pytest.mark.parametrize("make", [make_demo, make_fhir_demo])
def test_pages_exports_and_the_api_contradict_each_other_nowhere(db, visitor, make):
    board = make()
    publish_systems(board)
    Board.objects.filter(pk=board.pk).update(feedback=Feedback.ANSWERS)
    address = f"/benchmarks/{board.slug}/"
    for query in ("", "?q=S0", "?source=rescored"):
        rows = json.loads(visitor.get(f"{address}board.json{query}").getvalue())["rows"]
        table = visitor.get(f"{address}board.csv{query}").getvalue().decode("utf-8-sig")
        api = visitor.get(f"/api/v1{address}leaderboard/{query}").json()["rows"]
        exported = {row["system"]: cells(row) for row in rows}
        assert exported == {row["system"]: cells(row) for row in csv.DictReader(table.splitlines())}
        for row in api:
            low, *_, high = row["rank_interval_95"] or [None, None]
            row |= {"system": row["system"]["name"], "rank_low": low, "rank_high": high}
        assert exported == {row["system"]: cells(row) for row in api}
        for row in rows:
            assert (row["system"], row["not_tested"]) == (row["system"], NOT_TESTED.get(row["system"]))
            tested = row["not_tested"] is None
            assert (row["rank_low"] is not None, row["tied_for_first"] is not None) == (tested, tested), row
            assert row["p_next"] is None or tested
            if row["rank_low"] is not None:
                assert row["rank_low"] <= row["rank"] <= row["rank_to"] <= row["rank_high"], row
                assert row["tied_for_first"] <= (row["rank_low"] == 1), row
            card = text_of(visitor.get(f"/systems/{row['system_id']}/").text)
            reasons = [why for why in WhyNot if why.label in card or (why == "rules" and UNRANKED in card)]
            # The banner of a row as published has other words for its reason.
            assert reasons == [*({row["not_tested"]} - {None, WhyNot.REPORTED})]
        page = visitor.get(f"{address}{query}").text
        assert marked_in(page) == {row["system"] for row in rows if row["tied_for_first"]}, query
    tied = marked_in(visitor.get(address).text)
    assert tied
    assert marked_in(visitor.get(f"/embed/{board.slug}/?rows=100").text) == tied
    sentence = re.search(r"([\d,]+) systems are tied for first", text_of(visitor.get("/").text))
    assert (int(sentence[1]) if sentence else 0) == len(tied)
