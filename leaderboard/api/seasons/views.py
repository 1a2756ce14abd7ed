"""List seasons; for organisers, make and change them; for teams, lodge a statement."""

from functools import partial
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
)

from leaderboard.api.base import ApiView, get_board, respond, user_of
from leaderboard.api.operation import Operation
from leaderboard.api.serializers.fields import Flag, Form, Shape, Text
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, Scope, Season
from leaderboard.services.access import find_own, may_manage
from leaderboard.services.errors import NotFound
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.seasons import change, seal


class SeasonForm(Form):
    """What an organiser states; what is left out stays, or begins as that of the leaderboard."""

    name = Text(required=False, help_text="Of a new season, such as Spring 2027.")
    suffix = Text(required=False, help_text="Of a new season: its slug after the leaderboard's.")
    opens_at = Text(required=False, help_text="A day, whose end counts, or a day and a time, in `zone`.")
    closes_at = Text(required=False)
    reveals_at = Text(required=False)
    zone = Text(required=False, help_text="Of the IANA database; Etc/GMT+12 is anywhere on Earth.")
    files_of_system = IntegerField(required=False, min_value=1)
    pauses_board = Flag(required=False, help_text="Whether the leaderboard takes no files meanwhile.")
    hides_names = Flag(required=False, help_text="Whether a system may stay without its name until a date.")
    least_runs = IntegerField(required=False, min_value=1)
    needs_traces = Flag(required=False)
    needs_official_harness = Flag(required=False)
    needs_links = Flag(required=False)
    needs_cost = Flag(required=False)
    preview = Flag(default=False, help_text="Change nothing; say what would change, and for whom.")


class StatementForm(Form):
    statement = Text(
        required=False,
        help_text=f"Of {seal.LONGEST_STATEMENT:,} characters at most. What is left out stays as it is.",
    )
    embargo_until = DateField(
        required=False,
        allow_null=True,
        help_text="When its system gets its name in the table; null for the reveal.",
    )


class SeasonSerializer(Shape):
    slug = CharField(source="board.slug")
    title = CharField(source="board.title")
    season_of = CharField(source="board.season_of.slug")
    phase = CharField(help_text="planned, open, closed or revealed")
    opens_at = DateTimeField()
    closes_at = DateTimeField()
    reveals_at = DateTimeField()
    zone = CharField()
    files_of_system = IntegerField()
    pauses_board = BooleanField()
    hides_names = BooleanField()
    conditions = DictField(help_text="As of a leaderboard.")
    revision = IntegerField(source="board.active_revision.number")
    closed_at = DateTimeField(allow_null=True)
    revealed_at = DateTimeField(allow_null=True)
    table_number = IntegerField(allow_null=True, help_text="`as_of` of the table that never changes.")
    entries = ListField(
        child=ListField(child=CharField()),
        help_text="From the close on: the SHA-256 of each entry, and of its statement or empty.",
    )

    get_phase = staticmethod(lambda season: season.phase(timezone.now()))
    get_conditions = staticmethod(lambda season: LeadRules.of(season.board).as_json())
    get_entries = staticmethod(lambda season: seal.logged(season, "season-closed", "files"))


class SeasonsSerializer(Shape):
    results = SeasonSerializer(many=True)


class PlannedSerializer(Shape):
    changes = ListField(child=CharField(), help_text="What changes and for whom, a sentence each.")
    season = SeasonSerializer(allow_null=True, help_text="Null of a preview of a new one.")


_changes = partial(Operation, body=SeasonForm, answer=PlannedSerializer, refusals=["wrong-state"])


class _PlanView(ApiView):
    """A view in which an organiser makes or changes a season."""

    scopes = {"GET": Scope.READ, "POST": Scope.ORGANISE}

    def plan(self, request: Request, board: Board) -> HttpResponse:
        if not may_manage(reader_of(request), board):
            raise NotFound("You organise no such leaderboard.")
        plan = change.read_plan(self.body, board=board, now=timezone.now())
        lines = change.preview(plan)
        made = None if self.body["preview"] else change.carry_out(plan, by=user_of(request))
        return respond(PlannedSerializer({"changes": lines, "season": made}).data)


class SeasonsView(_PlanView):
    @Operation(
        id="listSeasons", summary="The seasons of a leaderboard, the latest first", answer=SeasonsSerializer
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        return respond(SeasonsSerializer({"results": seal.seasons_of(get_board(slug))}).data)

    @_changes(id="addSeason", summary="Add a season to a leaderboard, as its organiser")
    def post(self, request: Request, slug: str) -> HttpResponse:
        board = get_board(slug)
        if board.is_season:
            raise NotFound("A season has no seasons: add one to its leaderboard.")
        return self.plan(request, board)


class SeasonView(_PlanView):
    @Operation(id="getSeason", summary="One season, by its own slug", answer=SeasonSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return respond(SeasonSerializer(_season(slug)).data)

    @_changes(
        id="changeSeason", summary="Change a season, as its organiser; each change is in its public log"
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        return self.plan(request, _season(slug).board)


def _season(slug: str) -> Season:
    board = get_board(slug)
    if not board.is_season:
        raise NotFound("This leaderboard is no season; `seasons/` of a leaderboard lists its seasons.")
    return board.season


class StatementView(ApiView):
    permission_classes = [IsAuthenticated]
    throttle_scope = "submissions"

    @Operation(
        id="lodgeStatement",
        summary="Keep a statement with a sealed file; it is public from the reveal on",
        body=StatementForm,
        answer=StatementForm,
        refusals=["wrong-state"],
    )
    def post(self, request: Request, submission_id: UUID) -> HttpResponse:
        own = find_own(reader_of(request), submission_id)
        kept = seal.lodge(submission_id=submission_id, team=own.team, **self.body)
        return respond({"statement": kept.statement, "embargo_until": kept.embargo_until})
