"""The message brokers that tests use."""

import os

from kombu import Connection

from leaderboard.services.broker import Lane

# In Redis, a database that another test process is unlikely to use (0 is left to a service on this machine).
# Every test has its own queue.
BROKERS = {
    "redis": os.environ.get("TEST_REDIS_URL", f"redis://127.0.0.1:6379/{1 + os.getpid() % 15}"),
    "rabbitmq": os.environ.get("TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672//"),
}


def lanes_of(queue: str) -> list[str]:
    """Return the names of the queues of all lanes, for a default queue."""
    return [f"{queue}{lane}" for lane in Lane]


def take_messages(url, queue, *, at_least=0):
    """Take all messages from the queue, and wait for `at_least` many; return their (headers, payload)."""
    messages = []
    with Connection(url) as connection, connection.SimpleQueue(queue) as queued:
        while True:
            try:
                message = queued.get(timeout=60 if len(messages) < at_least else 0.5)
            except queued.Empty:
                return messages
            message.ack()
            messages.append((message.headers, message.payload))
