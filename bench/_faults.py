"""The faults that faults.py plays, each on the processes of a stage."""

import os
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from http.client import HTTPException
from pathlib import Path

import psycopg
import requests
from _measured_service import create_token
from _servers_to_kill import MEMORY_LIMITS, kill, memory_group, wait_until
from _stage import ROOT, Stage

# Plays a fault for about `seconds`, and leaves everything running as before.
Fault = Callable[[Stage, float], None]


def every(pause: float, seconds: float) -> Iterator[int]:
    ends = time.monotonic() + seconds
    number = 0
    while time.monotonic() < ends:
        yield number
        number += 1
        time.sleep(pause)


def nothing(stage: Stage, seconds: float) -> None:
    """Leave everything alone, to compare with."""
    time.sleep(seconds)


def pool_children(stage: Stage, seconds: float) -> None:
    """Kill a process of the workers every second."""
    for _ in every(1, seconds):
        pool = [pid for name in stage.service.worker_names for pid in stage.service.pool(name)]
        if pool:
            kill(random.choice(pool))


def workers(stage: Stage, seconds: float) -> None:
    """Kill each worker as a whole, and start it two seconds later, as systemd does."""
    _restart_workers(stage, seconds, stage.service.kill)


def parents_of_pools(stage: Stage, seconds: float) -> None:
    """Kill the first process of each worker alone; its pool is left to itself."""
    _restart_workers(stage, seconds, stage.service.kill_only_parent)


def _restart_workers(stage: Stage, seconds: float, kill_worker: Callable[[str], None]) -> None:
    for name in stage.service.worker_names:
        kill_worker(name)
        time.sleep(2)
        stage.service.start(name)
        time.sleep(seconds / 6)


def web_servers(stage: Stage, seconds: float) -> None:
    """Kill a process of gunicorn every two seconds, and in the end all of it."""
    for _ in every(2, seconds):
        for name in stage.service.web_names:
            kill(stage.service.pool(name)[0])
    for name in stage.service.web_names:
        stage.service.kill(name)
        stage.service.start(name)
    stage.service.wait_until_up()


def everything(stage: Stage, seconds: float) -> None:
    """Kill all processes of the service at once, and start them two seconds later."""
    time.sleep(seconds / 4)
    for name in (*stage.service.web_names, *stage.service.worker_names):
        stage.service.kill(name)
    time.sleep(2)
    for name in (*stage.service.web_names, *stage.service.worker_names):
        stage.service.start(name)
    stage.service.wait_until_up()


def connections_cut(stage: Stage, seconds: float) -> None:
    """End all connections to PostgreSQL, every two seconds."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url, autocommit=True) as connection:
        for _ in every(2, seconds):
            _cut_others(connection)


def _cut_others(connection: psycopg.Connection, but: str = "") -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND application_name <> %s",
        [but or "nobody"],
    )


def database_read_only(stage: Stage, seconds: float) -> None:
    """Have PostgreSQL refuse to write, and end all connections first, as a managed database does."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url, autocommit=True) as connection:
        connection.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
        _cut_others(connection)
        for _ in every(2, seconds):
            stage.expect_page("/")
        connection.execute("ALTER DATABASE postgres RESET default_transaction_read_only")


def failover(stage: Stage, seconds: float) -> None:
    """Stop the primary as in a crash, and promote its standby a while later; it stays the primary."""
    assert stage.postgres
    assert stage.standby
    time.sleep(seconds / 4)
    stage.postgres.stop("immediate")
    time.sleep(seconds / 2)
    stage.standby.promote()


def row_locked(stage: Stage, seconds: float) -> None:
    """Have a stranger's session lock half of the unfinished files, and then the rows of teams too.

    Another team's file has to be scored meanwhile.
    """
    assert stage.postgres
    with psycopg.connect(stage.postgres.url) as connection:
        connection.execute(
            "SELECT 1 FROM leaderboard_submission WHERE abs(hashtext(id::text)) % 2 = 0"
            " AND status NOT IN ('scored', 'rejected', 'failed') FOR UPDATE SKIP LOCKED"
        )
        time.sleep(seconds / 2)
        connection.execute("SELECT 1 FROM leaderboard_team FOR UPDATE SKIP LOCKED")
        ends = time.monotonic() + seconds / 2
        stage.expect(
            _is_scored_by(stage, create_token("beside@example.org"), ends),
            "another team's file is scored while rows are locked",
        )
        time.sleep(max(0, ends - time.monotonic()))
        connection.rollback()


