"""Figures corrected for the known errors of a judge: the command, what it keeps, and where they are shown."""

import json

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import AuditEvent, Board, JudgeErrors, JudgeMode
from tests.support.factories import fhir_references, make_fhir_demo
from tests.support.llm_server import LlmReply, LlmServer
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row
from wardboard.scoring.statistics.misclassification import JudgeErrorCounts, corrected_rate, effective_total

pytestmark = [pytest.mark.django_db(transaction=True)]
SOURCE = "two physicians"
COUNTS = [90, 10, 20, 80]


@pytest.fixture
def board():
    return make_fhir_demo("words")


def state_counts(board, *counts, judge="rules 6", source=SOURCE):
    call_command("judge_errors", board.slug, counts=list(counts or COUNTS), judge=judge, source=source)


def write_pairs(path, *pairs):
    path.write_text("\n".join(json.dumps(pair) for pair in pairs))
    return path


def stored(board) -> list[int]:
    row = JudgeErrors.objects.get(board=board)
    return [row.both_right, row.false_rejects, row.false_accepts, row.both_wrong]


class TestTheCommand:
    def test_labelled_answers_are_put_to_the_judge_of_the_board(self, board, tmp_path, capsys):
        references = fhir_references()
        # One truth of a kind that the rules read for sure.
        task_id = next(key for key, reference in references.items() if reference.true_answer == "[[1]]")
        pairs = write_pairs(
            tmp_path / "pairs.ndjson",
            {"question_id": task_id, "agent_answer": "Yes.", "label": 1},
            {"question_id": task_id, "agent_answer": "Yes.", "label": 0},
            {"question_id": task_id, "agent_answer": "No.", "label": 0},
            {"question_id": task_id, "agent_answer": None, "label": 0},
            # Left open by the rules, which counts as rejected.
            {"question_id": task_id, "agent_answer": "Perhaps, or perhaps not.", "label": 1},
        )
        call_command("judge_errors", board.slug, pairs=pairs, source=SOURCE)
        assert stored(board) == [1, 1, 1, 2]
        assert JudgeErrors.objects.get().judge == "rules 6"
        assert "nothing is shown with fewer than 20 of each" in capsys.readouterr().out

    def test_the_pairs_are_kept_nowhere(self, board, tmp_path, capsys, caplog):
        task_id = next(iter(fhir_references()))
        answer = "a very particular answer"
        pairs = write_pairs(
            tmp_path / "pairs.ndjson", {"question_id": task_id, "agent_answer": answer, "label": 0}
        )
        call_command("judge_errors", board.slug, pairs=pairs, source=SOURCE)
        kept = [str(list(model.objects.values())) for model in (JudgeErrors, AuditEvent)]
        assert answer not in "".join([*kept, caplog.text, capsys.readouterr().out])
        assert task_id not in "".join(kept)

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("{secret", "line 1 is not JSON"),
            ('["secret"]', "line 1 is not an object"),
            ('{"question_id": "secret", "agent_answer": "x", "label": 2}', "neither 0 nor 1"),
            (
                '{"question_id": "secret", "agent_answer": "x", "label": 1}',
                "1 questions are not on this leaderboard",
            ),
        ],
    )
    def test_what_is_not_a_labelled_answer_is_refused_without_a_quote(self, board, tmp_path, line, why):
        pairs = tmp_path / "pairs.ndjson"
        pairs.write_text(line)
        with pytest.raises(CommandError, match=why) as refused:
            call_command("judge_errors", board.slug, pairs=pairs, source=SOURCE)
        assert "secret" not in str(refused.value)
        assert not JudgeErrors.objects.exists()

    def test_a_file_without_an_answer_does_not_replace_what_is_known(self, board, tmp_path):
        state_counts(board)
        with pytest.raises(CommandError, match="there are no labelled answers"):
            call_command("judge_errors", board.slug, pairs=write_pairs(tmp_path / "empty"), source=SOURCE)
        assert stored(board) == COUNTS

    def test_a_judge_that_is_away_stores_nothing(self, board, tmp_path, settings):
        Board.objects.filter(pk=board.pk).update(judge_mode=JudgeMode.LLM)
        task_id = next(iter(fhir_references()))
        pairs = write_pairs(
            tmp_path / "pairs.ndjson", {"question_id": task_id, "agent_answer": "x", "label": 0}
        )
        with LlmServer(LlmReply(status=503)) as server:
            settings.JUDGE = {**settings.JUDGE, "base_url": server.url, "attempts": 1, "backoff": 0}
            with pytest.raises(CommandError, match="provider-down"):
                call_command("judge_errors", board.slug, pairs=pairs, source=SOURCE)
        assert not JudgeErrors.objects.exists()

    def test_counts_replace_earlier_ones_and_can_be_removed(self, board):
        state_counts(board)
        state_counts(board, 50, 0, 0, 50)
        assert stored(board) == [50, 0, 0, 50]
        call_command("judge_errors", board.slug, remove=True, judge="rules 6")
        assert not JudgeErrors.objects.exists()
        fields = AuditEvent.objects.order_by("-pk").first().data["fields"]
        assert fields == {"judge_errors": {"judge": "rules 6", "labelled": None}}

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            ({"counts": COUNTS, "judge": "rules 6"}, "--source"),
            ({"counts": COUNTS, "source": SOURCE}, "--judge"),
            ({"counts": [-1, 2, 3, 4], "judge": "rules 6", "source": SOURCE}, "0 or more"),
        ],
    )
    def test_what_is_missing_is_named(self, board, options, why):
        with pytest.raises(CommandError, match=why):
            call_command("judge_errors", board.slug, **options)


