"""Would-be ranks where a language model judges: by stored verdicts, without a call, as ranges that hold."""

import dataclasses
import json

import pytest

from leaderboard.models import JudgedAnswer, JudgeDay, JudgeMode, Standing
from leaderboard.services.desk import regrading
from leaderboard.services.publishing.import_references import activate_revision, import_references
from leaderboard.services.submissions import rescore
from tests.support.factories import fhir_references, make_fhir_demo, make_published
from tests.support.llm_server import LlmServer
from tests.support.pages.desk import words

pytestmark = [pytest.mark.django_db(transaction=True)]


def scores(board) -> dict[str, float]:
    rows = Standing.objects.filter(board=board, evaluation__isnull=False)
    return dict(rows.values_list("name", "score"))


@pytest.mark.parametrize("mode", [JudgeMode.HYBRID, JudgeMode.LLM])
def test_the_preview_makes_no_call_and_its_scores_are_the_least_that_rescoring_gives(
    mode, user, other_user, good_answers, settings, staff
):
    board, vague = make_fhir_demo("judged", judge_mode=mode), json.loads(good_answers)
    for record in vague[:20]:
        record["agent_answer"] = f"As far as I can see: {record['agent_answer']}, more or less"
    references = dict(fhir_references())
    for task, reference in list(references.items())[:12]:
        references[task] = dataclasses.replace(reference, question=f"{reference.question} Say it briefly.")
    with LlmServer() as server:
        settings.JUDGE = settings.JUDGE | {"base_url": server.url, "model": "o4-mini", "name": "stub"}
        make_published(user, board, good_answers, system="Alpha")
        make_published(other_user, board, json.dumps(vague).encode(), system="Beta")
        staged = import_references(
            board=board, references=references, origin="tests", is_staged=True
        ).revision
        calls, stored = server.stats()["calls"], JudgedAnswer.objects.count()
        day = JudgeDay.objects.values_list("calls", "cost").get()
        foreseen = regrading.preview_revision(board, staged)
        assert (foreseen.graded, foreseen.left, foreseen.kept) == (2, 0, [])
        page = words(staff.get("/organise/boards/judged/references/2/"))
        assert f"{foreseen.open_answers} answers have no stored verdict" in page
        # At most as many answers as changed are open, since every other verdict is stored.
        assert 0 < foreseen.open_answers <= 2 * 12
        assert server.stats()["calls"] == calls
        assert JudgedAnswer.objects.count() == stored
        assert JudgeDay.objects.values_list("calls", "cost").get() == day
        before = scores(board)
        activate_revision(revision=staged, was=board.active_revision_id, by=user)
        assert "have no stored verdict" in words(staff.get("/organise/boards/judged/rescoring/"))
        board.refresh_from_db()
        assert rescore.rescore(board=board).changed == 2
        assert server.stats()["calls"] > calls
    least = before | {change.name: change.after.score for change in foreseen.changes}
    for name, score in scores(board).items():
        assert score >= least[name] - 0.0005