def _is_scored_by(stage: Stage, token: str, ends: float) -> bool:
    """Send a file for another team; return whether it is scored in time."""
    raw = (ROOT / "scoring/medagentbench/demo/good.json").read_bytes()
    while time.monotonic() < ends:
        with suppress(OSError, HTTPException, ValueError):
            # The same file is the same submission.
            _, answer = stage.post("medagentbench-demo", "Beside", raw, token=token)
            if answer.get("status") == "scored":
                return True
        time.sleep(0.2)
    return False


def queue_locked(stage: Stage, seconds: float) -> None:
    """Have a stranger's session lock the table of the files that wait, as an operator's command may."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url) as connection:
        connection.execute("LOCK TABLE leaderboard_submission IN ACCESS EXCLUSIVE MODE")
        time.sleep(seconds)
        connection.rollback()


def database_fast(stage: Stage, seconds: float) -> None:
    """Restart PostgreSQL twice; it ends its connections."""
    assert stage.postgres
    for _ in range(2):
        time.sleep(seconds / 4)
        stage.postgres.restart("fast")


def database_immediate(stage: Stage, seconds: float) -> None:
    """Restart PostgreSQL twice as after a crash."""
    assert stage.postgres
    for _ in range(2):
        time.sleep(seconds / 4)
        stage.postgres.restart("immediate")


def four_sweeps(stage: Stage, seconds: float) -> None:
    """Sweep four times at once, again and again."""
    from django.db import connections  # noqa: PLC0415

    from leaderboard.services.submissions import sweep  # noqa: PLC0415

    def run(_: int) -> None:
        try:
            sweep.sweep()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        for _ in every(0.2, seconds):
            list(threads.map(run, range(4)))


@contextmanager
def _filled(folder: Path) -> Iterator[None]:
    """Fill the file system of a folder to the last byte."""
    ballast = folder / "ballast"
    with suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)
    yield
    ballast.unlink()


def disk_full(stage: Stage, seconds: float) -> None:
    """Fill the disk of the uploads."""
    assert stage.uploads
    time.sleep(1)
    with _filled(stage.uploads.parent):
        time.sleep(seconds)


def temporary_full(stage: Stage, seconds: float) -> None:
    """Fill the disk of temporary files; replace the processes of gunicorn twice.

    Pages have to be shown, also by those that begin on the full disk.
    """
    assert stage.temporary
    with _filled(stage.temporary):
        for number in range(3):
            for name in stage.service.web_names if number else ():
                for pid in stage.service.pool(name):
                    kill(pid)
            for path in ("/", "/about/", "/docs/", "/status/", "/benchmarks/medagentbench-demo/") * 4:
                stage.expect_page(path)


def restored_copy(stage: Stage, seconds: float) -> None:
    """Start a web server and a worker on a copy of the database, with the uploads of the original.

    Neither may start, and no file may be missing or moved.
    """
    from leaderboard.services.files import installation  # noqa: PLC0415

    assert stage.postgres
    assert stage.uploads
    url = stage.postgres.copy(f"copy_{time.monotonic_ns()}")
    token = stage.uploads / "owner"
    for _ in range(2):
        # As if minutes had passed: a sweep of the service renews what a copy knows.
        before = token.read_bytes()
        os.utime(token, (0, 0))
        wait_until(lambda before=before: token.read_bytes() != before)
    for name in ("web", stage.service.worker_names[0]):
        why = stage.service.why_not_started(name, DATABASE_URL=url)
        stage.expect("another copy of this database" in why, f"no {name} starts on a copy: {why[-300:]}")
    stage.expect(not installation.compare()[1], "no file is missing")
    stage.expect(not list(stage.uploads.glob("quarantine/*")), "no file is moved")


def storage_cut(stage: Stage, seconds: float) -> None:
    """Have each connection to the bucket end in the middle of an answer."""
    assert stage.storage
    stage.storage.cuts_answers = True
    time.sleep(seconds)
    stage.storage.cuts_answers = False


def mail_silent(stage: Stage, seconds: float) -> None:
    """Have the mail server accept connections and say nothing, while people sign up.

    Each has to be answered, and each account to have its email.
    """
    from leaderboard.models import AccountEmail, User  # noqa: PLC0415

    assert stage.mail
    had = AccountEmail.objects.count(), User.objects.count()
    stage.mail.silence()
    for number in every(0.25, seconds):
        _sign_up(stage, number)
    stage.mail.speak()
    emails, accounts = AccountEmail.objects.count() - had[0], User.objects.count() - had[1]
    stage.expect(accounts, "people can sign up")
    stage.expect(emails == accounts, f"{accounts} accounts have an email each: {emails}")


def _sign_up(stage: Stage, number: int) -> None:
    address = f"{stage.service.url}/accounts/signup/"
    fields = {"email": f"new{number}@example.org", "password1": "long-enough-4711", "name": "New"}
    with requests.Session() as browser:
        form = browser.get(address, timeout=30)
        fields["csrfmiddlewaretoken"] = re.findall(r'"csrfmiddlewaretoken" value="(\w+)"', form.text)[0]
        status = browser.post(address, fields, timeout=30, allow_redirects=False).status_code
    stage.expect(status == 302, f"signing up is not answered with {status}")


def judge_away(stage: Stage, seconds: float) -> None:
    """End the judge, and start it later; the fault ends with its first verdict."""
    stage.judge.end()
    time.sleep(seconds)
    stage.judge.start()
    wait_until(stage.judge.count_judged, 120)


def log_removed(stage: Stage, seconds: float) -> None:
    """Remove SQLite's write-ahead log, and bring it back at the end as the log of the service says."""
    from django.db import connections  # noqa: PLC0415

    assert stage.sqlite
    wal, index = (stage.sqlite.with_name(f"{stage.sqlite.name}-{part}") for part in ("wal", "shm"))
    # This process must not hold a log of its own.
    connections.close_all()
    wal.unlink()
    time.sleep(seconds)
    source = re.search(r"cp (/proc/\d+/fd/\d+) FILE", stage.service.log.read_text())
    stage.expect(source, "the log says how to bring back the write-ahead log")
    if source:
        copy = shutil.copyfile(source[1], wal.with_suffix(".copy"))
    stage.service.kill("web")
    if source:
        os.replace(copy, wal)
    index.unlink(missing_ok=True)
    stage.service.start("web")
    stage.service.wait_until_up()


