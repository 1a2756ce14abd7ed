"""What a request asks for, and what it states of its file, before the file is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import Board, CiJob, ProvenanceLevel, Team, User
from leaderboard.models.seasons import why_closed
from leaderboard.services.data_class import missing_acknowledgement
from leaderboard.services.errors import BoardClosed, FactsInvalid, RequestInvalid
from leaderboard.services.files import runs
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.read import Declared
from leaderboard.services.publishing.change_settings import lane_refusal
from leaderboard.services.publishing.system_facts import facts_to_store, find_system
from leaderboard.services.rows.lead_rules import states
from leaderboard.services.submissions.stated_facts import NOTHING_STATED, Stated, parse_stated
from leaderboard.services.trusted_publishing.provenance import (
    provenance_of,
    refuse_contradictions,
    verified_release,
)
from wardboard.scoring.reading.problems import Problem, pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRequest:
    """A file sent to a leaderboard, and what its sender states with it.

    file: the stored file, of one or several runs, which `submit` takes over.
    facts: facts about the system and its runs by the names that requests use, not yet checked.
    filename: the name that the sender gave the file, or the archive of several. idempotency_key: "" for none.
    designate: whether, besides, it becomes its system’s entry, whatever its score; implies `publish`.
    address_digest: of the sender's network address, "" where it is not known.
    acknowledgement: the version of the terms on credentialed data that the sender acknowledges, "" for none.
    is_strict: whether a warning is a problem, and a fact that is not applied.
    ci_job: that sends it, with a token that was exchanged for it; None for an account.
    unranked: whether only an unranked lane may take it.
    allow_empty: whether a file most of whose answers are no answers is taken on a ranked leaderboard.
    """

    user: User
    team: Team
    board: Board
    file: StoredFile
    facts: Mapping[str, Any]
    filename: str = ""
    idempotency_key: str = ""
    publish: bool = False
    designate: bool = False
    address_digest: str = ""
    acknowledgement: str = ""
    is_strict: bool = False
    ci_job: CiJob | None = None
    unranked: bool = False
    allow_empty: bool = False

    @property
    def is_to_be_published(self) -> bool:
        """Whether the result is published as soon as it is scored."""
        return self.publish or self.designate


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a request states of its file, its system and its runs.

    request: with its file as one of so many declared runs.
    problems: of what is stated; then `stated` is empty.
    release: fields of `Release` that are stated, or that the CI job proves.
    declared: what decides which warnings the file gets.
    """

    request: SubmissionRequest
    stated: Stated
    problems: Sequence[Problem]
    release: Mapping[str, str]
    provenance: ProvenanceLevel
    declared: Declared


def state(request: SubmissionRequest) -> Statement:
    """Return what a request states, with the problems of its facts.

    Raises BoardClosed, and RequestInvalid where the file is not to be read: a lane or a ranked leaderboard
    does not take what the request asks for, or the acknowledgement that the board asks for is missing.
    """
    if request.board.is_season:
        # Its results are published together.
        request = replace(request, publish=False, designate=False)
    board, file, job = request.board, request.file, request.ci_job
    stated, problems, harness, enough = NOTHING_STATED, list[Problem](), None, {}
    if refusal := _closed(board):
        raise BoardClosed(refusal)
    if lane := _lane_problem(request):
        raise RequestInvalid([lane], None)
    terms = missing_acknowledgement(board, request.acknowledgement)
    try:
        stated = parse_stated(request.facts, files=len(file.names))
        refuse_contradictions(job, stated=stated.release, sha256=file.sha256)
    except FactsInvalid as error:
        problems = error.problems
    if terms:
        raise RequestInvalid([terms, *problems], None)
    if not problems:
        harness = stated.facts.values.get("harness")
        if board.needs_official_harness or board.needs_links or board.needs_cost:
            known = find_system(team=request.team, name=stated.facts.name)
            harness = known.harness if known and harness is None else harness
            enough = states(known, facts_to_store(stated.facts))
        harness = harness or ""
        file = runs.declare(file, stated.runs)
    return Statement(
        request=replace(request, file=file),
        stated=stated,
        problems=problems,
        release={**stated.release, **verified_release(job)},
        provenance=provenance_of(job),
        declared=Declared(
            runs=max(stated.runs, len(file.names)),
            is_deterministic=bool(stated.deterministic),
            harness=harness,
            allow_empty=request.allow_empty,
            states=enough,
        ),
    )


def _closed(board: Board) -> str:
    """Return why a leaderboard takes no file; "" where it does."""
    if board.is_open:
        return (lane_refusal(board) if board.is_unranked else "") or why_closed(board, timezone.now())
    return gettext(
        "%(title)s is not open for submissions yet: its reference answers have not been imported."
    ) % {"title": gettext(board.title)}


def _lane_problem(request: SubmissionRequest) -> Problem | None:
    """Return the problem of a request that asks of a leaderboard, or of a lane, what it does not do."""
    board = request.board
    if board.is_unranked and request.is_to_be_published:
        return Problem(
            code="unranked.never-published",
            pointer=pointer("designate" if request.designate else "publish"),
            message=gettext("A result on an unranked lane is never published."),
            hint=gettext("Leave it out, or send the file to a ranked leaderboard."),
        )
    if board.is_unranked or not request.unranked:
        return None
    lane = Board.objects.filter(unranked_lane_of=board).values_list("slug", flat=True).first()
    return Problem(
        code="unranked.is-ranked",
        pointer=pointer("unranked"),
        message=gettext("%(title)s is a ranked leaderboard, and no unranked lane.")
        % {"title": gettext(board.title)},
        hint=gettext("Send the file to its unranked lane: %(lane)s.") % {"lane": lane or "–"},
    )
