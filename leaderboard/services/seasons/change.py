"""Make and change seasons; each change is a public event, of which teams with files get an email."""

from collections.abc import Mapping
from copy import copy
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from leaderboard.models import (
    UNLIMITED,
    Access,
    AuditEvent,
    Board,
    BoardAction,
    BoardOrganiser,
    Season,
    Status,
    Submission,
    User,
)
from leaderboard.models.seasons import MOMENTS, OPTIONS, Phase
from leaderboard.services import audit
from leaderboard.services.errors import FactsInvalid, WrongState
from leaderboard.services.judging.references import copy_revision
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.import_references import activate_revision
from leaderboard.services.record import events
from leaderboard.services.record.event_kinds import NO_VALUE, words_of_change
from leaderboard.services.record.events import Change
from leaderboard.services.rows.lead_rules import RULE_SETTINGS, LeadRules
from wardboard.scoring.reading.problems import Problem, pointer

_LAST_YEAR = 9000  # so that what is reckoned from it is a date
_OF_BOARD = ("slug", "title", *RULE_SETTINGS)
# What title and slug of a new season are made of.
_STATED_AS = {"title": "name", "slug": "suffix"}
# What a season has in common with its leaderboard.
_TAKEN_OVER = (
    *("benchmark", "version", "question", "feedback", "position", "rounding", "is_demo", "judge_mode"),
    *("mixes_judges", "keep_originals", "public_traces", "data_class", *RULE_SETTINGS),
)


def moment(text: str, zone: str) -> datetime:
    """Return the moment that a text names in a zone: a day, whose end counts, or a day and a time.

    Raises ValueError for any other text and a time that a change of clocks skips, OverflowError for one that
    is too late, KeyError for an unknown zone.
    """
    text = text.strip()
    if len(text) == len("2027-03-31"):
        text = f"{text} 23:59:59"
    form = "%Y-%m-%d %H:%M:%S" if text.count(":") > 1 else "%Y-%m-%d %H:%M"
    at = datetime.strptime(text.replace("T", " "), form)
    in_utc = at.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    if at.year > _LAST_YEAR:
        raise OverflowError(text)
    if in_utc.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != at:
        raise ValueError(text)
    return in_utc


def read_plan(values: Mapping[str, Any], *, board: Board, now: datetime) -> Season:
    """Return the season that is asked for, unsaved, with its board; what is not named stays as it is.

    values: by the names of fields; of a new one also `name` and `suffix`, which ends its slug.
    board: a leaderboard, which gets a new season, or a season, which changes.
    Raises FactsInvalid with all problems.
    """
    was = board.season if board.is_season else None
    season = copy(was) if was else Season()
    season.board = copy(board) if was else _new_board(board, values)
    season.zone = values.get("zone") or season.zone
    problems = dict[str, str]()
    if season.zone not in available_timezones():
        problems["zone"] = _("It is no time zone of the IANA database, such as Europe/Berlin.")
    for name in MOMENTS:
        try:
            if values.get(name):
                setattr(season, name, moment(values[name], season.zone))
        except (ValueError, OverflowError, KeyError):
            problems[name] = _("It is no moment in this zone: write a day, or a day and a time.")
    for part, names in ((season, OPTIONS), (season.board, RULE_SETTINGS)):
        for name in names:
            if values.get(name) is not None:
                setattr(part, name, values[name])
    for part, fields in ((season, (*MOMENTS, *OPTIONS)), (season.board, _OF_BOARD)):
        try:
            part.full_clean(exclude=[field.name for field in part._meta.fields if field.name not in fields])
        except ValidationError as error:
            problems = {
                _STATED_AS.get(name, name): " ".join(texts) for name, texts in error.message_dict.items()
            } | problems
    for name in MOMENTS:
        at, before = getattr(season, name), getattr(was, name, None)
        # A new season may open at once.
        if at and at != before and min(before or at, at) <= now and (was or name != "opens_at"):
            problems.setdefault(name, _("It is in the past, or replaces a moment that is."))
    if problems:
        hint = _("Such as 2027-03-31, whose end counts, or 2027-03-31 18:00.")
        raise FactsInvalid(
            [
                Problem(
                    code="season.invalid",
                    pointer=pointer(*([] if name == "__all__" else [name])),
                    message=message,
                    hint=hint if name in MOMENTS else _("Correct it, or leave it out."),
                )
                for name, message in problems.items()
            ]
        )
    return season