def clock_set_back(stage: Stage, seconds: float) -> None:
    """Set the clock back by twenty minutes, and then kill processes of the pools."""
    assert stage.clock
    stage.clock.write_text("-1200")
    time.sleep(2)
    pool_children(stage, seconds / 2)


def clock_hours_ahead(stage: Stage, seconds: float) -> None:
    """Set the clock forward by six hours, kill processes of the pools, and set it right."""
    _clock_ahead(stage, seconds, timedelta(hours=6))


def clock_days_ahead(stage: Stage, seconds: float) -> None:
    """The same with forty days, after which files in quarantine are removed."""
    _clock_ahead(stage, seconds, timedelta(days=40))


def _clock_ahead(stage: Stage, seconds: float, ahead: timedelta) -> None:
    assert stage.clock
    stage.clock.write_text(str(ahead.total_seconds()))
    time.sleep(2)
    pool_children(stage, seconds)
    stage.clock.write_text("0")


def splitting(stage: Stage, seconds: float) -> None:
    """Kill each process that unpacks an archive of several runs."""
    _kill_while_writing(stage, seconds, ".original")


def keeping_traces(stage: Stage, seconds: float) -> None:
    """Kill each process that reads a file and stores its traces beside its records."""
    _kill_while_writing(stage, seconds, ".traces")


def _kill_while_writing(stage: Stage, seconds: float, part: str) -> None:
    """Kill processes that read one file of the uploads and write another, which has `part` in its name."""
    killed = 0
    for number in every(0.002, seconds):
        if not number % 20:
            pids = stage.service.processes()
        for pid in pids:
            read, written = _open_uploads(stage, pid)
            if read and any(part in path for path in written):
                kill(pid)
                killed += 1
                # Others of its work come through meanwhile.
                time.sleep(0.5)
    stage.expect(killed, f"a process is killed that writes {part}")


def _open_uploads(stage: Stage, pid: int) -> tuple[list[str], list[str]]:
    """Return the paths of the uploads that a process reads, and of those that it writes."""
    read: list[str] = []
    written: list[str] = []
    # Files are closed, and processes end, while we look.
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                path = os.readlink(f"/proc/{pid}/fd/{number}")
                if path.startswith(str(stage.uploads)):
                    info = Path(f"/proc/{pid}/fdinfo/{number}").read_text()
                    flags = int(info.partition("flags:")[2].split()[0], 8)
                    (written if flags & os.O_ACCMODE else read).append(path)
    return read, written


