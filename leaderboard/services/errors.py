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

    def __init__(self, detail: str, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after or type(self).retry_after


class NotFound(ServiceError):
    """The object does not exist, or the reader may not know that it does."""

    code = "not-found"


class WrongState(ServiceError):
    """The object is in a state that does not allow the action."""

    code = "wrong-state"


class BoardClosed(ServiceError):
    """The leaderboard has no ground truth yet."""

    code = "board-closed"


class EmailUnverified(ServiceError):
    """The board scores and publishes files only of people with a verified email address."""

    code = "email-unverified"


class ApprovalNeeded(ServiceError):
    """The organisers must approve the team first."""

    code = "approval-needed"


class ConfirmationNeeded(ServiceError):
    """The sender must confirm that a result holds, although the log marks samples as invalid."""

    code = "confirmation-needed"


class QuotaSpent(ServiceError):
    """The team has used up its quota."""

    code = "quota-spent"


class Busy(ServiceError):
    """The server reads or sends as many files as it may; nothing was done."""

    code = "unavailable"
    retry_after = RETRY_AFTER


class NoRoom(ServiceError):
    """The server's disk has no room for a file; only the organisers can fix that."""

    code = "storage-full"


class StorageAway(ServiceError):
    """The storage of uploads does not answer; nothing was changed, and trying again may help.

    is_refusal: whether it answers, and refuses; that takes an operator.
    """

    code = "unavailable"
    retry_after = RETRY_AFTER

    def __init__(self, detail: str, *, is_refusal: bool = False) -> None:
        super().__init__(detail)
        self.is_refusal = is_refusal


class KeyReused(ServiceError):
    """An idempotency key was used again for a different request."""

    code = "idempotency-key-reused"


class HasProblems(ServiceError):
    """A request is refused for `problems`, which lists every reason."""

    def __init__(self, problems: Sequence[Problem], detail: str = "") -> None:
        super().__init__(detail or " ".join(problem.message for problem in problems))
        self.problems = list(problems)


class StorageSpent(HasProblems):
    """What the team's or the board's files take leaves no room for another one. problems: a limit each."""

    code = "storage-spent"


class CiJobRefused(HasProblems):
    """The ID token of a CI job is not accepted."""

    code = "id-token-refused"


class IssuerUnreachable(ServiceError):
    """The issuer of an ID token does not answer."""

    code = "unavailable"


class FactsInvalid(HasProblems):
    """Facts about the system are missing or invalid."""

    code = "request-invalid"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems, f"{len(problems)} of the facts about the system cannot be taken.")


class DoubtInvalid(HasProblems):
    """A report of a doubtful reference is incomplete or invalid."""

    code = "request-invalid"


class RequestInvalid(ServiceError):
    """The facts, and possibly the file, are invalid; nothing was stored.

    file: problems of the file; None where it is valid or was not checked.
    """

    code = "request-invalid"

    def __init__(
        self, facts: Sequence[Problem], file: Remarks | None, warnings: Remarks | None = None
    ) -> None:
        super().__init__("The facts about the system need correcting.")
        self.facts = list(facts)
        self.file = file
        self.warnings = warnings


class DeviceCodeRefused(ServiceError):
    """A program gets no token, now or ever. error: the reason in OAuth 2.0. Source: RFC 8628, section 3.5."""

    code = "code-refused"

    def __init__(self, error: str, detail: str) -> None:
        super().__init__(detail)
        self.error = error