def _new_board(board: Board, values: Mapping[str, Any]) -> Board:
    """Return the board, unsaved, of a new season: of files without a quota, and with what it takes over."""
    access = board.access if board.access == Access.ANYONE else Access.VERIFIED
    taken_over = {name: getattr(board, name) for name in _TAKEN_OVER}
    name, suffix = (values.get("name") or "").strip(), values.get("suffix")
    return Board(
        **{**UNLIMITED, **taken_over, "access": access},
        slug=f"{board.slug}-{suffix}" if suffix else "",
        title=f"{board.title}: {name}" if name else "",
        season_of=board,
    )


def preview(season: Season) -> list[str]:
    """Return what a plan changes and for whom, a sentence each; nothing for a plan without a change."""
    lines = [words_of_change(*change) for change in _changes(season)]
    if not season.pk:
        return [*lines, _("Its page is public at once, and the log of the season begins.")]
    sealed = Submission.objects.filter(board=season.board_id, status=Status.SEALED)
    teams = sealed.values("team").distinct().count()
    concerned = ngettext(
        "%(n)s team with sealed files gets an email, and the public log names the change.",
        "%(n)s teams with sealed files get an email, and the public log names the change.",
        teams,
    )
    return [*lines, concerned % {"n": teams}] if lines else []


def _print(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, bool):
        return gettext_noop("yes") if value else gettext_noop("no")
    return NO_VALUE if value is None else str(value)


def _changes(season: Season) -> list[tuple[str, str, str]]:
    """Return the name of each field that a plan changes, with its values before and now in print."""
    was = Season.objects.select_related("board").filter(pk=season.pk).first()
    before, rules = was or Season(), was.board if was else season.board.season_of
    pairs: list[tuple[str, Any, Any]] = [(name, before, season) for name in (*MOMENTS, "zone", *OPTIONS)]
    pairs += [(name, rules, season.board) for name in RULE_SETTINGS]
    return [
        (name, _print(getattr(old, name)), _print(getattr(new, name)))
        for name, old, new in pairs
        if getattr(old, name) != getattr(new, name)
    ]


@transaction.atomic
def carry_out(season: Season, *, by: User) -> Season:
    """Make or change the season of a plan. Raises WrongState where it has closed, or cannot be, meanwhile."""
    changes = _changes(season)
    changed = {name for name, _was, _now in changes}
    if season.pk:
        stored = Season.objects.select_for_update(of=("self",)).get(board=season.board)
        phase = stored.phase(timezone.now())
        if phase == Phase.REVEALED or (phase == Phase.CLOSED and changed != {"reveals_at"}):
            raise WrongState(_("The season is closed: only the reveal can change, until it has happened."))
        rules = {name: getattr(season.board, name) for name in changed.intersection(RULE_SETTINGS)}
        change_settings(board=season.board, values=rules, by=by)
        # The close may have been logged since the plan was read.
        season.save(update_fields=[*MOMENTS, "zone", *OPTIONS])
    else:
        _add(season, by=by)
    data = {"kind": "season", "changes": changes, "conditions": LeadRules.of(season.board).as_json()}
    events.record(Change(action=BoardAction.SEASON, data=data), board=season.board)
    fields = {name: {"was": was, "now": now} for name, was, now in changes}
    audit.record(AuditEvent.Action.BENCHMARK_CHANGED, actor=by, board=season.board, fields=fields)
    assert season.board.season_of is not None
    events.touch(board=season.board.season_of)
    return season


def _add(season: Season, *, by: User) -> None:
    """Save a new season and its board, with the references and the organisers of its leaderboard."""
    board = season.board
    assert board.season_of is not None
    of = Board.objects.select_for_update(no_key=True).get(pk=board.season_of.pk)
    if of.active_revision_id is None or of.is_unranked:
        raise WrongState(_("Only a ranked leaderboard with reference answers has seasons."))
    board.save()
    season.board = board
    season.save(force_insert=True)
    users = BoardOrganiser.objects.filter(board=of).values_list("user", flat=True)
    BoardOrganiser.objects.bulk_create(BoardOrganiser(board=board, user_id=user) for user in users)
    activate_revision(revision=copy_revision(of.active_revision_id, board), was=None, by=by)
    board.refresh_from_db()
