"""What the feedback level hides stands on no page, in no file and in no answer of the API."""

import pytest

from leaderboard.models import Board, Feedback
from tests.support.addresses import BOARD
from tests.support.factories import make_published
from tests.support.rows import raise_revision
from tests.support.walk import text_of

API, SORT = "/api/v1/benchmarks/medagentbench-demo/", "?sort=-query_success_rate"
# Those of which the order would tell of a figure.
ORDERED = (f"{API}leaderboard/", *(f"{BOARD}board.{extension}" for extension in ("csv", "json", "md", "tex")))
PLACES = (BOARD, f"{BOARD}about/", "/systems/{system}/", "/submissions/{pk}/", API, *ORDERED)
# Names of figures by type, and those of the file: 23 of 25.
HIDDEN = ("query success", "query_success", "difficulty", "task_type", '"task1"', '"kind":{', "92.0", "0.92")


@pytest.mark.parametrize("place", [*PLACES, "/api/v1/submissions/{pk}/"])
def test_the_overall_level_shows_no_figure_by_type(ada, user, demo, good_file, place):
    published = make_published(user, demo, good_file)
    address = place.format(pk=published.pk, system=published.system_id)

    def shown(query: str) -> list[str]:
        response = ada.get(address + query)
        assert response.status_code == (400 if query and demo.feedback == Feedback.OVERALL else 200)
        text = text_of(response).replace(query, "").lower()
        return [hidden for hidden in HIDDEN if hidden in text.replace("sort=query_success_rate is not", "")]

    queries = ["", SORT] if place in ORDERED else [""]
    assert shown(queries[-1])
    Board.objects.update(feedback=Feedback.OVERALL)
    demo.refresh_from_db()
    raise_revision(demo)
    assert [shown(query) for query in queries] == [[]] * len(queries)
