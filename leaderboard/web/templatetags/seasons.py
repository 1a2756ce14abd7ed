"""What pages of leaderboards and submissions say of seasons."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.template import Context
from django.utils.formats import date_format

from leaderboard.models import SealedFile
from leaderboard.services.seasons.seal import (
    digest_of,
    is_entry,
    logged,
    opened,
    seasons_of,
    statements_of,
)

register = template.Library()


@register.inclusion_tag("web/seasons/partials/head.html", takes_context=True)
def season_head(context: Context) -> dict[str, Any]:
    """Render what the page of a season, or of a leaderboard with seasons, says of them.

    It depends on the database alone, and not on the clock: copies of the page are kept.
    """
    board = context["board"]
    if not board.is_season:
        return {"seasons": seasons_of(board)}
    season = board.season
    reveals = season.revealed_at or season.reveals_at
    return {
        "season": season,
        "board": board,
        "moments": [_in_zone(at, season.zone) for at in (season.opens_at, season.closes_at, reveals)],
        "opened": opened(season),
        "named": logged(season, "season-revealed", "named"),
        "lines": logged(season, "season-closed", "files"),
        "statements": statements_of(season) if season.revealed_at else (),
        "last_number": board.state.number,
        "is_corrected": bool(season.table_number) and context["query"].board_at.number > season.table_number,
    }


def _in_zone(at: datetime, zone: str) -> str:
    return date_format(at.astimezone(ZoneInfo(zone)), "DATETIME_FORMAT").removesuffix(":00")


@register.inclusion_tag("web/seasons/partials/sealed.html", takes_context=True)
def sealed_file(context: Context) -> dict[str, Any]:
    """Render what its team sees of a sealed file."""
    submission = context["submission"]
    sealed = SealedFile.objects.filter(pk=submission.pk).first()
    return {
        "submission": submission,
        "season": submission.board.season,
        "is_own": context["is_own"],
        "is_entry": is_entry(submission),
        "is_opened": opened(submission.board.season, sha256=submission.sha256),
        "sealed": sealed,
        "digest": digest_of(sealed.statement) if sealed else "",
        "csrf_token": context.get("csrf_token"),
    }
