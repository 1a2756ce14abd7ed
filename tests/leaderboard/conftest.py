"""Fixtures for all tests of the service."""

import os
import uuid
from pathlib import Path

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Role, Submission, User
from leaderboard.services.boards import read_rows
from leaderboard.services.files import child, storage, store
from leaderboard.services.judging import task_groups
from leaderboard.services.publishing import import_references
from leaderboard.services.statistics import rank_statistics
from leaderboard.services.teams import invitations, members
from tests.support import s3
from tests.support.factories import client_of, make_bare, make_published, make_user, send_queued


@pytest.fixture(autouse=True)
def nothing_kept(settings):
    """Clear what processes keep before each test, because the next database uses the same keys again.

    That is all caches, and the key of the last database in the folder of uploads.
    """
    # The key of the last test's database, and when its files were looked after.
    for name in ("installation", "owner", "checked", "accounts-cleared"):
        (settings.UPLOADS / name).unlink(missing_ok=True)
    for cache in caches.all():
        cache.clear()
    for function in (read_rows.task_count, rank_statistics._load, task_groups._load):
        function.cache_clear()


@pytest.fixture(autouse=True)
def only_own_rows(request, monkeypatch):
    """Let a repeated import of MedAgentBench add no baseline, as `factories.make_demo` adds none.

    So the rows and events of a board are those that the test makes. `baseline_rows` switches this off.
    """
    if "baseline_rows" in request.fixturenames:
        return
    put = import_references.put_baselines

    def put_others(*, board):
        if board.benchmark != "medagentbench":
            put(board=board)

    monkeypatch.setattr(import_references, "put_baselines", put_others)


@pytest.fixture
def baseline_rows():
    """Let imports of MedAgentBench add its baseline."""


@pytest.fixture(scope="session")
def s3_endpoint():
    """Serve S3-compatible storage for the session; return its URL."""
    with s3.serve() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(s3_endpoint, settings, tmp_path, monkeypatch):
    """Keep uploads in a bucket of the test's own; files arrive in a folder of the test's own."""
    for name, value in s3.KEYS.items():
        monkeypatch.setenv(name, value)
    made = s3.make_bucket(s3_endpoint)
    settings.UPLOADS, settings.UPLOADS_S3 = tmp_path / "spool", made.options
    storage._bucket.cache_clear()
    yield made
    storage._bucket.cache_clear()


@pytest.fixture
def postgres():
    """Make an empty database on PostgreSQL, whatever the tests run on; yield its URL."""
    import psycopg
    from psycopg import sql

    from tests.support.databases import CANDIDATES

    name = f"test_empty_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    for url in filter(None, CANDIDATES):
        try:
            server = psycopg.connect(url, autocommit=True, connect_timeout=20)
            break
        except psycopg.Error as error:
            reason = str(error)
    else:
        pytest.skip(f"no PostgreSQL: {reason}")
    with server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield url.rsplit("/", 1)[0] + f"/{name}"
    finally:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def folder(settings, tmp_path) -> Path:
    """Use a new folder as the store, and return it."""
    settings.UPLOADS = tmp_path / "uploads"
    return settings.UPLOADS


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def ada(user) -> Client:
    return client_of(user)


@pytest.fixture
def grace(other_user) -> Client:
    return client_of(other_user)


@pytest.fixture
def boss(db) -> User:
    return make_user("boss@example.org")


@pytest.fixture
def queued(user, fhir_demo, good_answers) -> Submission:
    """Return a submission that was queued and never taken up."""
    return send_queued(user, fhir_demo, good_answers)


@pytest.fixture
def published(demo, user, good_file):
    """Publish a result with 47 of 50 answers right."""
    return make_published(user, demo, good_file)


@pytest.fixture
def lab(user):
    """A team of several people that `user` owns."""
    return members.create_team(user=user, name="Ward Lab", handle="ward-lab")


@pytest.fixture
def colleague(lab, user, other_user):
    """Another member of the team `lab`."""
    invitation = invitations.invite(team=lab, by=user, email=other_user.email, role=Role.MEMBER)
    invitations.accept(token=invitations.token_for(invitation), user=other_user)
    return other_user


@pytest.fixture
def upload():
    """Return a function that makes the form field of a file."""
    return lambda raw, name="results.json": SimpleUploadedFile(name, raw)


@pytest.fixture
def words(db):
    """Create a FHIR-AgentBench board without references or rows, judged by rules."""
    return make_bare("words", title="Words")


@pytest.fixture
def same_process(monkeypatch) -> None:
    """Read files in this process, where the test has planted something that a child would not have."""

    def run(work, *, seconds, is_strange=False, **options):
        opened = {name: each._file if type(each) is child.Handed else each for name, each in options.items()}
        return work(**opened)

    monkeypatch.setattr(child, "run", run)


@pytest.fixture
def writers(monkeypatch) -> list:
    """Return the list of file writers that the test opens in this process."""
    writers = []
    real = store.FileWriter.__init__

    def begin(self, **options):
        writers.append(self)
        real(self, **options)

    monkeypatch.setattr(store.FileWriter, "__init__", begin)
    return writers
