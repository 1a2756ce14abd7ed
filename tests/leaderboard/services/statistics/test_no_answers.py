"""Saying nothing wins nothing: a file of blanks, errors or refusals changes no claim about any other row."""

import json
import random
from pathlib import Path

import pytest

from leaderboard.models import Board
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.summary import summary_of
from leaderboard.services.errors import RequestInvalid
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import make_demo, make_fhir_demo, make_published, make_scored, make_user
from tests.support.scoring.no_answers import BLANKS, ERRORS, REFUSALS, UNKNOWN
from wardboard.scoring.fhir_agentbench.demo import GOOD as FHIR_GOOD
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

MIXES = {"blanks": BLANKS, "errors": ERRORS, "refusals": REFUSALS, "any": (*BLANKS, *ERRORS, *REFUSALS, None)}
MIXES |= {text: [text] for text in UNKNOWN}
BENCHMARKS = {"medagentbench": (make_demo, GOOD), "fhir-agentbench": (make_fhir_demo, FHIR_GOOD)}


def file_with(file: Path, answers: list) -> bytes:
    """Return the demonstration file in which the first tasks have these answers, and nothing was sent."""
    document = json.loads(file.read_bytes())
    records = document["results"] if isinstance(document, dict) else document
    for record, answer in zip(records, answers, strict=False):
        record["answer" if "task_id" in record else "agent_answer"] = answer
        record["post_history"] = []
    return json.dumps(document).encode()


def differing(texts: list, number: int) -> list:
    """Return texts with ids of their own, and more space in a file of a higher number."""
    ids = [f"{at:08x}-4b1c-9d2e" for at in range(len(texts))]
    return [text and text.replace("{id}", one) + " " * number for one, text in zip(ids, texts, strict=True)]


def claims(board: Board, client) -> tuple:
    """Return the head of the board, and the rows of its table by system."""
    compute_statistics(board_id=board.pk)
    board = Board.objects.without_references().select_related("state").get(pk=board.pk)
    rows = client.get(f"/api/v1/benchmarks/{board.slug}/leaderboard/").json()["rows"]
    return summary_of(Query(board_at=BoardAt(board))), {row["system"]["name"]: row for row in rows}


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_file_that_says_nothing_changes_no_other_row(db, client, benchmark, mix):
    make, file = BENCHMARKS[benchmark]
    board, user = make(), make_user()
    for name, wrong in {"A": 2, "B": 9, "C": 30}.items():
        make_published(user, board, file_with(file, [f'["no", "{i}"]' for i in range(wrong)]), system=name)
    before = claims(board, client)
    for number in range(2):
        silent = file_with(file, differing(random.Random(number).choices(MIXES[mix], k=60), number))
        made = make_published(user, board, silent, system=f"Silent {number}", allow_empty=True)
        assert made.no_answers == made.count
    head, rows = claims(board, client)
    for row in [rows.pop("Silent 0"), rows.pop("Silent 1")]:
        assert (row["rank"], row["not_tested"], row["unmet_rules"][-1]) == (None, "rules", "mostly_answers")
        assert mix in UNKNOWN or row["metrics"].get("left_open", 0) == 0
    assert (head, rows) == before


@pytest.mark.parametrize(("kept", "runs"), [(25, 1), (24, 1), (50, 2), (50, 3)])
def test_a_task_that_is_missing_from_a_run_has_no_answer(db, kept, runs):
    has_rank = kept >= 25 * runs
    board, user, document = make_demo(), make_user(), json.loads(GOOD.read_bytes())
    part = json.dumps({**document, "results": document["results"][:kept]}).encode()
    if not has_rank:
        with pytest.raises(RequestInvalid) as refused:
            make_scored(user, board, part, runs=runs)
        (problem,), tasks = refused.value.facts, 50 * runs
        assert str(problem.message).startswith(f"{kept} of {tasks} tasks are in the file: at most ")
    made = make_published(user, board, part, runs=runs, allow_empty=True)
    assert board.standings.filter(BoardAt(board).lead_rules.condition).exists() is has_rank
    assert LeadRules.of(board).unmet_by_result(made) == ([] if has_rank else [LeadRule.ANSWERS])
