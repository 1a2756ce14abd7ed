"""Errors of the use-cases. They know no HTTP: `leaderboard.http.problems` has the status of each code."""

from collections.abc import Sequence

from wardboard.scoring.reading.problems import Problem, Remarks

RETRY_AFTER = 5  # seconds until a client that was refused for want of room should ask again


class ServiceError(Exception):
    """A use-case refused to act. `code` is for programs, `detail` for people.

    retry_after: seconds until the client may try again; None where waiting does not help.
    """

    code = "refused"
    retry_after: int | None = None

    def __init_subclass__(cls, code: str = "", retry_after: int | None = None) -> None:
        if code:
            cls.code, cls.retry_after = code, retry_after

    def __init__(self, detail: str, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after or type(self).retry_after


class NotFound(ServiceError, code="not-found"):
    """The object does not exist, or the reader may not know that it does."""


class WrongState(ServiceError, code="wrong-state"):
    """The object is in a state that does not allow the action."""


class BoardClosed(ServiceError, code="board-closed"):
    """The leaderboard has no ground truth yet."""


class EmailUnverified(ServiceError, code="email-unverified"):
    """The board scores and publishes files only of people with a verified email address."""


class ApprovalNeeded(ServiceError, code="approval-needed"):
    """The organisers must approve the team first."""


class ConfirmationNeeded(ServiceError, code="confirmation-needed"):
    """The sender must confirm that a result holds, although the log marks samples as invalid."""


class QuotaSpent(ServiceError, code="quota-spent"):
    """The team has used up its quota."""


class Busy(ServiceError, code="unavailable", retry_after=RETRY_AFTER):
    """The server reads or sends as many files as it may; nothing was done."""


class NoRoom(ServiceError, code="storage-full"):
    """The server's disk has no room for a file; only the organisers can fix that."""


class StorageAway(ServiceError, code="unavailable", retry_after=RETRY_AFTER):
    """The storage of uploads does not answer; nothing was changed, and trying again may help.

    is_refusal: whether it answers, and refuses; that takes an operator.
    """

    def __init__(self, detail: str, *, is_refusal: bool = False) -> None:
        super().__init__(detail)
        self.is_refusal = is_refusal


class KeyReused(ServiceError, code="idempotency-key-reused"):
    """An idempotency key was used again for a different request."""


class HasProblems(ServiceError):
    """A request is refused for `problems`, which lists every reason."""

    def __init__(self, problems: Sequence[Problem], detail: str = "") -> None:
        super().__init__(detail or " ".join(problem.message for problem in problems))
        self.problems = list(problems)


class StorageSpent(HasProblems, code="storage-spent"):
    """What the team's or the board's files take leaves no room for another one. problems: a limit each."""


class CiJobRefused(HasProblems, code="id-token-refused"):
    """The ID token of a CI job is not accepted."""


class IssuerUnreachable(ServiceError, code="unavailable"):
    """The issuer of an ID token does not answer."""


class FactsInvalid(HasProblems, code="request-invalid"):
    """Facts about the system are missing or invalid."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems, f"{len(problems)} of the facts about the system cannot be taken.")


class DoubtInvalid(HasProblems, code="request-invalid"):
    """A report of a doubtful reference is incomplete or invalid."""


class RequestInvalid(ServiceError, code="request-invalid"):
    """The facts, and possibly the file, are invalid; nothing was stored.

    file: problems of the file; None where it is valid or was not checked.
    """

    def __init__(
        self, facts: Sequence[Problem], file: Remarks | None, warnings: Remarks | None = None
    ) -> None:
        super().__init__("The facts about the system need correcting.")
        self.facts = list(facts)
        self.file = file
        self.warnings = warnings


class DeviceCodeRefused(ServiceError, code="code-refused"):
    """A program gets no token, now or ever. error: the reason in OAuth 2.0. Source: RFC 8628, section 3.5."""

    def __init__(self, error: str, detail: str) -> None:
        super().__init__(detail)
        self.error = error
