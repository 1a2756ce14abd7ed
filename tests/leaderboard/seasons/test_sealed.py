"""Sealed means sealed: until the reveal, nothing that anyone sees depends on which answers are right.

Two files are sent to the same open season, each scored in the background, and taken back. They give the
same texts, to other tasks, and have other numbers of right answers.
"""

import logging
import re
from contextlib import nullcontext
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.core import mail
from django.core.cache import caches
from django.db import transaction
from django.test import Client

from leaderboard.models import (
    UNLIMITED,
    Access,
    AuditEvent,
    BoardEvent,
    BoardOrganiser,
    Draft,
    Evaluation,
    Scope,
    SealedFile,
    Status,
    Submission,
    Work,
)
from leaderboard.services.accounts import create_token
from leaderboard.services.notifications.send import notify
from leaderboard.services.seasons import score
from leaderboard.services.seasons.score import open_result
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions import grade, score_draft
from tests.support import factories
from tests.support.api_client import as_file
from tests.support.pairs import NUMBERS, with_fhir, with_medagentbench
from tests.support.seasons import CLOSED, DURING, at, make_season, send, work
from tests.support.walk import draw_as_svg, mask, paths, text_of
from wardboard.scoring.medagentbench import demo as medagentbench

pytestmark = pytest.mark.django_db
# No file has a part in these: documents, and forms of accounts.
_APART = re.compile(
    r"(api|web):(docs|terms|privacy|tokens|emails-off|join-team|schema|problem|openapi|device|team|choose)"
    # The file itself, for organisers.
    r"|web:organise-file|(account|mfa)_|web:delete|.*(callback|login|signature|robots|sitemap|favicon)"
)
_SAME_FOR_ALL = re.compile("web:(view|chart|embed|badge|.*card)")
_HEADERS = ("Retry-After", "ETag", "Location", "Last-Modified")


def _everything(user, season, raw: bytes, people, caplog, *, paid: int, fault=None):
    """Send a file and score it; return its verdicts, and all that anyone gets, without names and times."""
    for cache in caches.all():
        cache.clear()
    caplog.clear()
    mail.outbox.clear()
    seen: dict[str, str] = {}
    with transaction.atomic():
        submission = send(user, season, raw)
        with patch.object(score, "build_evaluation", side_effect=fault) if fault else nullcontext():
            work(DURING)
        row = SealedFile.objects.get(pk=submission.pk)
        verdicts = open_result(row)[0].verdicts if row.result else row.fault
        # As a judge's replies are as long as what it has to say.
        Work.objects.filter(pk=submission.pk).update(judge_calls=paid, judge_cost=paid)
        for now in (DURING, CLOSED):
            work(now)
            with at(now + timedelta(minutes=30)):
                _ask(season, submission, people, seen)
                caches["boards"].delete("notified")
                notify()
        assert not Evaluation.objects.filter(submission=submission).exists()
        for rows in (
            *(model.objects.values("action", "data") for model in (AuditEvent, BoardEvent)),
            Submission.objects.filter(pk=submission.pk).values(),
            Work.objects.filter(pk=submission.pk).values("attempts", "resumed", "progress", "worked_on_by"),
        ):
            seen[rows.model.__name__] = "\n".join(map(str, rows))
        transaction.set_rollback(True)
    seen["emails"] = "\n".join(f"{each.to} {each.subject}\n{each.body}" for each in mail.outbox)
    seen["log"] = "\n".join(record.getMessage() for record in caplog.records)
    return verdicts, mask(seen)


def _ask(season, submission, people, seen: dict[str, str]) -> None:
    """Ask every address of the season for everyone, and what operators watch."""
    rows = "/admin/leaderboard/submission/"
    of_admin = (rows, f"{rows}{submission.pk}/change/", "/admin/leaderboard/auditevent/")
    addresses = [*paths(season.board, [submission], "0"), *(("web:admin", path) for path in of_admin)]
    for role, person in {"anonymous": None, **people}.items():
        browser = program = Client()
        if person:
            token = create_token(user=person, name="ci", days=1, scopes=tuple(Scope))[1]
            browser = factories.client_of(person)
            program = Client(headers={"authorization": f"Bearer {token}"})
        for name, path in addresses:
            if _APART.match(name) or (person and _SAME_FOR_ALL.match(name)):
                continue
            answer = (program if name.startswith("api:") else browser).get(path)
            kept = [answer.status_code, *map(answer.headers.get, _HEADERS)]
            seen[f"{role}: {name} {len(seen)}"] = f"{kept}\n{text_of(answer)}"
    metrics = Client().get("/metrics", headers={"authorization": "Bearer of metrics"})
    assert metrics.status_code == 200
    lines = metrics.text.split("\n")
    timed = re.compile("second|disk|_created|^wardboard_http")
    seen[f"metrics {len(seen)}"] = "\n".join(line for line in lines if not timed.search(line))


