"""The faults that faults.py plays, each on the processes of a stage."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from _servers_to_kill import Postgres, RabbitMq, Redis, Service, kill


@dataclass(slots=True)
class Stage:
    """What a fault is played on. `clock` is the file by which the clock of its processes is set."""

    service: Service
    token: str
    postgres: Postgres | None = None
    redis: Redis | None = None
    rabbitmq: RabbitMq | None = None
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
    """Kill a process of a worker's pool every second."""
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


def messages_lost(stage: Stage, seconds: float) -> None:
    """Empty Redis every four seconds."""
    import redis  # noqa: PLC0415

    assert stage.redis
    for _ in every(4, seconds):
        with redis.Redis(port=stage.redis.port) as client:
            client.flushall()


def broker_restarted(stage: Stage, seconds: float) -> None:
    """Kill Redis, and start it without its memory five seconds later."""
    assert stage.redis
    time.sleep(seconds / 4)
    stage.redis.kill()
    time.sleep(5)
    stage.redis.start()


def broker_silent(stage: Stage, seconds: float) -> None:
    """Have Redis accept connections and say nothing."""
    assert stage.redis
    time.sleep(1)
    stage.redis.be_silent()
    time.sleep(seconds)
    stage.redis.speak()


def broker_cut(stage: Stage, seconds: float) -> None:
    """Close all connections to RabbitMQ, again and again."""
    assert stage.rabbitmq
    for _ in every(2, seconds):
        stage.rabbitmq.close_connections()


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


def five_deliveries(stage: Stage, seconds: float) -> None:
    """Send the message of each file five times more."""
    from leaderboard.services import broker  # noqa: PLC0415
    from leaderboard.services.background import Task  # noqa: PLC0415

    sent: set[str] = set()
    for _ in every(0.2, seconds):
        for submission in set(stage.accepted) - sent:
            sent.add(submission)
            for lane in (broker.Lane.SHORT, broker.Lane.LONG):
                for task in (Task.ADMIT, *[Task.GRADE] * 4):
                    broker.send(task, submission, lane)


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


# By what they need beside PostgreSQL. The embedded set-up has no broker; its database is SQLite.
FAULTS: dict[str, tuple[str, Fault]] = {
    "nothing": ("redis", nothing),
    "pool_children": ("redis", pool_children),
    "workers": ("redis", workers),
    "parents_of_pools": ("redis", parents_of_pools),
    "web_servers": ("redis", web_servers),
    "everything": ("redis", everything),
    "messages_lost": ("redis", messages_lost),
    "broker_restarted": ("redis", broker_restarted),
    "broker_silent": ("redis", broker_silent),
    "database_fast": ("redis", database_fast),
    "database_immediate": ("redis", database_immediate),
    "five_deliveries": ("redis", five_deliveries),
    "four_sweeps": ("redis", four_sweeps),
    "disk_full": ("redis", disk_full),
    "clock_set_back": ("clock", clock_set_back),
    "broker_cut": ("rabbitmq", broker_cut),
    "embedded_web_servers": ("embedded", web_servers),
}
