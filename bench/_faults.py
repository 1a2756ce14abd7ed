"""The faults that faults.py plays, each on the processes of a stage."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from _servers_to_kill import Postgres, Service, kill


@dataclass(slots=True)
class Stage:
    """What a fault is played on. `clock` is the file by which the clock of its processes is set."""

    service: Service
    token: str
    postgres: Postgres | None = None
    uploads: Path | None = None
    clock: Path | None = None
    accepted: list[str] = field(default_factory=list)
    refused: int = 0


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
        for pid in stage.service.pool("web")[:1]:
            kill(pid)
    stage.service.kill("web")
    stage.service.start("web")
    stage.service.wait_until_up()


def everything(stage: Stage, seconds: float) -> None:
    """Kill all processes of the service at once, and start them two seconds later."""
    time.sleep(seconds / 4)
    for name in ("web", *stage.service.worker_names):
        stage.service.kill(name)
    time.sleep(2)
    for name in ("web", *stage.service.worker_names):
        stage.service.start(name)
    stage.service.wait_until_up()


def jobs_lost(stage: Stage, seconds: float) -> None:
    """Delete the jobs that wait, every four seconds."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url, autocommit=True) as connection:
        for _ in every(4, seconds):
            connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")


def connections_cut(stage: Stage, seconds: float) -> None:
    """End all connections to PostgreSQL, every two seconds."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url, autocommit=True) as connection:
        for _ in every(2, seconds):
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


def row_locked(stage: Stage, seconds: float) -> None:
    """Have a stranger's session lock half of the unfinished files, and then the rows of teams too."""
    assert stage.postgres
    with psycopg.connect(stage.postgres.url) as connection:
        connection.execute(
            "SELECT 1 FROM leaderboard_submission WHERE abs(hashtext(id::text)) % 2 = 0"
            " AND status NOT IN ('scored', 'rejected', 'failed') FOR UPDATE SKIP LOCKED"
        )
        time.sleep(seconds / 2)
        connection.execute("SELECT 1 FROM leaderboard_team FOR UPDATE SKIP LOCKED")
        time.sleep(seconds / 2)
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


def five_turns(stage: Stage, seconds: float) -> None:
    """Give the team of each file five turns more in both lanes."""
    from leaderboard.models import Submission  # noqa: PLC0415
    from leaderboard.services import engine  # noqa: PLC0415

    given: set[str] = set()
    for _ in every(0.2, seconds):
        new = set(stage.accepted) - given
        given |= new
        for team_id in Submission.objects.filter(pk__in=new).values_list("team", flat=True):
            for number in range(5):
                for lane in (engine.Lane.SHORT, engine.Lane.LONG):
                    key = f"{time.monotonic()}.{number}.{team_id}"
                    is_long = lane == engine.Lane.LONG
                    engine._defer(engine.Job.TURN, lane, key, team_id=team_id, is_long=is_long)


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


def disk_full(stage: Stage, seconds: float) -> None:
    """Fill the disk of the uploads to the last byte."""
    assert stage.uploads
    ballast = stage.uploads.parent / "ballast"
    time.sleep(1)
    with suppress(OSError), open(ballast, "wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 65536)
    time.sleep(seconds)
    ballast.unlink()


def clock_set_back(stage: Stage, seconds: float) -> None:
    """Set the clock back by twenty minutes, and then kill processes of the pools."""
    assert stage.clock
    stage.clock.write_text("-1200")
    time.sleep(2)
    pool_children(stage, seconds / 2)


# By their set-up. The embedded one has no workers; its database is SQLite.
FAULTS: dict[str, tuple[str, Fault]] = {
    "nothing": ("workers", nothing),
    "pool_children": ("workers", pool_children),
    "workers": ("workers", workers),
    "parents_of_pools": ("workers", parents_of_pools),
    "web_servers": ("workers", web_servers),
    "everything": ("workers", everything),
    "jobs_lost": ("workers", jobs_lost),
    "connections_cut": ("workers", connections_cut),
    "row_locked": ("workers", row_locked),
    "database_fast": ("workers", database_fast),
    "database_immediate": ("workers", database_immediate),
    "five_turns": ("workers", five_turns),
    "four_sweeps": ("workers", four_sweeps),
    "disk_full": ("workers", disk_full),
    "clock_set_back": ("clock", clock_set_back),
    "embedded_web_servers": ("embedded", web_servers),
}
