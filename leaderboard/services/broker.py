"""Send messages to the broker, in queues of this installation, and never wait for it for long."""

import logging
from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Any

from django.conf import settings
from kombu import Exchange, Queue
from kombu.exceptions import OperationalError

from leaderboard.breaker import Breaker, Resting
from leaderboard.celery import app as celery
from leaderboard.models import Installation

logger = logging.getLogger(__name__)


class Lane(StrEnum):
    """The queues of a broker, by what follows the name of the default queue."""

    SHORT = ""
    LONG = ".long"
    STATISTICS = ".statistics"


class LaneQueues:
    """The queues of this installation, by the key of its database, so that several can share a broker.

    Commands use their short names: `celery`, `celery.long` and `celery.statistics`. The database is asked
    when Celery first needs a queue.
    """

    def __iter__(self) -> Iterator[Queue]:
        key = Installation.get().key.hex
        for lane in Lane:
            name = f"wardboard.{key}{lane}"
            yield Queue(name, Exchange(name), routing_key=name, alias=f"celery{lane}")


celery.conf.task_queues = LaneQueues()

# Of a process: the threads of the web server would otherwise wait for a silent broker one after the other,
# and pages for a thread.
breaker = Breaker(rest=settings.BROKER_REST_SECONDS, patience=0.25)


def send(task: str, key: object, lane: Lane) -> bool:
    """Send a message that carries the key and nothing else; return whether the broker took it."""
    try:
        with breaker.attempt():
            celery.send_task(task, args=[str(key)], queue=_alias(lane))
    except Resting:
        logger.info("%s for %s was not sent: the broker did not answer a moment ago", task, key)
        return False
    except Exception as error:
        # A broker that is down must not fail the request. Expected failures need no traceback.
        logger.error(
            "could not send %s for %s to the broker: %r. Nothing is sent for %d seconds",
            task,
            key,
            error,
            settings.BROKER_REST_SECONDS,
            exc_info=None if isinstance(error, (OperationalError, OSError)) else error,
        )
        return False
    return True


def count_messages(lane: Lane) -> int | None:
    """Count the messages that wait in the queue of a lane; None where the broker does not answer."""
    queue = celery.amqp.queues[_alias(lane)].name
    try:
        with breaker.attempt(), celery.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0)
            channel: Any = connection.default_channel
            try:
                return int(channel.queue_declare(queue, passive=True).message_count)
            except connection.channel_errors:
                # There is no such queue yet, or, with Redis, nothing in it.
                return 0
    except Resting:
        return None
    except Exception as error:
        # Each transport has errors of its own, and the next sweep asks again.
        logger.warning("the messages in the queue %s could not be counted: %r", _alias(lane), error)
        return None


def lanes_of(aliases: Collection[str]) -> list[str]:
    """Return the names of the lanes whose queues are among these, as a command names them."""
    return [lane.name.lower() for lane in Lane if _alias(lane) in aliases]


def _alias(lane: Lane) -> str:
    return f"{celery.conf.task_default_queue}{lane}"
