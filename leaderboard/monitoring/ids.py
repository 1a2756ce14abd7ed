"""The ids that log lines carry: of the request, the submission and the task that a line is about."""

import uuid
from contextlib import AbstractContextManager

from structlog.contextvars import bound_contextvars


def new_id() -> str:
    return uuid.uuid4().hex


def bound(**ids: object) -> AbstractContextManager[object]:
    """Give the log lines of this thread these ids (`request_id`, `task_id`, ...) until the context ends.

    An id that is None is left out, and so hides none that is already bound.
    """
    return bound_contextvars(**{name: str(value) for name, value in ids.items() if value is not None})
