"""The client of a service: a method for each resource of the API, which returns the document of the API."""

import os
import re
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from wardboard.client.ci_systems import unmerged_work
from wardboard.client.connection import ServiceAnswer, ServiceConnection, ServiceOptions
from wardboard.client.documents import (
    CheckAnswer,
    EntryComparisonAnswer,
    SubmissionAnswer,
    fault_of,
    shown,
)
from wardboard.client.upload import FilePart, UploadForm
from wardboard.errors import ForeignAnswer, NotFinished, NotReached, RequestRefused, SubmissionEnded, WrongUse

Document = Mapping[str, Any]

PENDING = ("received", "queued", "scoring", "incomplete")
SEALED = "sealed"
ENDED = ("scored", SEALED, "rejected", "failed", "cancelled")
_LONGEST_PAUSE = 30.0
_FOUND = 200  # status of an answer about an earlier submission; 201 of a new one
_NO_TOKEN = ("token-expired", "id-token-refused")


class Client:
    """The API of one service. Each method returns the document of the API, and raises WardboardError."""

    def __init__(self, options: ServiceOptions) -> None:
        self._connection = ServiceConnection(options)
        self.origin, self._seconds = self._connection.origin, options.seconds
        self.is_of_job = options.identity is not None

    def refuse_unmerged(self, *, is_allowed: bool) -> None:
        """Raise WrongUse in a job that would publish by a stored token what is not merged."""
        # The service refuses the ID token of such a job.
        if not (is_allowed or self.is_of_job) and (what := unmerged_work(os.environ)):
            raise WrongUse(f"this job is of {what}: --allow-pull-request publishes its result")

    def validate(self, benchmark: str, files: Sequence[FilePart], *, select: str = "") -> Document:
        """Have files checked against a leaderboard; nothing is stored. Raises RequestRefused for problems."""
        fields = [("benchmark", _slug(benchmark)), *([("select", select)] if select else [])]
        try:
            answer = self._connection.post("/api/v1/validations/", UploadForm(fields, files))
        except RequestRefused as refused:
            if refused.document["code"] != "not-found":
                raise
            raise ForeignAnswer(f"{self.origin} is too old to check files: it has no validations/") from None
        document = _checked(answer, CheckAnswer)
        if document["benchmark"] != benchmark or not document["valid"]:
            raise ForeignAnswer(f"the answer is about {document['benchmark']}, or calls the file not valid")
        return document

    def submit(
        self,
        benchmark: str,
        files: Sequence[FilePart],
        fields: Sequence[tuple[str, str]],
        *,
        team: str = "",
    ) -> tuple[Document, bool]:
        """Submit files; return the submission, scored or not, and whether it is an earlier one of the files.

        team: short name of the team that it is for; "" for that of the token, or one's own
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())}  # which all attempts have in common
        form = UploadForm([("benchmark", _slug(benchmark)), *_of_team(team).items(), *fields], files)
        answer = self._connection.post("/api/v1/submissions/", form, headers)
        return _submission(answer), answer.status == _FOUND

    def submission(self, submission: str) -> Document:
        """Return a submission by its id, its address, or the address of its page."""
        path = self._path_of(submission)
        return _submission(self._connection.get(path), path)

    def me(self) -> Document:
        """Return whose token this is, and what it may be used for."""
        return self._connection.get("/api/v1/me/").document

    def request_device_code(self, **fields: str) -> Document:
        """Ask for a code that a person approves in a browser. fields: as the API names them."""
        document = self._post_fields("/api/v1/device/codes/", fields).document
        with shown():
            # The reader trusts the service that was named.
            if urlsplit(document["verification_uri"])[:2] != urlsplit(self.origin)[:2]:
                raise ForeignAnswer(
                    f"the page for the code is {document['verification_uri']!r}, not at {self.origin}"
                )
        return document

    def fetch_device_token(self, **fields: str) -> str:
        """Return the token of an approved code. Raises RequestRefused, whose document names its `error`."""
        with shown():
            return str(self._post_fields("/api/v1/device/token/", fields).document["access_token"])

    def _post_fields(self, path: str, fields: Mapping[str, str]) -> ServiceAnswer:
        return self._connection.post(path, UploadForm(list(fields.items()), []))

    def wait(
        self,
        submission: str,
        *,
        seconds: float,
        show: Callable[[Document], None] | None = None,
        last: Document | None = None,
        until_reveal: bool = False,
    ) -> Document:
        """Return a submission once it is scored, or sealed.

        seconds: to wait at most, and no longer than until the deadline of the options
        show: called with each document on the way. last: the submission as it was last seen
        until_reveal: whether a sealed one is waited for too
        Raises SubmissionEnded for any other end, and NotFinished.
        """
        path = self._path_of(submission)
        start = time.monotonic()
        end = start + min(seconds, max(0.0, self._connection.left))
        # The first answer comes at once, to show how far the submission is; the service holds the others.
        hold_seconds, is_first = 0, True
        while True:
            try:
                answer = self._connection.get(path, wait=str(hold_seconds))
            except NotReached as error:
                # In the last second before the deadline nothing can be asked again.
                if last is None or self._connection.left > 1.0:
                    raise
                raise NotFinished(last, seconds) from error
            except RequestRefused as refused:
                # The token of a CI job has ended, and the job got none after it: scoring goes on.
                if last is None or not self.is_of_job or refused.document["code"] not in _NO_TOKEN:
                    raise
                raise NotFinished(last, round(time.monotonic() - start)) from refused
            document = last = _submission(answer, path)
            if document["status"] not in ((*PENDING, SEALED) if until_reveal else PENDING):
                return settled(document)
            if show:
                show(document)
            left = end - time.monotonic()
            if left <= 0:
                raise NotFinished(document, seconds)
            if document["status"] == SEALED:
                time.sleep(min(_LONGEST_PAUSE, left))
            elif not is_first:
                time.sleep(min(answer.retry_after or 2.0, _LONGEST_PAUSE, left))
            is_first = False
            # Stay well below the silence after which this client gives up.
            # For 20 seconds the service may hold a request for a submission that is not scored yet.
            hold_seconds = max(0, int(min(20, left, self._seconds / 2)))

    def publish(
        self,
        submission: str,
        *,
        confirms_log: bool = False,
        public_traces: bool | None = None,
    ) -> Document:
        """Publish a scored submission.

        confirms_log: although its log marks samples as invalid, or was edited
        public_traces: whether everyone may read its traces; None for as before
        """
        fields = {"confirm_log": "true"} if confirms_log else {}
        if public_traces is not None:
            fields["public_traces"] = str(public_traces).lower()
        path = self._path_of(submission)
        document = _submission(self._post_fields(f"{path}publish/", fields), path)
        if not document["published"]:
            raise ForeignAnswer("the service answered that it published, and the submission is not published")
        return document

    def comparison(self, submission: str) -> Document:
        """Return how a scored submission compares with the entry of its system, task by task."""
        path = self._path_of(submission)
        document = _checked(self._connection.get(f"{path}comparison/"), EntryComparisonAnswer)
        _require_id(document["submission"], path)
        return document

    def tasks(self, submission: str, **query: str) -> Document:
        """Return the tasks of a submission, those of all pages as one. query: `outcome`, `group`."""
        path, tasks, number, pages = f"{self._path_of(submission)}tasks/", [], 1, 1
        while number <= pages:
            document = self._connection.get(path, **query, page=str(number), per_page="200").document
            with shown():
                tasks += document["results"]
                number, pages = number + 1, int(document["pages"])
        return {**document, "page": 1, "pages": 1, "next": None, "results": tasks}

    def withdraw(self, submission: str, *, reason: str = "") -> Document:
        """Withdraw a published submission. reason: public."""
        fields = {"reason": reason} if reason else {}
        path = self._path_of(submission)
        document = _submission(self._post_fields(f"{path}withdraw/", fields), path)
        if document["published"]:
            raise ForeignAnswer("the service answered that it withdrew, and the submission is published")
        return document

    def leaderboard(self, benchmark: str, **query: str) -> Document:
        """Return a page of a leaderboard. query: parameters of the API, such as `q`, `sort` or `as_of`."""
        return self._connection.get(f"/api/v1/benchmarks/{_slug(benchmark)}/leaderboard/", **query).document

    def benchmark(self, benchmark: str) -> Document:
        """Return what a leaderboard is, without its rows."""
        return self._connection.get(f"/api/v1/benchmarks/{_slug(benchmark)}/").document

    def season(self, season: str) -> Document:
        """Return a season by its own slug. Raises RequestRefused for any other leaderboard."""
        return self._connection.get(f"/api/v1/benchmarks/{_slug(season)}/season/").document

    def declaration(self, benchmark: str) -> Document:
        """Return what declares the benchmark of a leaderboard. Raises RequestRefused where it is code."""
        return self._connection.get(f"/api/v1/benchmarks/{_slug(benchmark)}/declaration/").document

    def unranked_lane(self, benchmark: str) -> str:
        """Return the slug of a leaderboard's unranked lane, or its own where it is one; "" where none is."""
        document = self.benchmark(benchmark)
        return benchmark if document.get("unranked_lane_of") else document.get("unranked_lane") or ""

    def scored_before(self, benchmark: str, system: str, *, team: str = "") -> list[Document]:
        """Return the last scored submissions of a system to a leaderboard, newest first: 50 at most."""
        query = {"benchmark": benchmark, "system": system, "status": "scored", **_of_team(team)}
        try:
            lines = self._connection.get("/api/v1/submissions/", **query).document["results"]
        except RequestRefused as refused:
            # The service refuses the name of a system that it does not know.
            if [each["pointer"] for each in refused.document.get("problems") or ()] == ["/system"]:
                return []
            raise
        return list(lines)

    def quota(self, benchmark: str, *, team: str = "") -> Document:
        """Return what the team may still send to a leaderboard. team: as for `submit`."""
        path = f"/api/v1/benchmarks/{_slug(benchmark)}/allowance/"
        return self._connection.get(path, **_of_team(team)).document

    def page_of(self, document: Document) -> str:
        """Return the address of the page of a submission."""
        return f"{self.origin}/submissions/{document['id']}/"

    def _path_of(self, submission: str) -> str:
        """Return the path of a submission below the address of the service. Raises ForeignAnswer."""
        if "/" in submission:
            absolute = urljoin(f"{self.origin}/", submission)
            if urlsplit(absolute)[:2] != urlsplit(self.origin)[:2]:
                raise ForeignAnswer(f"{submission} is not a submission of {self.origin}")
            submission = absolute.rstrip("/").rpartition("/")[2]
        try:
            return f"/api/v1/submissions/{uuid.UUID(submission)}/"
        except ValueError:
            raise RequestRefused(
                {
                    "code": "not-found",
                    "detail": f"{submission!r} is not the id of a submission.",
                    "hint": "`wardboard submit` prints it.",
                }
            ) from None


