"""A benchmark with only the required members: each page, export and resource of its board responds."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from django.test import Client

from leaderboard.models import UNLIMITED, Board, BoardOrganiser, Feedback, Submission, User
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
def benchmark() -> Iterator[ExactMatch]:
    with registry.registered(ExactMatch()) as added:
        yield added


def make_board(feedback: Feedback) -> Board:
    board = Board(
        slug=f"exact-{feedback}", benchmark=ExactMatch.slug, version="1", title="Exact",
        question="Thirty questions.", feedback=feedback, **UNLIMITED,
    )  # fmt: skip
    references = {f"q{n}": ExactReference(answer=str(n)) for n in range(_TASKS)}
    import_references(board=board, references=references, origin="tests")
    return Board.objects.get(pk=board.pk)


def publish_two(board: Board, user: User) -> list[Submission]:
    """Publish two systems on the leaderboard, and compute the statistics."""
    rows = [
        factories.make_published(user, board, answers(right=right), system=f"Agent {right}")
        for right in (25, 12)
    ]
    compute_statistics(board_id=board.pk)
    return rows


@pytest.fixture
def board(benchmark, db) -> Board:
    return make_board(Feedback.BY_TASK)


@pytest.fixture
def published(board, user, django_capture_on_commit_callbacks) -> list[Submission]:
    with django_capture_on_commit_callbacks(execute=True):
        return publish_two(board, user)


@dataclass
class Walk:
    """What clients get at every address, in both languages.

    asked: clients and paths, as two addresses share queries
    statuses: name of a URL -> its status codes
    """

    asked: set[tuple[Client, str]] = field(default_factory=set)
    statuses: dict[str, set[int]] = field(default_factory=dict)

    def ask(self, visitor, owner, program, organiser, board, published, token_key) -> None:
        for name, path in paths(board, published, token_key):
            is_page = name.startswith("web:")
            first, *others = queries(name, path, published)
            person = organiser if name.startswith("web:organise") else owner
            requests = [(client, f"{path}{first}") for client in (visitor, person if is_page else program)]
            requests += [(visitor, f"{path}{query}") for query in others]
            requests += [(person, f"/zh-hant{path}{first}")] if is_page else []
            for client, address in requests:
                if (client, address) in self.asked:
                    continue
                self.asked.add((client, address))
                response = client.get(address)
                assert response.status_code < 500, address
                self.statuses.setdefault(name, set()).add(response.status_code)


def test_no_address_of_a_board_without_breakdowns_fails(
    benchmark, user, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.SITE = settings.SITE | {"terms": {"url": "", "text": "Be honest."}}
    draw_as_svg(monkeypatch)
    # The levels that show, and so read, more are walked in test_canary.py, by more roles.
    board = make_board(Feedback.BY_TYPE)
    with django_capture_on_commit_callbacks(execute=True):
        published = publish_two(board, user)
    token, secret = create_token(user=user, name="tests", days=1)
    visitor, owner, program, organiser = (Client(raise_request_exception=False) for _ in range(4))
    owner.force_login(user)
    program.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    someone = factories.make_user("organiser@example.org")
    organiser.force_login(someone)
    BoardOrganiser.objects.create(user=someone, board=board)
    walk = Walk()
    walk.ask(visitor, owner, program, organiser, board, published, token.token_key)
    assert sum(f"/{board.slug}/" in path for _, path in walk.asked) > 100
    # It has no traces, and shows nothing of single tasks.
    assert without_page(walk.statuses) == {"web:trace", "api:tasks"}
    assert len(walk.statuses) > 50
