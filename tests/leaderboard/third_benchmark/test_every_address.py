"""A family with only the required members: each page, export and resource of its board responds."""

import json
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from leaderboard.models import UNLIMITED, Benchmark, BoardOrganiser, Feedback, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.statistics.compute import compute_statistics
from scoring import registry
from tests.support import factories
from tests.support.example_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.walk import paths, queries, without_page

_TASKS = 30


def answers(*, right: int) -> bytes:
    """Return a file of the example family with the first `right` of thirty answers right."""
    return json.dumps(
        [{"id": f"q{n}", "answer": str(n) if n < right else "?"} for n in range(_TASKS)]
    ).encode()


@pytest.fixture
def family() -> Iterator[ExactMatch]:
    with registry.registered(ExactMatch()) as added:
        yield added


@pytest.fixture
def board(family, db) -> Benchmark:
    benchmark = Benchmark(
        slug="exact", family=family.slug, version="1", title="Exact", question="Thirty questions.",
        feedback=Feedback.BY_TASK, **UNLIMITED,
    )  # fmt: skip
    references = {f"q{n}": ExactReference(answer=str(n)) for n in range(_TASKS)}
    import_references(benchmark=benchmark, references=references, origin="tests")
    return Benchmark.objects.get(slug="exact")


@pytest.fixture
def published(board, user, django_capture_on_commit_callbacks) -> list[Submission]:
    """Publish two systems on the leaderboard, and compute the statistics."""
    with django_capture_on_commit_callbacks(execute=True):
        rows = [
            factories.make_published(user, board, answers(right=right), system=f"Agent {right}")
            for right in (25, 12)
        ]
    compute_statistics(benchmark_id=board.pk)
    return rows


def statuses(visitor, owner, program, organiser, board, published, token_key) -> dict[str, set[int]]:
    """Return name -> the status codes of that URL, for all clients and in both languages."""
    statuses_by_name: dict[str, set[int]] = {}
    for name, path in paths(board, published, token_key):
        is_page = name.startswith("web:")
        first, *others = queries(name, path, published)
        person = organiser if name.startswith("web:organise") else owner
        requests = [(client, "", first) for client in (visitor, person if is_page else program)]
        requests += [(visitor, "", query) for query in others]
        requests += [(person, "/zh-hant", first)] if is_page else []
        for client, language, query in requests:
            response = client.get(f"{language}{path}{query}")
            assert response.status_code < 500, f"{language}{path}{query}"
            statuses_by_name.setdefault(name, set()).add(response.status_code)
    return statuses_by_name


# Each level once. The one that shows, and so reads, everything is walked on both: on SQLite by more roles.
LEVELS = [
    pytest.param(
        Feedback.BY_TASK,
        marks=pytest.mark.skipif(
            connection.vendor == "sqlite",
            reason="this walk is about PostgreSQL: on SQLite it is in test_canary.py",
        ),
    ),
    *(pytest.param(level, marks=pytest.mark.sqlite_alone) for level in (Feedback.BY_TYPE, Feedback.OVERALL)),
]


@pytest.mark.parametrize("feedback", LEVELS)
def test_no_address_of_a_board_without_breakdowns_fails(board, published, user, settings, feedback):
    settings.SITE = settings.SITE | {"terms": {"url": "", "text": "Be honest."}}
    Benchmark.objects.filter(pk=board.pk).update(feedback=feedback)
    board.refresh_from_db()
    token, secret = create_token(user=user, name="tests", days=1)
    visitor, owner, program, organiser = (Client(raise_request_exception=False) for _ in range(4))
    owner.force_login(user)
    program.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    someone = factories.make_user("organiser@example.org")
    BoardOrganiser.objects.create(user=someone, benchmark=board)
    organiser.force_login(someone)
    statuses_by_name = statuses(visitor, owner, program, organiser, board, published, token.token_key)
    assert without_page(statuses_by_name) == set()
    assert len(statuses_by_name) > 50


@pytest.mark.parametrize("name", ["by-task-type", "distribution", "precision-recall"])
def test_a_view_that_needs_a_breakdown_is_not_found(board, published, visitor, name):
    views = f"/benchmarks/{board.slug}/views"
    for ending in ("/", ".csv", ".json", "/chart.svg"):
        assert visitor.get(f"{views}/{name}{ending}").status_code == 404
        assert visitor.get(f"{views}/forest{ending}").status_code == 200


def test_two_systems_are_compared_over_all_tasks_alone(board, published, visitor):
    pair = {"system": [str(submission.system_id) for submission in published]}
    [comparison] = visitor.get(f"/api/v1/benchmarks/{board.slug}/compare/", pair).json()["pairs"]
    assert comparison["better"] == published[0].system_id
    assert comparison["groups"] == {}
    page = visitor.get(f"/benchmarks/{board.slug}/compare/", pair).content.decode()
    assert "Agent 25" in page


def test_the_about_page_names_no_groups_that_claims_are_limited_to(board, published, visitor):
    page = visitor.get(f"/benchmarks/{board.slug}/about/").content.decode()
    assert "mid-p McNemar test" in page
    assert "The claim is about tasks of these" not in page


def test_the_admin_shows_the_board_and_its_submissions(board, published, admin_client):
    keys = {"benchmark": board.pk, "submission": published[0].pk, "system": published[0].system_id}
    for model, key in keys.items():
        assert admin_client.get(reverse(f"admin:leaderboard_{model}_changelist")).status_code == 200
        assert admin_client.get(reverse(f"admin:leaderboard_{model}_change", args=[key])).status_code == 200
