"""The file of a browser that waits to be submitted: take it, and describe it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.http.addresses import sender_digest
from leaderboard.http.rates import CheckThrottle
from leaderboard.http.uploads import IncomingFile, join_files
from leaderboard.models import Board, DataClass, Draft, Team, User
from leaderboard.services.drafts import drafts
from leaderboard.services.drafts.identify import Identified, NotScorable, identify
from leaderboard.services.errors import BoardClosed, ServiceError, WrongState
from leaderboard.services.files.runs import NamedFile
from leaderboard.services.submissions import quotas
from leaderboard.services.submissions.admit import is_check_deferred
from leaderboard.services.submissions.score_draft import score_draft
from leaderboard.web.shared.draft_cookie import draft_id_of
from leaderboard.web.submissions.report import report_of_columns
from wardboard.scoring import registry
from wardboard.scoring.facts_of_logs import as_stated
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.formats.log_facts import log_facts_of
from wardboard.scoring.reading.problems import SubmissionInvalid


class TooManyChecks(ServiceError, code="too-many-requests"):
    """A visitor sent too many files. retry_after: seconds until the next one is read."""


def user_of(request: HttpRequest) -> User | None:
    """Return who is signed in; None for a visitor."""
    return request.user if request.user.is_authenticated else None


def open_boards() -> list[Board]:
    """Return the leaderboards for which files may wait.

    Files of credentialed data may not: they come with an acknowledgement, and are not kept as they came.
    """
    return list(Board.objects.with_task_ids().accepting_files().exclude(data_class=DataClass.CREDENTIALED))


def credentialed_boards() -> list[Board]:
    """Return the open leaderboards whose files come with an acknowledgement, on pages of their own."""
    boards = Board.objects.without_references().accepting_files()
    return list(boards.filter(data_class=DataClass.CREDENTIALED))


def facts_of_log(draft: Draft) -> dict[str, Any]:
    """Return what a waiting file states of its runs, by the keys of `wardboard.scoring.facts`."""
    matches = sorted(draft.matches, key=lambda match: not match["is_likeliest"])
    stated: dict[str, Any] = next((match["log_facts"] for match in matches if match.get("log_facts")), {})
    return as_stated(log_facts_of(stated))


def find(request: HttpRequest) -> Draft | None:
    """Return the browser's draft, if who is signed in may see it."""
    return drafts.find(draft_id_of(request), user_of(request))


@contextmanager
def counted_form(request: HttpRequest) -> Iterator[None]:
    """Count a form against the limit for checks, and more if its file is slow. Raises TooManyChecks."""
    throttle = CheckThrottle()
    # The throttle reads address and user only, which a request of Django has too.
    sender = (cast(Request, request), cast(APIView, None))
    if not throttle.allow_request(*sender):
        raise TooManyChecks("Too many files.", math.ceil(throttle.wait() or 60))
    try:
        yield
    except NotScorable as error:
        if DocumentCode.TOO_SLOW in error.rejection.problems.counts:
            throttle.charge(*sender)
        raise


def take(
    request: HttpRequest,
    files: Sequence[IncomingFile],
    *,
    preferred: str,
    before: Draft | None,
    select: str = "",
) -> Draft:
    """Read the files of a form and keep them as the browser's draft, in place of the one before.

    They are scored where that is done at once. Where no room is left for the file of a visitor, the draft
    returned is not saved.

    files: none to take the systems `select` of the archive that waits, `before`, which was not read yet.
    preferred: slug of the leaderboard whose report is wanted, "" for none.
    Raises FileNotFoundError, NotScorable, TooManyChecks, BoardClosed, Busy, StorageSpent, NoRoom,
    StorageAway.
    """
    with counted_form(request):
        user = user_of(request)
        boards = open_boards()
        if not boards:
            raise BoardClosed(_("No leaderboard is open for files of this kind."))
        benchmarks = {board.benchmark for board in boards}
        waiting = [NamedFile(name=before.filename, stored=drafts.file_of(before))] if before else []
        try:
            file = join_files(
                request, files or waiting, benchmarks, has_account=user is not None, select=select
            )
        except SubmissionInvalid as rejection:
            if len(files) > 1 and rejection.problems.systems:
                text = _("These are not runs of one system. Drop a zip of them, then choose.")
                raise WrongState(text) from rejection
            if len(files) != 1 or select or not rejection.problems.systems:
                raise NotScorable(None, rejection) from rejection
            file, identified = files[0], Identified(matches=(), systems=rejection.problems.systems)
        else:
            identified = identify(
                file.stored,
                boards,
                preferred=preferred,
                has_account=user is not None,
                is_large=is_check_deferred(file.stored),
            )
        digest, stored = sender_digest(request), file.hand_over()
        draft = drafts.new_draft(stored, identified=identified, filename=file.name, owner=user, digest=digest)
        score_draft(draft, identified)
        drafts.keep(draft, before=before)
        return draft


def targets_of(request: HttpRequest, draft: Draft, team: Team | None) -> list[dict[str, Any]]:
    """Return the leaderboards that a draft can go to, without those that were closed since.

    Each is what the draft keeps of it, and more:

    - board
    - is_read: whether the file was read; then `format`, `version` and `count` describe it
    - gap: how many tasks or answers it lacks, in words; "" where it lacks none
    - allowance: what the team of who is signed in, if there is one, may still send there; None for a visitor
    """
    user, now, digest = user_of(request), timezone.now(), sender_digest(request)
    boards = {board.slug: board for board in open_boards()}
    return [
        {
            **match,
            "board": board,
            "is_read": "count" in match,
            "gap": _gap_words(match, board.ground_truth.file_task_count, len(draft.run_files or [draft])),
            "report": report_of_columns(match),
            "allowance": quotas.allowance(board, team, user, now, digest=digest) if user else None,
        }
        for match in draft.matches
        if (board := boards.get(match["slug"]))
    ]


def samples_of(boards: Iterable[Board]) -> dict[Board, str]:
    """Return each open demonstration with the name of the file to try it with, which is beside its guide."""
    demos = [demo for benchmark in registry.BENCHMARKS.values() for demo in benchmark.demonstrations]
    names = {demo.board.slug: demo.to_upload[0].name for demo in demos}
    return {board: names[board.slug] for board in boards if board.is_open and board.slug in names}


def _gap_words(match: Mapping[str, Any], tasks: int, runs: int) -> str:
    """Say what a file leaves unanswered; "" for nothing, and for one that was not read."""
    missing = runs * tasks - match.get("count", runs * tasks)
    if missing <= 0:
        return ""
    if runs > 1:
        values = {"runs": runs, "missing": f"{missing:,}", "all": f"{runs * tasks:,}"}
        return _("%(runs)s runs: %(missing)s of %(all)s answers are missing") % values
    if match.get("score"):
        values = {"shown": f"{tasks - missing:,}", "tasks": f"{tasks:,}"}
        return _("%(shown)s of %(tasks)s tasks in the file") % values
    # Rounded up, as no higher score is possible.
    most = -(-100 * (tasks - missing) // tasks)
    values = {"shown": f"{tasks - missing:,}", "tasks": f"{tasks:,}", "most": most}
    return _("%(shown)s of %(tasks)s tasks: would score at most %(most)s%%") % values
