"""A family with only the required members: each page, export and resource of its board responds."""

import csv
import io
import json
import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import UNLIMITED, Benchmark, BoardOrganiser, Feedback, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.statistics.compute import compute_statistics
from scoring import registry
from scoring.fhir_agentbench import demo
from tests.support import factories
from tests.support.example_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.walk import paths, queries

_TASKS = 30
# Paths that accept only POST.
_POSTED = {
    "approval", "cancel", "publish", "request-approval", "revoke", "validations", "withdraw",
    "discard-draft", "organise-act", "organise-decide", "organise-discard", "organise-end-announcement",
    "organise-end-quota", "create-review-link", "revoke-review-link",
}  # fmt: skip


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


# Times of day, numbers of papers, p-values, which have three significant figures instead, and costs.
_OTHER_DECIMALS = re.compile(
    r":\d\d\.\d+|(arXiv:|arxiv\.org/abs/)\d{4}\.\d{5}|(\$|&#36;)\d\.\d{4}\b"
    r"|\"(p|p_next|p_holm|cost_per_question|cost_per_task)\": ?[\d.e-]+"
    # Of Every Eval Ever, only costs have no highest score.
    r'|"Infinity"}, "score_details": {"score": [\d.e-]+'
)
_LONG = re.compile(r"\d\.\d{4,}")


def _printed(response) -> str:
    """Return what a response says: of a page or picture its texts and labels, without coordinates."""
    text = response.getvalue().decode(errors="ignore")
    if response.headers.get("Content-Type", "").startswith("text/csv"):
        others = {"p_next": "", "cost_per_question": "", "cost_per_task": ""}
        lines = [{**line, **others} for line in csv.DictReader(io.StringIO(text))]
        text = "\n".join(",".join(map(str, line.values())) for line in lines)
    if response.headers.get("Content-Type", "").startswith(("text/html", "image/svg", "application/atom")):
        labels = re.findall(r'(?:aria-label|title|alt|content)="([^"]*)"', text)
        text = re.sub(r"<(style|script|svg)\b.*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL) + " ".join(labels)
    return _OTHER_DECIMALS.sub("", text)


def _long_numbers(response) -> list[str]:
    """Return numbers with more than three decimals, each with what stands before it."""
    text = _printed(response)
    return [text[max(0, match.start() - 40) : match.end()] for match in _LONG.finditer(text)]


def _is_for_programs(name: str) -> bool:
    """Tell whether the URL describes the API: a schema has numbers of any length."""
    return any(word in name for word in ("schema", "openapi", "docs"))


def statuses(
    visitor, owner, program, organiser, board, published, token_key, *, in_full
) -> dict[str, set[int]]:
    """Return name -> the status codes of that URL, for all clients and in both languages.

    in_full: whether the owner, too, asks every query, and no response may have a number that is too long.
    """
    statuses_by_name: dict[str, set[int]] = {}
    for name, path in paths(board, published, token_key):
        is_page = name.startswith("web:")
        first, *others = queries(name, path, published)
        person = organiser if name.startswith("web:organise") else owner
        clients = (visitor, person if is_page else program)
        requests = [(client, "", first) for client in clients]
        requests += [(client, "", query) for client in clients[: 2 if in_full else 1] for query in others]
        requests += [(person, "/zh-hant", first)] if is_page else []
        for client, language, query in requests:
            response = client.get(f"{language}{path}{query}")
            assert response.status_code < 500, f"{language}{path}{query}"
            if in_full and not _is_for_programs(name):
                assert _long_numbers(response) == [], f"{language}{path}{query}"
            statuses_by_name.setdefault(name, set()).add(response.status_code)
    return statuses_by_name


# Each level with SQLite; with PostgreSQL the one that shows, and so reads, everything.
LEVELS = [
    Feedback.BY_TASK,
    *(pytest.param(level, marks=pytest.mark.any_database) for level in (Feedback.BY_TYPE, Feedback.OVERALL)),
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
    statuses_by_name = statuses(
        visitor,
        owner,
        program,
        organiser,
        board,
        published,
        token.token_key,
        in_full=feedback == Feedback.BY_TASK,
    )
    # Every URL has a page, except for those that accept only POST.
    empty = {name for name, codes in statuses_by_name.items() if min(codes) >= 400}
    refused = {name for name in statuses_by_name if name.partition(":")[2] in _POSTED}
    assert refused
    assert empty == refused
    assert len(statuses_by_name) > 50


def _published_in_words(user) -> list[Submission]:
    board = factories.make_fhir_demo(is_demo=False, rounding=1, slug="hidden-words")
    raw = demo.GOOD.read_bytes()
    document = json.loads(raw)
    other = json.dumps(document[:41] if isinstance(document, list) else document).encode()
    return [
        factories.make_published(user, board, file, system=f"Agent {number}")
        for number, file in enumerate((raw, other) if other != raw else (raw,))
    ]


# Of a board without words, the walk over all addresses looks at each number.
@pytest.mark.any_database
def test_no_number_with_more_than_three_decimals_leaves_an_address_of_judged_answers(user):
    published = _published_in_words(user)
    compute_statistics(benchmark_id=published[0].benchmark_id)
    board = published[0].benchmark
    _, secret = create_token(user=user, name="tests", days=1)
    visitor, owner, program = (Client(raise_request_exception=False) for _ in range(3))
    owner.force_login(user)
    program.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    checked = 0
    for name, path in _board_paths(board, published):
        if _is_for_programs(name):
            continue
        clients = (visitor, owner if name.startswith("web:") else program)
        for client in clients[: 1 if path.endswith(".png") else 2]:
            for query in queries(name, path, published):
                assert _long_numbers(client.get(f"{path}{query}")) == [], f"{path}{query}"
                checked += 1
    assert checked > 40


def _board_paths(board: Benchmark, published: list[Submission]) -> Iterator[tuple[str, str]]:
    """Yield the paths that are about the board, its systems or their submissions."""
    for name, path in paths(board, published, "0" * 8):
        if board.slug in path or str(published[0].pk) in path or f"/{published[0].system_id}" in path:
            yield name, path


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
