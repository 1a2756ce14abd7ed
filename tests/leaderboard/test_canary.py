"""Marked values in every kind of reference answer, and a walk over every address: none of them comes out.

What else every address must do is looked at on the same walk, as it takes long: none fails, and each has a
page for someone. The leaderboards of all benchmarks are
in one database, so that pages about all of them are asked for once.

The pages of staff, who import the reference answers, are left out; those of the organisers of one leaderboard
are not. It walks on SQLite alone: third_benchmark/test_every_address.py walks on PostgreSQL too.
"""

import io
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.core import mail
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from leaderboard.models import (
    UNLIMITED,
    Board,
    BoardOrganiser,
    CommitmentKey,
    Feedback,
    ReferenceRevision,
    Scope,
    SealedFile,
    Submission,
)
from leaderboard.services.accounts import create_token
from leaderboard.services.doubts import reports
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.judging.references import references_of
from leaderboard.services.notifications.send import notify
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import activate_revision, import_references
from leaderboard.services.record.chain import read_heads, write_log
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions.rescore import rescore
from tests.support import factories
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.seasons import DURING, at, make_season, send, work
from tests.support.walk import draw_as_svg, paths, queries, text_of, without_page
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import demo as fhir_files
from wardboard.scoring.medagentbench import demo as medagentbench_files

TEXT, NUMBER, TIME = "CANARYx7Qz", 918273645, "1931-07-19T03:17:41+00:00"
# As pages and files may write them.
_WRITTEN = (TEXT, str(NUMBER), f"{NUMBER:,}", f"{NUMBER:.3f}", "1931-07-19")


def _marked(value: Any) -> Any:
    """Return a marked value of the same kind as `value`."""
    match value:
        case None | bool():
            return value
        case int() | float():
            return type(value)(NUMBER)
        case str() if value[:4].isdigit() and "T" in value:
            return TIME
        case str():
            return f"{TEXT} {len(value)}"
        case list() | tuple():
            return type(value)(map(_marked, value))
        case dict():
            return {kind: _marked(inner) for kind, inner in value.items()}
    raise AssertionError(f"no mark for {type(value)}")


