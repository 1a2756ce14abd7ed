"""No two statements on pages, in exports and in feeds contradict each other, as read from the responses."""

import csv
import html
import json
import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from leaderboard.models import Board, BoardState, Feedback, Kind, Standing, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics.compare import Outcome, compare_systems
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.p_values import round_p
from tests.support.claims import RowClaims, View, contradictions, tied_count
from tests.support.factories import make_demo, make_fhir_demo, make_published, make_user, with_answers
from tests.support.rows import put_row, raise_revision
from wardboard.scoring.fhir_agentbench import demo as fhir_demo_files
from wardboard.scoring.medagentbench.demo import GOOD

UNREADABLE, WRONG = "Nein, vielleicht doch.", "Final answer: 987654"


def test_the_check_finds_statements_that_contradict_each_other():
    row = RowClaims(name="S01", rank=1, rank_to=1, low="1", high="2", is_marked=True, score=0.9, upper=0.9)
    other = RowClaims(name="S02", rank=2, rank_to=2, low="2", high="2", is_marked=True, score=0.8, upper=0.85)
    sentences = "3 systems are tied for first. S03 scores highest (90.0%)."
    pair = frozenset({"S01", "S02"})
    view = View(
        rows=[row, other],
        sentences=sentences,
        line=1,
        counts={"S01": (0, 0), "S02": (1, 0)},
        better={pair: "S01"},
        tested=pair,
    )
    assert set(contradictions(view)) == {
        "S02 is marked, and its interval begins at 2",
        "S03 is named, and not in the table",
        "3 systems are called tied, and 2 are marked",
        "S02 is below the line, and tied for first",
        "the systems that are better are not as many as those that are worse",
        "S02 is marked as tied, and 1 are better",
        "S02 is tied for first, and S01 is better",
        "S01 is better than S02, and its page says than none",
    }


def publish_systems(board: Board, rng: np.random.Generator) -> None:
    """Publish seven systems, some nearly equal, with rows as published and a baseline beside them."""
    user = make_user()
    levels = rng.choice([2, 4, 20, 22, 40], 7)
    for number, level in enumerate(levels):
        raw = medagent_file(rng, level) if board.benchmark == "medagentbench" else fhir_file(rng, level)
        make_published(user, board, raw, system=f"S{number:02}")
    tasks = board.ground_truth.task_count
    judge = board.standings.filter(kind=Kind.RESCORED).values_list("judge", flat=True)[0]
    put_row(board, "S10", counts=(int(tasks * 0.8), tasks), judge=judge)
    put_row(board, "S11", 0.97, judge=judge)
    put_row(board, "S12", 0.05, kind=Kind.BASELINE)
    for row in board.standings.all():
        Standing.objects.filter(pk=row.pk).update(open_weights=bool(rng.random() < 0.6))
    compute_statistics(board_id=board.pk)
    raise_revision(board)


def medagent_file(rng, level: int) -> bytes:
    ids = [result["task_id"] for result in json.loads(GOOD.read_bytes())["results"]]
    wrong = rng.choice(ids, level, replace=False)
    return with_answers(GOOD.read_bytes(), **dict.fromkeys(wrong.tolist(), '["certainly not this"]'))


def fhir_file(rng, level: int) -> bytes:
    records = json.loads(fhir_demo_files.GOOD.read_bytes())
    for number in rng.choice(len(records), level, replace=False):
        records[number]["agent_answer"] = UNREADABLE if rng.random() < 0.4 else WRONG
    return json.dumps(records).encode()


