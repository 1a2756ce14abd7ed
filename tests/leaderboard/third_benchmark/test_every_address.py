"""A benchmark with only the required members: each page, export and resource of its board responds."""

import json
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from django.test import Client

from leaderboard.models import UNLIMITED, Board, BoardOrganiser, Feedback
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.walk import draw_as_svg, paths, queries, without_page
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases

_TASKS = 30


def answers(*, right: int) -> bytes:
    """Return a file of the example benchmark with the first `right` of thirty answers right."""
    return json.dumps(
        [{"id": f"q{n}", "answer": str(n) if n < right else "?"} for n in range(_TASKS)]
    ).encode()


@pytest.fixture
def board(db) -> Iterator[Board]:
    # The levels that show, and so read, more are walked in test_canary.py, by more roles.
    board = Board(
        slug="exact", benchmark=ExactMatch.slug, version="1", title="Exact",
        question="Thirty questions.", feedback=Feedback.BY_TYPE, **UNLIMITED,
    )  # fmt: skip
    references = {f"q{n}": ExactReference(answer=str(n)) for n in range(_TASKS)}
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        import_references(board=board, references=references, origin="tests")
        yield Board.objects.get(pk=board.pk)


def test_no_address_of_a_board_without_breakdowns_fails(
    board, user, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.SITE = settings.SITE | {"terms": {"url": "", "text": "Be honest."}}
    draw_as_svg(monkeypatch)
    with django_capture_on_commit_callbacks(execute=True):
        published = [
            factories.make_published(user, board, answers(right=right), system=f"Agent {right}")
            for right in (25, 12)
        ]
        compute_statistics(board_id=board.pk)
    token, secret = create_token(user=user, name="tests", days=1)
    visitor, owner, program, organiser = (Client(raise_request_exception=False) for _ in range(4))
    owner.force_login(user)
    program.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    someone = factories.make_user("organiser@example.org")
    organiser.force_login(someone)
    BoardOrganiser.objects.create(user=someone, board=board)
    # Two addresses may share queries.
    asked: set[tuple[Client, str]] = set()
    statuses: dict[str, set[int]] = {}
    for name, path in paths(board, published, token.token_key):
        is_page = name.startswith("web:")
        first, *others = queries(name, path, published)
        person = organiser if name.startswith("web:organise") else owner
        requests = [(client, f"{path}{first}") for client in (visitor, person if is_page else program)]
        requests += [(visitor, f"{path}{query}") for query in others]
        requests += [(person, f"/zh-hant{path}{first}")] if is_page else []
        for client, address in requests:
            if (client, address) not in asked:
                asked.add((client, address))
                status = client.get(address).status_code
                assert status < 500, address
                statuses.setdefault(name, set()).add(status)
    assert sum(f"/{board.slug}/" in path for _, path in asked) > 100
    # It has no traces, shows nothing of single tasks, is code, and no demonstration.
    hidden = {"web:trace", "api:tasks", "api:declaration", "web:shared", "api:season"}
    assert without_page(statuses) == hidden
    assert len(statuses) > 50