def settled(document: Document) -> Document:
    """Return a submission that is scored, or sealed. Raises SubmissionEnded for one that ended otherwise."""
    if document["status"] not in ("scored", SEALED):
        raise SubmissionEnded(document)
    return document


def _of_team(team: str) -> dict[str, str]:
    return {"team": team} if team else {}


def _slug(benchmark: str) -> str:
    """Return the short name of a leaderboard. Raises WrongUse for what can be none, whoever is asked."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", benchmark):
        raise WrongUse(f"benchmark is {benchmark!r}, which can be no leaderboard; one is medagentbench-300")
    return benchmark


def _require_id(found: str, path: str) -> None:
    """Raise ForeignAnswer where an answer is about another submission than that at `path`."""
    if str(uuid.UUID(found)) not in path:
        raise ForeignAnswer(f"the answer is about the submission {found}, which was not asked for")


def _submission(answer: ServiceAnswer, path: str = "") -> Document:
    """Return the submission of an answer. path: the path that was requested, "" for a new one."""
    document = _checked(answer, SubmissionAnswer)
    if path:
        _require_id(document["id"], path)
    if document["status"] not in (*PENDING, *ENDED):
        raise ForeignAnswer(f"a submission has the unknown status {document['status']!r}: update wardboard")
    if document["status"] == "scored" and document.get("result") is None:
        raise ForeignAnswer("the answer is not a document of Wardboard: a scored submission has no `result`")
    if document["status"] == SEALED and document.get("seal") is None:
        raise ForeignAnswer("the answer is not a document of Wardboard: a sealed submission has no `seal`")
    return document


def _checked(answer: ServiceAnswer, shape: type[Struct]) -> Document:
    """Return the document of `answer`. Raises ForeignAnswer where it is not of `shape`."""
    if fault := fault_of(answer.document, shape):
        raise ForeignAnswer(f"the answer is not a document of Wardboard: {fault}")
    return answer.document