def text_of(fragment: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", fragment)))


def rows_of_page(content: str, scores: dict[str, tuple], *, is_part: bool) -> list[RowClaims]:
    """Return the rows of all tables of a leaderboard's page, as printed.

    is_part: whether only a part of the ranked rows is shown, so that ranks have no interval
    """
    rows = []
    for row in re.findall(r'<tr id="system-\d+".*?</tr>', content, re.DOTALL):
        name = re.search(r'<a class="name"[^>]*>([^<]+)</a>', row)[1]
        cell = re.search(r'<td class="rank">(.*?)</td>', row, re.DOTALL)[1]
        below = re.search(r"<small>(.*?)</small>", cell)
        # The interval is below the rank, unless it is the same.
        printed = below[1] if below else text_of(cell).strip()
        is_interval = "point" not in row and not is_part and printed not in ("", "–")
        first, _, last = printed.partition("–")
        rows.append(
            RowClaims(
                name=name,
                rank=scores[name][2],
                rank_to=scores[name][3],
                low=first if is_interval else "",
                high=(last or first) if is_interval else "",
                is_marked="tied for 1st" in row,
                score=scores[name][0],
                upper=scores[name][1],
                is_removed="withdrawn" in text_of(row).lower(),
            )
        )
    return rows


# What a page says where only a part of the rows is shown.
PART = re.compile("its interval is not shown for a part of the rows")


def scores_of(board: Board, visitor, query: str = "") -> dict[str, tuple]:
    """Return name -> the ends of the score and of the rank, from the JSON of the leaderboard."""
    document = json.loads(visitor.get(f"/benchmarks/{board.slug}/board.json{query}").getvalue())
    key = document["metrics"][0]["key"]
    upper = f"{key}_upper"
    return {
        row["system"]: (row[key], row.get(upper) or row[key], row["rank"], row["rank_to"])
        for row in document["rows"]
    }


def outcomes(board: Board, visitor) -> dict[frozenset[str], str]:
    """Return what the service claims of each pair of verified systems, as the page must say it too."""
    names = dict(board.standings.filter(kind=Kind.RESCORED).values_list("system_id", "name"))
    better = {}
    for a, b in combinations(names, 2):
        query = {"system": [a, b]}
        pair = compare_systems(board=board, systems=[a, b]).pair
        winner = {Outcome.A: names[pair.a], Outcome.B: names[pair.b]}.get(pair.outcome, "")
        if pair.p is not None:
            assert (round_p(pair.p) * pair.family.undecided < 0.05) == bool(winner)
        page = text_of(visitor.get(f"/benchmarks/{board.slug}/compare/", query).content.decode())
        loser = names[b if winner == names[a] else a] if winner else ""
        claimed = re.findall(r"(S\d+) is significantly ahead of (S\d+)", page)
        assert set(claimed) == ({(winner, loser)} if winner else set())
        better[frozenset({names[a], names[b]})] = winner
    return better


def counts_of(board: Board, visitor) -> dict[str, tuple[int, int]]:
    """Return what the page of each system says: how many are significantly better, and worse."""
    counts = {}
    for system, name in board.standings.values_list("system_id", "name"):
        page = text_of(visitor.get(f"/systems/{system}/").content.decode())
        if match := re.search(
            r"(No|\d+) systems? \w+ significantly better, (none|\d+) \w+ significantly worse", page
        ):
            better, worse = (0 if word in ("No", "none") else int(word) for word in match.groups())
            counts[name] = better, worse
    assert counts
    return counts


def views(board: Board, visitor, query: str, **known) -> list[View]:
    """Return what the page, the embedded table and the chart of a query claim, from their HTML."""
    scores = scores_of(board, visitor, query)
    content = visitor.get(f"/benchmarks/{board.slug}/{query}").content.decode()
    is_part = bool(PART.search(content))
    rows = rows_of_page(content, scores, is_part=is_part)
    finding = re.search(r'<div id="finding".*?</div>|<p class="finding.*?</p>', content, re.DOTALL)
    sentences = text_of(finding[0]) if finding else ""
    main = content.split('<details class="section')[0]
    main_rows = rows_of_page(main, scores, is_part=is_part)
    before, divider, _ = main.partition('<tr class="divider">')
    line = before.count('<tr id="system-') if divider else None
    chart = visitor.get(f"/benchmarks/{board.slug}/views/forest/{query}").content.decode()
    title = "".join(map(text_of, re.findall(r"<h2[^>]*>(.*?)</h2>", chart, re.DOTALL)[:1]))
    tested = frozenset(row.name for row in rows if row.is_marked or row.low)
    if not is_part:
        known = {**known, "tested": tested}
    return [
        View(rows=rows, sentences=f"{sentences} {title}", **known),
        View(rows=main_rows, line=line, better=known.get("better", {})),
    ]


def exported_views(board: Board, visitor, query: str, **known) -> list[View]:
    """Return what CSV, JSON and the API claim."""
    file = visitor.get(f"/benchmarks/{board.slug}/board.csv{query}").getvalue().decode("utf-8-sig")
    table = json.loads(visitor.get(f"/benchmarks/{board.slug}/board.json{query}").getvalue())["rows"]
    api = visitor.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/{query}").json()["rows"]
    key = visitor.get(f"/api/v1/benchmarks/{board.slug}/").json()["metrics"][0]["key"]
    from_csv = [
        {name: None if value == "" else value for name, value in row.items()}
        for row in csv.DictReader(file.splitlines())
    ]
    from_api = [
        {
            **row,
            "system": row["system"]["name"],
            "rank_low": (row["rank_interval_95"] or [None])[0],
            "rank_high": (row["rank_interval_95"] or [None])[-1],
            key: row["metrics"][key],
            f"{key}_upper": row["metrics"].get(f"{key}_upper"),
        }
        for row in api
    ]
    return [
        View(rows=[exported_row(row, key) for row in rows], **known) for rows in (from_csv, table, from_api)
    ]


def exported_row(row: dict, key: str) -> RowClaims:
    number = {name: None if row[name] is None else int(row[name]) for name in ("rank", "rank_to")}
    tied = {None: None, "True": True, "False": False, True: True, False: False}[row["tied_for_first"]]
    score = None if row[key] is None else float(row[key])
    upper = row.get(f"{key}_upper")
    return RowClaims(
        name=row["system"],
        rank=number["rank"],
        rank_to=number["rank_to"],
        low="" if row["rank_low"] is None else str(row["rank_low"]),
        high="" if row["rank_high"] is None else str(row["rank_high"]),
        is_marked=False,
        is_tied=tied,
        score=score,
        upper=score if upper is None else float(upper),
        is_removed=bool(row.get("gone")),
    )


@pytest.mark.parametrize("make", [make_demo, make_fhir_demo])
# Of the levels that say something of tasks, the one that says the most.
@pytest.mark.parametrize("level", [Feedback.OVERALL, Feedback.ANSWERS])
def test_pages_exports_and_feeds_contradict_each_other_nowhere(db, visitor, make, level):
    rng = np.random.default_rng([Feedback.values.index(level), len(make.__name__)])
    board = make()
    publish_systems(board, rng)
    Board.objects.filter(pk=board.pk).update(feedback=level)
    raise_revision(board)
    known = {"better": outcomes(board, visitor)}
    counts = counts_of(board, visitor)
    for query in ("", "?weights=open", "?q=S0", "?source=rescored"):
        whole = {"counts": counts} if not query else {}
        for view in (
            *views(board, visitor, query, **known, **whole),
            *exported_views(board, visitor, query, **known, **whole),
        ):
            assert contradictions(view) == [], query
    marked = {row.name for row in views(board, visitor, "")[0].rows if row.is_marked}
    check_wordings(board, visitor, marked)
    check_past(board, visitor, known)


def check_wordings(board: Board, visitor, marked: set[str]) -> None:
    """The front page and the embedded table say the same of ties as the page; a feed claims none."""
    front = text_of(visitor.get("/").content.decode())
    finding = re.search(r"[^.]*(?:tied for first|leads by)[^.]*", front)
    assert finding, front
    assert tied_count(finding[0].strip()) == (len(marked) or 1)
    embed = visitor.get(f"/embed/{board.slug}/?rows=100").content.decode()
    rows = re.findall(r"<tr class=.*?</tr>", embed, re.DOTALL)
    in_embed = {re.search(r"\bS\d\d\b", text_of(row))[0] for row in rows if "tied for 1st" in row}
    assert in_embed == marked
    feed = visitor.get(f"/benchmarks/{board.slug}/records.atom").content
    titles = [entry.text for entry in ElementTree.fromstring(feed).iter("{http://www.w3.org/2005/Atom}title")]
    assert not any("tied" in (title or "") for title in titles)


def check_past(board: Board, visitor, known: dict) -> None:
    """A past table from which rows were removed since claims nothing about these."""
    number = BoardState.objects.get(board=board).number
    first = board.standings.filter(kind=Kind.RESCORED).best_first().first()
    submission = Submission.objects.get(system=first.system_id)
    publish.withdraw(submission_id=submission.pk, team=submission.team, by=submission.submitted_by)
    past = {"better": {pair: name for pair, name in known["better"].items() if first.name not in pair}}
    for query in (f"?as_of={number}", f"?weights=open&as_of={number}"):
        for view in (*views(board, visitor, query, **past), *exported_views(board, visitor, query, **past)):
            assert contradictions(view) == [], query
            removed = [row.name for row in view.rows if row.is_removed]
            assert removed == [row.name for row in view.rows if row.name == first.name], query