class TestWhereItIsShown:
    def test_the_page_of_a_system_shows_it_beside_the_figure_and_says_where_it_is_from(self, board, client):
        row = put_row(board, "A", counts=(480, 1000), judge="rules 6")
        address = f"/systems/{row.system_id}/"
        assert "Corrected" not in text_of(client.get(address))
        state_counts(board)
        text = text_of(client.get(address))
        known = JudgeErrorCounts(both_right=90, false_rejects=10, false_accepts=20, both_wrong=80)
        total = effective_total(0.48, 1000, (row.low, row.high))
        corrected = corrected_rate(0.48, total, known)
        assert "48.0%" in text
        ends = f"{corrected.low:.1%} to {corrected.high:.1%}"
        assert f"Corrected for errors of the judge: 40.0% ({ends})" in text
        assert "accepts 90.0% of the correct ones and rejects 80.0% of the wrong ones" in text
        assert "100 correct and 100 wrong answers labelled (two physicians)" in text
        assert "nothing is ranked by it" in text

    def test_the_api_has_it_and_ranks_stay(self, board, client):
        put_row(board, "A", counts=(480, 1000), judge="rules 6")
        put_row(board, "B", counts=(500, 1000), judge="rules 6")
        put_row(board, "C", counts=(300, 1000), judge="official: o4-mini")
        address = f"/api/v1/benchmarks/{board.slug}/leaderboard/"
        before = client.get(address).json()["rows"]
        state_counts(board)
        rows = client.get(address).json()["rows"]
        assert [row.pop("corrected") is not None for row in rows] == [True, True, False, False]
        assert [row.pop("corrected") for row in before] == [None] * 4
        assert rows == before
        figure = client.get(address).json()["rows"][1]["corrected"]
        assert (figure["rate"], figure["sensitivity"], figure["specificity"]) == (0.4, 0.9, 0.8)
        assert figure["interval_95"][0] < 0.4 < figure["interval_95"][1]
        assert (figure["labelled_right"], figure["labelled_wrong"], figure["source"]) == (100, 100, SOURCE)

    @pytest.mark.parametrize("counts", [(60, 40, 40, 60), (19, 0, 10, 90)])
    def test_it_is_not_shown_where_too_little_is_known(self, board, client, counts):
        row = put_row(board, "A", counts=(480, 1000), judge="rules 6")
        state_counts(board, *counts)
        assert "Corrected" not in text_of(client.get(f"/systems/{row.system_id}/"))

    def test_the_errors_of_another_judge_or_board_do_not_count(self, board, client):
        row = put_row(board, "A", counts=(480, 1000), judge="rules 6")
        state_counts(board, judge="rules 1")
        state_counts(make_fhir_demo("other"))
        assert "Corrected" not in text_of(client.get(f"/systems/{row.system_id}/"))

    def test_what_the_organiser_wrote_cannot_be_markup(self, board, client):
        row = put_row(board, "A", counts=(480, 1000), judge="rules 6")
        state_counts(board, source="<b>us</b>")
        content = client.get(f"/systems/{row.system_id}/").content.decode()
        assert "&lt;b&gt;us&lt;/b&gt;" in content
        assert "<b>us</b>" not in content