def _differences(*seen: dict[str, str]) -> set[tuple[str, str]]:
    lines = [{(place, line) for place in each for line in each[place].split("\n")} for each in seen]
    return lines[0] ^ lines[1]


@pytest.mark.parametrize(
    ("make", "write", "places"),
    # Rules leave other answers of the second file of the latter open, and more.
    [(factories.make_demo, with_medagentbench, NUMBERS), (factories.make_fhir_demo, with_fhir, range(60))],
)
def test_nothing_depends_on_the_verdicts_until_the_reveal(
    user, settings, monkeypatch, caplog, make, write, places
):
    files = [write(frozenset(some)) for some in (places[:2], places[3:12])]
    settings.NOTIFIES, settings.METRICS_TOKEN = True, "of metrics"
    draw_as_svg(monkeypatch)
    caplog.set_level(logging.DEBUG, logger="leaderboard")
    factories.verify(user)
    fields = {**UNLIMITED, "access": Access.ANYONE, "feedback": "answers", "rounding": 0}
    board = make("hidden", is_demo=False, keep_originals=True, **fields)
    factories.make_published(user, board, files[0] + b" ", system="Of the open board")
    compute_statistics(board_id=board.pk)
    season = make_season(board)
    organiser = factories.get_user("organiser@example.org")
    BoardOrganiser.objects.create(board=season.board, user=organiser)
    people = {
        "sender": user,
        "other team": factories.make_user("other@example.org"),
        "organiser": organiser,
        "operator": factories.make_user("operator@example.org", is_staff=True, is_superuser=True),
    }
    (first, seen), (second, others) = (
        _everything(user, season, raw, people, caplog, paid=paid) for paid, raw in enumerate(files, 1)
    )
    assert first != second
    assert len(seen) > 800
    assert _differences(seen, others) == set()
    if board.benchmark == "medagentbench":
        fault = KeyError("a reference")
        failed, others = _everything(user, season, files[0], people, caplog, paid=3, fault=fault)
        assert failed == score.OUR_FAULT
        # Operators have to mend it, and the line says only where it is.
        lines = _differences(seen, others)
        # Organisers see besides how many files have no result.
        assert {place for place, _ in lines if "organise-season" not in place} == {"log"}
        assert "a reference" not in str(lines)


def test_no_request_grades_a_file_of_a_season(user, monkeypatch):
    graded, grade_now = [], grade.grade

    def count(submission, *args, **options):
        graded.append(submission)
        return grade_now(submission, *args, **options)

    for module in (grade, score, score_draft):
        monkeypatch.setattr(module, "grade", count)
    factories.verify(user)
    season = make_season(factories.make_demo("hidden", is_demo=False))
    facts, slug = factories.make_form_facts(), season.board.slug
    with at(DURING):
        browser = factories.client_of(user)
        for path, fields in (
            (f"/benchmarks/{slug}/submit/", facts),
            ("/api/v1/submissions/", {"benchmark": slug, **facts}),
            ("/api/v1/validations/", {"benchmark": slug}),
            # On the front page, while its leaderboard takes no files.
            ("/submit/", {}),
        ):
            answer = browser.post(path, {"file": as_file(medagentbench.GOOD.read_bytes()), **fields})
            assert answer.status_code < 400, answer.content
    assert [match.get("score") for draft in Draft.objects.all() for match in draft.matches] == [None]
    assert graded == []
    work(DURING)
    # The entry alone: the last file.
    assert graded == [Submission.objects.filter(status=Status.SEALED).latest("received_at")]
