"""The ids that log lines carry: of the request, the submission and the task that a line is about."""

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import ParamSpec, TypeVar

from structlog.contextvars import bound_contextvars

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def new_id() -> str:
    return uuid.uuid4().hex


def bound(**ids: object) -> AbstractContextManager[object]:
    """Give the log lines of this thread these ids (`request_id`, `task_id`, ...) until the context ends.

    An id that is None is left out, and so hides none that is already bound.
    """
    return bound_contextvars(**{name: str(value) for name, value in ids.items() if value is not None})


def of_submission(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Decorate a function whose log lines are about the submission that `submission_id` names."""

    @wraps(function)
    def bind(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        with bound(submission_id=kwargs["submission_id"]):
            return function(*args, **kwargs)

    return bind
