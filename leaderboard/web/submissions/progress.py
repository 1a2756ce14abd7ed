"""Describe a submission that is not scored yet: in figures to read, and in few words to hear."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.models import Status, Submission

# Why answers are still undecided, by the code of the reason.
_WAITS = {
    "provider-down": gettext_lazy("The language model that judges does not answer just now."),
    "provider-refused": gettext_lazy(
        "The provider of the language model that judges refuses us, which the organisers have to look at."
    ),
    "budget-spent": gettext_lazy("The budget for judging is spent for now."),
    "submission-budget-spent": gettext_lazy(
        "The budget for judging this file is spent; it goes on once the organisers have raised it."
    ),
    "reply-unusable": gettext_lazy(
        "The language model that judges gave no usable reply to some answers; they are put to it again."
    ),
    "judge-not-set-up": gettext_lazy(
        "This board’s judge is not set up here yet, which the organisers have to do."
    ),
}
_COUNTS = ("read", "total", "judged", "to_judge", "undecided")
_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProgress:
    """What the page of a pending submission shows, renewed until it is scored.

    before: how many submissions are scored first; None while it is not queued.
    done, most: length and maximum of the progress bar; most is 0 while there is nothing to draw.
    of_what: what the bar counts.
    figures: names and texts, in order.
    waits, again: why an incomplete submission waits, and when it is tried again.
    every: seconds until the page asks again.
    milestone: changes whenever `aloud` is to be announced to screen readers.
    """

    before: int | None
    done: int
    most: int
    of_what: str
    figures: list[tuple[str, str]]
    waits: str
    again: str
    every: int
    milestone: str
    aloud: str


def live_progress(submission: Submission) -> LiveProgress | None:
    """Return the progress of a pending submission; None for any other."""
    if not submission.is_pending:
        return None
    counts = submission.progress or {}
    is_judging = bool(counts.get("to_judge"))
    if is_judging:
        done, most = counts["judged"], counts["to_judge"]
    else:
        done, most = counts.get("read", 0), counts.get("total", 0)
    waits = again = ""
    if submission.status == Status.INCOMPLETE:
        waits = str(_WAITS.get(submission.waits_for) or _("Some answers could not be judged yet."))
        again = _again(submission)
    milestone, aloud = _milestone(submission, done, most)
    return LiveProgress(
        before=_before(submission),
        done=done,
        most=most,
        of_what=_("Answers judged") if is_judging else _("Records read"),
        figures=_figures(submission, counts, is_judging),
        waits=waits,
        again=again,
        every=_EVERY[Status(submission.status)],
        milestone=milestone,
        aloud=aloud,
    )


_EVERY = {Status.RECEIVED: 2, Status.QUEUED: 2, Status.SCORING: 1, Status.INCOMPLETE: 10}


def _before(submission: Submission) -> int | None:
    if submission.status != Status.QUEUED:
        return None
    return Submission.objects.waiting_before(submission).count()


def _figures(submission: Submission, counts: dict[str, Any], is_judging: bool) -> list[tuple[str, str]]:
    if not counts:
        return []
    texts = {name: f"{counts[name]:,}" for name in _COUNTS if name in counts}
    figures = [(_("Records read"), _("%(read)s of %(total)s tasks") % texts)]
    if is_judging:
        figures.append((_("Judged"), _("%(judged)s of %(to_judge)s answers") % texts))
        figures.append((_("Undecided"), texts["undecided"]))
    if submission.status == Status.SCORING and counts.get("seconds_left") is not None:
        figures.append((_("Time left"), roughly(counts["seconds_left"])))
    return figures


def _milestone(submission: Submission, done: int, most: int) -> tuple[str, str]:
    """Return a key that changes with every announcement, and the announcement.

    Each status and each quarter of the way is announced, so that a screen reader does not speak every second.
    """
    match submission.status:
        case Status.INCOMPLETE:
            return f"incomplete-{submission.waits_for}", _("Incomplete: it waits for the judge.")
        case Status.SCORING:
            quarters = 4 * done // most if most else 0
            return f"scoring-{quarters}", _("It is being scored: %(percent)d%% done.") % {
                "percent": 25 * quarters
            }
        case Status.QUEUED:
            return "queued", _("It waits to be scored.")
    return "received", _("The file is being checked.")


def _again(submission: Submission) -> str:
    if submission.resume_at is None:
        return _("It goes on once the organisers have seen to it.")
    seconds = (submission.resume_at - timezone.now()).total_seconds()
    if seconds <= _MINUTE:
        return _("It is tried again within a minute or two.")
    at = date_format(submission.resume_at, "SHORT_DATETIME_FORMAT" if seconds > 6 * _HOUR else "TIME_FORMAT")
    return _("It is tried again in %(time)s, at %(moment)s UTC.") % {"time": roughly(seconds), "moment": at}


def roughly(seconds: float) -> str:
    """Format a duration roughly: about 40 seconds, about 3 minutes, about 2 hours."""
    if seconds < 5:
        return _("a few seconds")
    if seconds < _MINUTE - 5:
        return _("about %(count)d seconds") % {"count": 5 * round(seconds / 5)}
    if seconds < _HOUR - _MINUTE:
        count = max(1, round(seconds / _MINUTE))
        return ngettext("about %(count)d minute", "about %(count)d minutes", count) % {"count": count}
    count = max(1, round(seconds / _HOUR))
    return ngettext("about %(count)d hour", "about %(count)d hours", count) % {"count": count}
