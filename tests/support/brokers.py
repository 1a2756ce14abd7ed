"""The brokers that the tests send messages through."""

import os

from kombu import Connection

# In Redis a database that another process of the tests is unlikely to use (0 is left to a service on this
# machine); every test has a queue of its own in either.
BROKERS = {
    "redis": os.environ.get("TEST_REDIS_URL", f"redis://127.0.0.1:6379/{1 + os.getpid() % 15}"),
    "rabbitmq": os.environ.get("TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672//"),
}


def take_messages(url, queue, *, at_least=0):
    """Take all messages from the queue, of which so many will come; return their (headers, payload)."""
    found = []
    with Connection(url) as connection, connection.SimpleQueue(queue) as waiting:
        while True:
            try:
                message = waiting.get(timeout=60 if len(found) < at_least else 0.5)
            except waiting.Empty:
                return found
            message.ack()
            found.append((message.headers, message.payload))
