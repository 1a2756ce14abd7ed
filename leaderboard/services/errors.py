"""What can go wrong in a use-case. No HTTP here: api/errors.py and the pages say it in their own way."""

from collections.abc import Sequence

from scoring.reading.problems import Problem, Remarks


class ServiceError(Exception):
    """A use-case was refused. `code` is for programs, the text for people."""

    code = "refused"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class NotFound(ServiceError):
    """There is no such thing, or it is not theirs to know of."""

    code = "not-found"


class WrongState(ServiceError):
    """The thing is in a state that does not allow it."""

    code = "wrong-state"


class BoardClosed(ServiceError):
    """The board has no ground truth yet."""

    code = "board-closed"


class QuotaSpent(ServiceError):
    """The team has sent all that it may for now. `retry_after`: seconds."""

    code = "quota-spent"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class NoRoom(ServiceError):
    """The disk has no room for a file: ours to mend."""

    code = "storage-full"


class KeyReused(ServiceError):
    """An idempotency key came again with another request."""

    code = "idempotency-key-reused"


class FactsInvalid(ServiceError):
    """Facts about the system are missing or wrong; `problems` names every one."""

    code = "facts-invalid"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"{len(problems)} of the facts about the system cannot be taken.")
        self.problems = list(problems)


class RequestInvalid(ServiceError):
    """The facts, or the facts and the file, cannot be taken; nothing was stored."""

    code = "request-invalid"

    def __init__(
        self, facts: Sequence[Problem], file: Remarks | None, warnings: Remarks | None = None
    ) -> None:
        super().__init__("The facts about the system need mending.")
        self.facts = list(facts)
        self.file = file
        self.warnings = warnings
