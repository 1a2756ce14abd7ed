"""The desk's page of models, and where their names are joined."""

import csv
import io

from leaderboard.models import Board, BoardEvent
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts.views import available_views, read_view
from leaderboard.services.publishing.reported.results import load_reported
from leaderboard.services.record.as_of import find_as_of
from tests.support.pages.desk import words
from tests.support.rows import put_row

PAGE, BOARD = "/organise/boards/hidden/models/", "/benchmarks/hidden/"


def test_an_organiser_joins_spellings_or_keeps_them_apart_and_all_that_names_models_follows(
    desk, visitor, board
):
    dated = "gpt-4o-2024-08-06"
    for number, model in enumerate(("GPT-4o", "openai/gpt-4o", dated, "4")):
        put_row(board, model, 0.5, model_names=[model], harness="own-tools", harness_name=f"h{number}")

    def models(end: str, column: str) -> list[str]:
        text = visitor.get(BOARD + end).getvalue().decode("utf-8-sig")
        return [line[column] for line in csv.DictReader(io.StringIO(text))]

    assert words(desk.get(PAGE)).count(">proposed<") == 1
    for name, number in ((dated, 2), ("gpt-4o", 3)):
        desk.post(PAGE, {f"model:{dated}": name, "model:4": "5"})
        assert "proposed" not in words(desk.get(PAGE))
        assert f"“{dated}” is the model “{name}”" in visitor.get(f"{BOARD}changes/").text
        shown = models("views/by-harness.csv", "canonical_models")
        assert len(shown) == len(models("board.csv?model=openai/gpt-4o", "models")) == number
        assert set(shown) == {"GPT-4o" if name == dated else name}
    row, *_ = visitor.get("/api/v1/benchmarks/hidden/leaderboard/?model=GPT-4o").json()["rows"]
    assert (row["canonical_models"], row["system"]["models"]) == (["gpt-4o"], ["GPT-4o"])
    assert "<bdi>gpt-4o</bdi>" in visitor.get(f"/systems/{row['system_id']}/").text


def test_only_a_changed_name_of_a_stated_string_is_saved(desk, board):
    put_row(board, "A", 0.5, model_names=["csrfmiddlewaretoken", "Llama  3.1   70B", "n" * 130])
    shown = {f"model:{name}": name for name in BoardAt(board).model_names.names}
    desk.post(PAGE, {**shown, "csrfmiddlewaretoken": "secret"})
    assert not BoardEvent.objects.filter(board=board, data__kind="model").exists()


def test_a_release_joins_the_names_of_its_own_rows_from_then_on(db):
    board = Board.objects.create(slug="m", benchmark="medagentbench", version="v2", title="M", question="?")
    load_reported(board=board)
    now = BoardAt(Board.objects.without_references().get())
    (joined,) = BoardEvent.objects.filter(board=board, data__kind="model")
    past = BoardAt(now.board, find_as_of(board=board, text=str(joined.number - 1)))
    assert past.model_names.proposals == {joined.data["from"]: joined.data["to"]}
    assert joined.data["from"] in now.model_names.spellings("Claude Sonnet 4.5")
    assert not now.model_names.proposals
    (view,) = [view for view in available_views(board) if view.name == "by-harness"]
    effects = read_view(view=view, query=Query(board_at=now)).effects
    assert effects.between_models > effects.between_harnesses > effects.rest > effects.sampling
