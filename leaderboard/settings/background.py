"""Background work: Celery where a broker is configured, in place otherwise."""

from datetime import timedelta

from leaderboard import env

_BROKERS = ("redis", "rediss", "sentinel", "amqp", "amqps", "memory")

BROKER_URL = env.server("BROKER_URL", _BROKERS)
CELERY_BROKER_URL = BROKER_URL or "memory://"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 900
CELERY_BROKER_CONNECTION_TIMEOUT = 3
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Redis alone reads these. Without them a broker that accepts connections and never answers would block an
    # upload for ever. Longer than the second that a worker waits for a message.
    "socket_connect_timeout": 3,
    "socket_timeout": 3,
    # For senders; a worker retries without end.
    "max_retries": 0,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that is down must not delay the response to an upload: the sweep queues the task again.
CELERY_TASK_PUBLISH_RETRY = False
# For so long a process sends nothing after the broker has not taken a message. The sweep sends it later.
BROKER_REST_SECONDS = 10
# Work whose process has given no sign of life for so long is taken up by another.
LEASE_SECONDS = env.seconds("LEASE_SECONDS", 15)
# Interruptions without progress before a submission is given up.
SCORING_ATTEMPTS = 12
# After so long a worker passes on a submission that waits for a judge. A broker regards a worker that is
# silent for half an hour as dead.
SCORING_SLICE = timedelta(seconds=60)