def killed_for_memory(stage: Stage, seconds: float) -> None:
    """Have the kernel kill processes that work on files, for 2 MB that they take beside what they have.

    These are the processes of the workers, and those in which they and web servers have files read.
    """
    parents = {pid for name in stage.service.web_names for pid in stage.service.pool(name)}
    with memory_group() as group:
        assert group
        limit = next(group / name for name in MEMORY_LIMITS if (group / name).exists())
        limit.write_text("2000000")
        put: set[int] = set()
        for _ in every(0.2, seconds):
            for pid in {*stage.service.processes()} - {*stage.service.started()} - parents - put:
                with suppress(OSError):
                    (group / "cgroup.procs").write_text(str(pid))
                    put.add(pid)
        stage.expect(put - {*stage.service.processes()}, "a process is killed for its memory")


def database_disk_full(stage: Stage, seconds: float) -> None:
    """Fill the disk of PostgreSQL. The service has to say that it is not ready, and to show pages."""
    assert stage.postgres
    with _filled(stage.postgres.folder.parent):
        time.sleep(seconds / 2)
        stage.expect(stage.readiness() != 200, "the service is not ready while the database's disk is full")
        stage.expect_page("/")
        time.sleep(seconds / 2)
    stage.postgres.start_again()


def connections_taken(stage: Stage, seconds: float) -> None:
    """Open connections to PostgreSQL until it takes no more, and end the service's own, twice."""
    assert stage.postgres
    with ExitStack() as taken, psycopg.connect(stage.postgres.url, autocommit=True) as connection:
        for number in every(0.05, seconds):
            with suppress(psycopg.OperationalError):
                while True:
                    taken.enter_context(psycopg.connect(stage.postgres.url, application_name="stranger"))
            if number in (20, 80):
                _cut_others(connection, but="stranger")


def upgrade(stage: Stage, seconds: float) -> None:
    """Migrate while the previous release serves, and start this one in its place, as the documents say."""
    time.sleep(seconds / 4)
    stage.service.root = ROOT
    stage.service.manage("migrate")
    stage.service.manage("collectstatic", "--noinput")
    time.sleep(seconds / 4)
    for name in (*stage.service.web_names, *stage.service.worker_names):
        stage.service.stop(name)
        stage.service.start(name)
        stage.service.wait_until_up()
    time.sleep(seconds / 4)


# By their set-up: "beside" reaches a bucket and a mail server through proxies, "standby" has two hosts of
# PostgreSQL, "small" has it on a small disk, "previous" begins with the previous release. The embedded one
# has no workers; its database is SQLite.
FAULTS: dict[str, tuple[str, Fault]] = {
    "nothing": ("workers", nothing),
    "pool_children": ("workers", pool_children),
    "workers": ("workers", workers),
    "parents_of_pools": ("workers", parents_of_pools),
    "web_servers": ("workers", web_servers),
    "everything": ("workers", everything),
    "connections_cut": ("workers", connections_cut),
    "database_read_only": ("workers", database_read_only),
    "row_locked": ("workers", row_locked),
    "queue_locked": ("workers", queue_locked),
    "database_fast": ("workers", database_fast),
    "database_immediate": ("workers", database_immediate),
    "four_sweeps": ("workers", four_sweeps),
    "disk_full": ("workers", disk_full),
    "temporary_full": ("workers", temporary_full),
    "restored_copy": ("workers", restored_copy),
    "splitting": ("workers", splitting),
    "keeping_traces": ("workers", keeping_traces),
    "killed_for_memory": ("workers", killed_for_memory),
    "connections_taken": ("workers", connections_taken),
    "database_disk_full": ("small", database_disk_full),
    "storage_cut": ("beside", storage_cut),
    "mail_silent": ("beside", mail_silent),
    "judge_away": ("beside", judge_away),
    "failover": ("standby", failover),
    "clock_set_back": ("clock", clock_set_back),
    "clock_hours_ahead": ("clock", clock_hours_ahead),
    "clock_days_ahead": ("clock", clock_days_ahead),
    "upgrade": ("previous", upgrade),
    "embedded_web_servers": ("embedded", web_servers),
    "log_removed": ("embedded", log_removed),
}
