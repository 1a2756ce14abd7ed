"""What can go wrong between a client and the service, each with its exit code."""

from collections.abc import Mapping
from typing import Any

from wardboard.exit_codes import ExitCode
from wardboard.scoring.judging import why_incomplete

# Codes of problem documents that are about the file itself.
_OF_THE_FILE = frozenset({"file-rejected", "file-unscorable", "file.too-large"})


def status_of(document: Mapping[str, Any]) -> str:
    """Return the status of a submission, with what one that is incomplete or sealed waits for."""
    if document["status"] == "sealed":
        return f"sealed until the reveal at {document['seal']['reveals_at']}"
    code = document.get("waits_for")
    return f"{document['status']}, waits: {code}. {why_incomplete(code)}" if code else str(document["status"])


class WardboardError(Exception):
    """The base of all errors of the client.

    - code: the exit code of the command
    - page: the address of the submission's page, "" where there is none
    - sent: the submission that was sent before something else went wrong; None without one
    """

    code = ExitCode.FAULT
    page = ""
    sent: Mapping[str, Any] | None = None


class WrongUse(WardboardError):
    """What was asked for cannot be done: an address, a file, or options that contradict each other."""

    code = ExitCode.USAGE


class ForkJob(WardboardError):
    """A CI job of a pull request from a fork has nothing to sign in with, and cannot have it."""

    code = ExitCode.REFUSED


class NotReached(WardboardError):
    """No attempt brought an answer: refused, cut off, silent, or out of order."""


class ForeignAnswer(WardboardError):
    """Something answered that is not Wardboard: a redirect, a sign-in page, a document of another shape."""


class RequestRefused(WardboardError):
    """The service refused the request. document: its problem document (RFC 9457)."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        detail, hint = document.get("detail") or document.get("title") or "", document.get("hint") or ""
        super().__init__(" ".join(str(text) for text in (detail, hint) if text))

    @property
    def code(self) -> ExitCode:  # type: ignore[override]  # of a class elsewhere, of the document here
        """The exit code: of the file, of a fault of the service while it scored, or of a refusal."""
        if self.document["code"] == "scoring-failed":
            return ExitCode.FAULT
        # A file of 0 bytes is refused as a field of the form, and is a run that wrote nothing all the same.
        codes = {problem["code"] for problem in self.document.get("problems") or ()}
        is_about_file = self.document["code"] in _OF_THE_FILE or codes == {"request.file-empty"}
        return ExitCode.FILE_HAS_PROBLEMS if is_about_file else ExitCode.REFUSED


class SubmissionEnded(WardboardError):
    """A submission ended without a score. document: the submission as the API shows it."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.code = ExitCode.FILE_HAS_PROBLEMS if document["status"] == "rejected" else ExitCode.FAULT
        why = document.get("failure") or f"It was {document['status']}."
        if document["status"] == "cancelled" and document.get("seal"):
            why = "It was withdrawn from its season, or a later file of its system took its place."
        super().__init__(f"The submission has no score. {why}")


class NotFinished(WardboardError):
    """No score came in time. document: the submission as it was last seen."""

    code = ExitCode.NOT_FINISHED

    def __init__(self, document: Mapping[str, Any], seconds: float) -> None:
        self.document = document
        option = " --until-reveal" if document["status"] == "sealed" else ""
        super().__init__(
            f"No score after {seconds:g} s: the submission is {status_of(document).removesuffix('.')}. "
            f"Nothing is lost: `wardboard wait {document['id']}{option}` waits for it."
        )
