"""An installation of the first release, with files in its database, becomes one of today."""

import gzip
import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from leaderboard.models import Benchmark, Kind, Standing, Status, Submission
from leaderboard.services.errors import NoRoom
from leaderboard.services.files import store
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import sweep
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = [("leaderboard", "0001_initial")]


def migrate(targets):
    """Migrate the test's database to `targets`; return the models of then."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def today() -> list[tuple[str, str]]:
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    return [node for node in leaves if node[0] == "leaderboard"]


@pytest.fixture
def first_release(settings, tmp_path):
    """The models of the first release, on a database as it made them; today's come back afterwards."""
    settings.UPLOADS = tmp_path / "uploads"
    apps = migrate(FIRST)
    try:
        yield apps
    finally:
        migrate(today())


@pytest.fixture
def fill(first_release, good_file):
    """Makes a board with a submission of each kind; returns the ids by kind."""

    def model(name):
        return first_release.get_model("leaderboard", name)

    def fill_() -> dict[str, object]:
        now = timezone.now()
        user = model("User").objects.create(email="old@example.org", password="!")
        team = model("Team").objects.create(name="Old")
        board = model("Benchmark").objects.create(
            slug="old", family="medagentbench", version="demo", title="Old", question="?"
        )
        system = model("System").objects.create(team=team, name="Agent")
        made = {}
        for kind, raw in {"queued": good_file, "rejected": None, "failed": b"{}"}.items():
            digest = hashlib.sha256(raw or b"gone").hexdigest()
            row = model("Submission").objects.create(
                benchmark=board,
                team=team,
                submitted_by=user,
                system=system,
                status=kind,
                sha256=digest,
                size_bytes=len(raw or b"gone"),
                problem_count=1 if kind == "rejected" else 0,
                failure="It broke." if kind == "failed" else "",
                received_at=now,
                moved_at=now,
            )
            if raw is not None:
                model("Upload").objects.create(submission=row, gzipped=gzip.compress(raw))
            made[kind] = row.pk
        paper = model("System").objects.create(name="Published", source="A paper")
        model("Standing").objects.create(benchmark=board, system=paper, score=0.5, since=now)
        return made

    return fill_


def content(submission: Submission) -> bytes:
    with store.original(submission.stored_as) as file:
        return file.read()


def test_files_move_from_the_database_to_the_disk_byte_for_byte(fill, good_file, settings):
    made = fill()
    migrate(today())
    queued, failed, rejected = (
        Submission.objects.get(pk=made[kind]) for kind in ("queued", "failed", "rejected")
    )
    assert (content(queued), content(failed)) == (good_file, b"{}")
    assert hashlib.sha256(content(queued)).hexdigest() == queued.sha256
    assert not store.is_there(rejected.stored_as)
    assert len({queued.stored_as, failed.stored_as, rejected.stored_as}) == 3
    assert len(list(Path(settings.UPLOADS).iterdir())) == 2
    assert Standing.objects.get().kind == Kind.REPORTED
    assert "leaderboard_upload" not in connection.introspection.table_names()


def test_what_waited_in_the_first_release_is_scored_in_this_one(fill):
    made = fill()
    migrate(today())
    board = Benchmark.objects.get()
    import_references(benchmark=board, references=factories.demo_references(), origin="tests")
    sweep.sweep(older_than=timedelta(0))
    scored = Submission.objects.get(pk=made["queued"])
    assert (scored.status, scored.evaluation.right) == (Status.SCORED, 47)


def test_a_migration_that_was_cut_off_goes_on_and_moves_each_file_once(fill, monkeypatch):
    made = fill()
    migrate([("leaderboard", "0002_files_on_disk_and_judges")])
    real, calls = store.arrive, []

    def full_at_the_second(chunks):
        calls.append(1)
        if len(calls) == 2:
            raise NoRoom("full")
        return real(chunks)

    with monkeypatch.context() as full:
        full.setattr(store, "arrive", full_at_the_second)
        with pytest.raises(NoRoom):
            migrate(today())
    migrate(today())
    assert content(Submission.objects.get(pk=made["failed"])) == b"{}"
    assert store.is_there(Submission.objects.get(pk=made["queued"]).stored_as)
