"""Describe the progress of a submission, on its page and for screen readers."""

from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Status, Submission
from leaderboard.services import visibility
from leaderboard.services.text import percent
from leaderboard.web.templatetags.languages import moment, translated
from wardboard.scoring.judging import why_incomplete

_COUNTS = ("read", "total", "judged", "to_judge", "undecided")
_POLL_SECONDS = {Status.RECEIVED: 2, Status.QUEUED: 2, Status.SCORING: 1, Status.INCOMPLETE: 10}


def live_progress(submission: Submission) -> dict[str, Any] | None:
    """Return the progress of a pending submission, which its page reads again and again; None for any other.

    done, maximum: length and maximum of the progress bar; maximum is 0 while there is nothing to draw.
    reason, retry: why an incomplete submission waits, and when it is tried again.
    milestone: changes whenever `announcement` is to be read to users of screen readers.
    """
    if not submission.is_pending:
        return None
    counts = visibility.visible_progress(submission) or {}
    judged_share = counts.get("judged_share")
    if counts.get("to_judge"):
        done, maximum = counts["judged"], counts["to_judge"]
    elif judged_share is not None:
        done, maximum = round(10 * judged_share), 10
    else:
        done, maximum = counts.get("read", 0), counts.get("total", 0)
    reason = retry = ""
    if submission.status == Status.INCOMPLETE:
        reason = translated(why_incomplete(submission.waits_for))
        if submission.resume_at:
            retry = _("Next attempt: %(at)s.") % {"at": moment(submission.resume_at)}
    milestone, announcement = _milestone(submission, done, maximum)
    return {
        "done": done,
        "maximum": maximum,
        "label": _("Records read") if judged_share is None else _("Answers judged"),
        "figures": _figures(counts),
        "reason": reason,
        "retry": retry,
        "poll_seconds": _POLL_SECONDS[Status(submission.status)],
        "milestone": milestone,
        "announcement": announcement,
    }


def _figures(counts: dict[str, Any]) -> list[tuple[str, str]]:
    if not counts:
        return []
    texts = {name: f"{counts[name]:,}" for name in _COUNTS if counts.get(name) is not None}
    figures = [(_("Records read"), _("%(read)s of %(total)s tasks") % texts)]
    if counts.get("to_judge"):
        figures.append((_("Judged"), _("%(judged)s of %(to_judge)s answers") % texts))
        figures.append((_("Undecided"), texts["undecided"]))
    elif counts.get("judged_share") is not None:
        figures.append((_("Judged"), _("about %(figure)s") % {"figure": percent(counts["judged_share"], 0)}))
    return figures


def _milestone(submission: Submission, done: int, maximum: int) -> tuple[str, str]:
    """Return a key that changes with every announcement, and the announcement.

    Each status and each quarter of the way is announced, so that a screen reader does not speak every second.
    """
    match submission.status:
        case Status.INCOMPLETE:
            return f"incomplete-{submission.waits_for}", _("Incomplete: it waits for the judge.")
        case Status.SCORING:
            quarters = 4 * done // maximum if maximum else 0
            return f"scoring-{quarters}", _("It is being scored: %(percent)d%% done.") % {
                "percent": 25 * quarters
            }
        case Status.QUEUED:
            return "queued", _("It waits to be scored.")
    return "received", _("The file is being checked.")