def _mark(references: Mapping[str, Any], *fields: str) -> dict[str, Any]:
    """Mark the fields of two references in three: with all marked, no answer would be right."""
    return {
        task: replace(ref, **{name: _marked(getattr(ref, name)) for name in fields}) if number % 3 else ref
        for number, (task, ref) in enumerate(references.items())
    }


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A benchmark with marked references.

    wrong: a file that cannot be scored
    """

    benchmark: str
    references: Callable[[], dict[str, Any]]
    files: Callable[[], list[bytes]]
    wrong: Callable[[], bytes]
    fields: dict[str, Any] = field(default_factory=dict)


def _exact(right: int) -> bytes:
    answers = ({"id": f"q{n}", "answer": str(n) if n < right else "?"} for n in range(60))
    return json.dumps(list(answers)).encode()


PLANTED = [
    Planted(
        benchmark="medagentbench",
        references=lambda: _mark(factories.demo_references(), "value", "mrn", "time", "referral"),
        files=lambda: [medagentbench_files.GOOD.read_bytes(), medagentbench_files.MIDDLING.read_bytes()],
        wrong=medagentbench_files.MALFORMED.read_bytes,
        fields={"version": "demo", "public_traces": True},
    ),
    Planted(
        benchmark="fhir-agentbench",
        references=lambda: _mark(
            factories.fhir_references(),
            *("question", "assumption", "patient_fhir_id", "true_answer", "true_ids", "template"),
        ),
        files=lambda: [fhir_files.GOOD.read_bytes(), fhir_files.NOISY.read_bytes()],
        wrong=fhir_files.MALFORMED.read_bytes,
        fields={"version": "demo", "keep_originals": False, "feedback": Feedback.BY_CHECK},
    ),
    Planted(
        benchmark="exact-match",
        references=lambda: _mark({f"q{n}": ExactReference(answer=str(n)) for n in range(60)}, "answer"),
        files=lambda: [_exact(50), _exact(20)],
        wrong=lambda: b'[{"id": "q1"}]',
    ),
]


@dataclass(kw_only=True)
class Story:
    """A leaderboard with results.

    secrets: what is hidden of it -> as it would be shown
    """

    planted: Planted
    board: Board
    published: list[Submission]
    hidden: Submission
    secrets: dict[str, str]


@dataclass
class Walk:
    """What was asked, and what came out.

    secrets: those of all leaderboards
    asked: role and path -> the status code
    statuses: name of a URL -> its status codes
    leaks: place and the secret that was there
    failures: places that responded with an error of the server
    """

    secrets: Mapping[str, str]
    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    statuses: dict[str, set[int]] = field(default_factory=dict)
    posted: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    requests: int = 0
    leaks: list[tuple[str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def look(self, place: str, text: str, secrets: Mapping[str, str]) -> None:
        self.leaks += [(place, name) for name, secret in secrets.items() if secret in text]


def _secrets_of(board: Board) -> dict[str, str]:
    secrets = {f"the mark {text}": text for text in _WRITTEN}
    for revision in ReferenceRevision.objects.filter(board=board):
        name = f"{revision.number} of {board.benchmark}"
        key = bytes(CommitmentKey.objects.get(revision=revision).key)
        secrets |= {
            f"the digest of revision {name}": revision.digest,
            f"the beginning of the digest of revision {name}": revision.digest[:12],
            f"the seed of revision {name}": str(int(revision.digest[:8], 16)),
            f"the key of revision {name}": key.hex(),
        }
    return secrets


def _make_story(planted: Planted, user: Any) -> Story:
    """Import, submit, publish, import again, rescore and withdraw."""
    defaults = {
        "slug": f"canary-{planted.benchmark}",
        "benchmark": planted.benchmark,
        "version": "1",
        "title": "Canary",
        "question": "Any?",
        "feedback": Feedback.BY_TASK,
        **UNLIMITED,
        "rounding": 1,
        "is_demo": False,
    }
    board = Board(**(defaults | planted.fields))
    references = planted.references()
    # An earlier revision, of which everything is hidden too: the same in another order.
    import_references(board=board, references=dict(reversed(references.items())), origin="first")
    board = Board.objects.get(slug=board.slug)
    first, second = planted.files()
    published = [
        # A name of its own: one system on all leaderboards would have one page.
        factories.make_published(user, board, raw, system=f"Agent {number} of {planted.benchmark}")
        for number, raw in enumerate((first, second))
    ]
    import_references(board=board, references=references, origin="second")
    _set_aside(Board.objects.get(pk=board.pk), published[0], user)
    rescore(board=Board.objects.get(pk=board.pk))
    hidden = factories.make_scored(user, board, first + b"\n", system="Unpublished agent")
    compute_statistics(board_id=board.pk)
    board = Board.objects.get(pk=board.pk)
    stored = [astuple(reference) for reference in references_of(board.active_revision).values()]
    assert TEXT in str(stored), "the marks are in the database"
    secrets = _secrets_of(board)
    return Story(planted=planted, board=board, published=published, hidden=hidden, secrets=secrets)


def _set_aside(board: Board, submission: Submission, user: Any) -> None:
    """Report three tasks, decline the first report, and set the marked second task aside."""
    tasks = board.active_revision.task_ids[:3]
    for task in tasks:
        fields = {"task_id": task, "kind": "wrong-answer", "text": "Twice."}
        reports.report(submission_id=submission.pk, team=submission.team, by=user, **fields)
    reports.decline(board=board, task_id=tasks[0], by=user, reason="Checked.")
    revision = stage_set_aside(board=board, tasks={tasks[1]: "Two orders fit."}, by=user)
    activate_revision(revision=revision, was=board.active_revision_id, by=user)


def _clients(stories: list[Story], user: Any) -> dict[str, Client]:
    """Return a client for each role."""
    other, organiser = factories.make_user("other@example.org"), factories.make_user("organiser@example.org")
    for story in stories:
        BoardOrganiser.objects.create(user=organiser, board=story.board)
    clients = {"stranger": Client(raise_request_exception=False)}
    for role, person in {"submitter": user, "other team": other, "organiser": organiser}.items():
        clients[role] = Client(raise_request_exception=False)
        clients[role].force_login(person)
        name = f"token of the {role}"
        _, secret = create_token(user=person, name=name, days=1, scopes=tuple(Scope))
        clients[name] = Client(raise_request_exception=False)
        clients[name].defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return clients


def _ask_everything(story: Story, clients: Mapping[str, Client], walk: Walk) -> None:
    for submission in (story.published[0], story.hidden):
        for name, path in paths(story.board, [submission, *story.published[1:]], "0" * 8):
            # What is not about a submission was asked already.
            if submission is story.hidden and str(submission.pk) not in path:
                continue
            first, *others = queries(name, path, story.published)
            is_public = False
            for role, client in clients.items():
                if role.startswith("token") and name.startswith("web:"):
                    continue
                # A picture takes long to draw, and is the same for everyone.
                is_picture = path.endswith((".png", ".svg"))
                if is_picture and role != "stranger":
                    continue
                is_shown = _ask(walk, role, client, name, f"{path}{first}") == 200
                if role == "stranger":
                    is_public = is_shown
                if role == "submitter" and name.startswith("web:"):
                    _ask(walk, role, client, name, f"/zh-hant{path}{first}")
                # What strangers may see, they have asked for with every query.
                if role == "stranger" or (is_shown and not is_public and role in _WHO_ASK_ALL):
                    for query in others:
                        _ask(walk, role, client, name, f"{path}{query}")


# An owner and a program of theirs: other roles see no more of a query than they do.
_WHO_ASK_ALL = ("submitter", "token of the submitter")


def _ask(walk: Walk, role: str, client: Client, name: str, path: str) -> int:
    """Get a path once, look at the response, and return its status code."""
    if (role, path) in walk.asked:
        return walk.asked[role, path]
    response = client.get(path)
    _look(walk, role, path, response)
    walk.statuses.setdefault(name, set()).add(response.status_code)
    walk.asked[role, path] = response.status_code
    return response.status_code


def _look(walk: Walk, role: str, path: str, response: Any) -> str:
    """Look for secrets in a response, and return its text."""
    walk.requests += 1
    walk.roles.add(role)
    text = text_of(response)
    secrets = walk.secrets
    if role.endswith("organiser"):
        # Who imports reference answers has them, and so their digests; the desk shows no more of them.
        secrets = {name: secret for name, secret in secrets.items() if " digest " not in name}
    walk.look(f"{role}: {path}", text + str(dict(response.headers)), secrets)
    if response.status_code >= 500:
        walk.failures.append(f"{role}: {path}")
    return text


def _send_everything(story: Story, clients: Mapping[str, Client], walk: Walk) -> None:
    """Check and submit good files, wrong ones, and what asks for the hidden tasks."""
    slug = story.board.slug
    good, wrong = story.planted.files()[0], story.planted.wrong()
    posted = ("/api/v1/validations/", "/api/v1/submissions/", "/submit/", f"/benchmarks/{slug}/submit/")
    for role, client in clients.items():
        for raw in (good, wrong, b"{}", b"\x00"):
            for path in posted:
                if role.startswith("token") and not path.startswith("/api/"):
                    continue
                body = {"benchmark": slug, "system": f"By {role}", "models": "m", "file": io.BytesIO(raw)}
                _look(walk, role, f"POST {path}", client.post(path, body))
                walk.posted.add(path)


def _write_emails(stories: list[Story]) -> None:
    """Disqualify a result of each leaderboard, which is emailed to its team, and let half an hour pass."""
    staff = factories.make_user("staff@example.org", is_staff=True)
    for story in stories:
        disqualify(submission_id=story.published[1].pk, by=staff, reason="copied")
    caches["boards"].delete_many(["notified"])
    notify(at=timezone.now() + timedelta(minutes=30))


def _look_elsewhere(walk: Walk, caplog: Any) -> None:
    for place, texts in {
        "the log of the process": [record.getMessage() + str(record.exc_info) for record in caplog.records],
        "an email": [f"{email.subject}{email.body}" for email in mail.outbox],
        "the log of events": list(write_log(read_heads())),
    }.items():
        walk.look(place, "\n".join(texts), walk.secrets)


def _watch_logs(settings: Any, monkeypatch: Any, caplog: Any) -> None:
    settings.NOTIFIES, settings.METRICS_TOKEN = True, "a token of metrics"
    draw_as_svg(monkeypatch)
    caplog.set_level(logging.INFO)
    for name in ("leaderboard", "wardboard.scoring"):
        caplog.set_level(logging.DEBUG, logger=name)


def test_no_address_fails_or_shows_a_marked_value(
    user, settings, monkeypatch, caplog, django_capture_on_commit_callbacks
):
    settings.SITE = settings.SITE | {"terms": {"url": "", "text": "Be honest."}}
    _watch_logs(settings, monkeypatch, caplog)
    factories.verify(user)
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        with django_capture_on_commit_callbacks(execute=True):
            stories = [_make_story(planted, user) for planted in PLANTED]
        walk = Walk(secrets={name: secret for story in stories for name, secret in story.secrets.items()})
        clients = _clients(stories, user)
        with django_capture_on_commit_callbacks(execute=True):
            for story in stories:
                _ask_everything(story, clients, walk)
            for story in stories:
                _send_everything(story, clients, walk)
        metrics = Client().get("/metrics", HTTP_AUTHORIZATION="Bearer a token of metrics")
        _look(walk, "stranger", "/metrics", metrics)
        _write_emails(stories)
    _look_elsewhere(walk, caplog)
    about_boards = Counter(
        story.board.benchmark
        for story in stories
        for _, path in walk.asked
        if f"/{story.board.slug}/" in path
    )
    print(
        f"{len(walk.statuses)} addresses, {len(walk.roles)} roles, {walk.requests} requests, "
        f"of these about a leaderboard {dict(about_boards)}, "
        f"{len(caplog.records)} log lines, {len(mail.outbox)} emails, {len(walk.leaks)} leaks"
    )
    assert walk.leaks == []
    assert walk.failures == []
    # Its benchmark is code, it is no demonstration, and no season.
    assert without_page(walk.statuses) == {"api:declaration", "web:shared", "api:season"}
    assert len(walk.statuses) > 80
    assert len(walk.posted) == 3 + len(stories)
    assert walk.roles == set(clients)
    assert walk.requests > 3000
    assert min(about_boards[planted.benchmark] for planted in PLANTED) > 400
    assert caplog.records
    assert mail.outbox


def test_no_address_of_an_open_season_fails_or_shows_a_marked_value(user, settings, monkeypatch, caplog):
    _watch_logs(settings, monkeypatch, caplog)
    factories.verify(user)
    # Its graders write most of what they grade by, and some tasks are set aside.
    story = _make_story(PLANTED[1], user)
    season = make_season(story.board, by=user)
    files = story.planted.files()
    sealed = [send(user, season, raw, system=f"Sealed {number}") for number, raw in enumerate(files)]
    work(DURING)
    assert all(SealedFile.objects.values_list("result", flat=True))
    board, secrets = season.board, story.secrets | _secrets_of(season.board)
    story = Story(planted=story.planted, board=board, published=sealed, hidden=sealed[1], secrets=secrets)
    walk = Walk(secrets=secrets)
    with at(DURING):
        clients = _clients([story], user)
        _ask_everything(story, clients, walk)
        _send_everything(story, clients, walk)
        for role, client in clients.items():
            for path in ("/submissions/{}/statement/", "/api/v1/submissions/{}/statement/"):
                answer = client.post(path.format(sealed[0].pk), {"statement": "We expect little."})
                _look(walk, role, f"POST {path}", answer)
        work(DURING)
        notify()
    _look_elsewhere(walk, caplog)
    print(f"{len(walk.statuses)} addresses, {walk.requests} requests, {len(walk.leaks)} leaks")
    assert walk.leaks == []
    assert walk.failures == []
    assert 200 in walk.statuses["api:season"]
    assert 200 in walk.statuses["web:organise-open-file"]
    assert walk.roles == set(clients)
    assert walk.requests > 1000


def test_the_walk_finds_what_is_shown(user):
    # The digest of public references is on their pages: so the same walk would see a leak.
    planted = replace(PLANTED[-1], fields={"is_demo": True})
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        story = _make_story(planted, user)
        walk = Walk(secrets=story.secrets)
        page = f"/benchmarks/{story.board.slug}/about/"
        _look(walk, "stranger", page, Client().get(page))
    assert "the digest of revision 3 of exact-match" in {name for _, name in walk.leaks}
