"""The words of the organiser's desk for states, events and tools, in the language of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from leaderboard.models import AuditEvent, Board
from leaderboard.services.desk.activation import Activation
from leaderboard.services.desk.head_after import HeadChange
from leaderboard.services.desk.preview import RankChange
from leaderboard.services.desk.submissions import SubmissionState
from leaderboard.services.health.queues import Queue, Waiting
from leaderboard.services.judging import judge
from leaderboard.web.boards.head_sentence import Finding, describe_finding

_A = AuditEvent.Action
ACTIONS = {
    _A.SUBMITTED: gettext_lazy("Submitted"),
    _A.REJECTED: gettext_lazy("Rejected: the file has errors"),
    _A.SCORED: pgettext_lazy("an event", "Scored"),
    _A.FAILED: pgettext_lazy("an event", "Failed"),
    _A.INCOMPLETE: gettext_lazy("Left incomplete: the judge could not go on"),
    _A.CANCELLED: pgettext_lazy("an event", "Cancelled"),
    _A.RETRIED: gettext_lazy("Tried again, or resumed"),
    _A.PUBLISHED: pgettext_lazy("an event", "Published"),
    _A.WITHDRAWN: pgettext_lazy("an event", "Withdrawn"),
    _A.DISQUALIFIED: pgettext_lazy("an event", "Disqualified"),
    _A.REINSTATED: pgettext_lazy("an event", "Reinstated"),
    _A.TRACES_CHANGED: gettext_lazy("Traces made public, or hidden again"),
    _A.REVIEWED: gettext_lazy("Reviewed by an organiser"),
    _A.IMPORTED: gettext_lazy("Reference answers imported"),
    _A.ACTIVATED: gettext_lazy("Reference answers activated"),
    _A.DISCARDED: gettext_lazy("Reference answers discarded"),
    _A.SET_ASIDE: gettext_lazy("Revision without some tasks prepared"),
    _A.DOUBT_REPORTED: gettext_lazy("Doubtful reference answer reported"),
    _A.DOUBT_DECLINED: gettext_lazy("Report of a doubtful reference answer declined"),
    _A.DOUBT_ACCEPTED: gettext_lazy("Report of a doubtful reference answer accepted"),
    _A.REPORTED: gettext_lazy("Published results changed"),
    _A.BENCHMARK_CHANGED: gettext_lazy("Settings of the leaderboard changed"),
    _A.SYSTEM_CHANGED: gettext_lazy("Facts of a system changed"),
    _A.APPROVAL_REQUESTED: gettext_lazy("Approval asked for"),
    _A.TEAM_APPROVED: gettext_lazy("Team approved"),
    _A.TEAM_REFUSED: gettext_lazy("Team not approved"),
    _A.ANNOUNCED: gettext_lazy("Announced on the leaderboard"),
    _A.ANNOUNCEMENT_ENDED: gettext_lazy("Announcement ended"),
    _A.QUOTA_GRANTED: gettext_lazy("Other limits given to a team"),
    _A.QUOTA_ENDED: gettext_lazy("Other limits of a team ended"),
    _A.RESCORING_ORDERED: gettext_lazy("Rescoring ordered"),
    _A.ORGANISER_ADDED: gettext_lazy("Organiser added"),
    _A.ORGANISER_REMOVED: gettext_lazy("Organiser removed"),
    _A.TEAM_RENAMED: gettext_lazy("Team renamed"),
    _A.NAME_ERASED: gettext_lazy("Name erased from the record"),
    _A.TEAM_CREATED: gettext_lazy("Team created"),
    _A.TEAM_CLOSED: gettext_lazy("Team closed"),
    _A.MEMBER_INVITED: gettext_lazy("Person invited to a team"),
    _A.INVITATION_REVOKED: gettext_lazy("Invitation to a team revoked"),
    _A.MEMBER_JOINED: gettext_lazy("Person joined a team"),
    _A.MEMBER_LEFT: gettext_lazy("Person left a team, or was removed"),
    _A.ROLE_CHANGED: gettext_lazy("Role in a team changed"),
    _A.SYSTEM_HANDED_OVER: gettext_lazy("System handed over to another team"),
    _A.ACCOUNT_DELETED: gettext_lazy("Account deleted"),
    _A.REVIEW_LINK_CREATED: gettext_lazy("Link for reviewers created"),
    _A.REVIEW_LINK_REVOKED: gettext_lazy("Link for reviewers revoked"),
    _A.TOKEN_CREATED: gettext_lazy("API token created"),
    _A.TOKEN_REVOKED: gettext_lazy("API token revoked"),
    _A.PUBLISHER_ADDED: gettext_lazy("Trusted publisher added"),
    _A.PUBLISHER_BOUND: gettext_lazy("Trusted publisher bound to its repository"),
    _A.PUBLISHER_REMOVED: gettext_lazy("Trusted publisher removed"),
    _A.PROGRAM_APPROVED: gettext_lazy("Sign-in of a program approved"),
    _A.PROGRAM_DENIED: gettext_lazy("Sign-in of a program denied"),
}
STATES = {
    SubmissionState.NEEDS_ACTION: gettext_lazy("Failed, not reviewed"),
    SubmissionState.STUCK: gettext_lazy("Waiting too long"),
    SubmissionState.SUSPECT: gettext_lazy("Addresses the judge, not reviewed"),
    SubmissionState.NAMESAKE: gettext_lazy("Name of another team’s system, not reviewed"),
    SubmissionState.PUBLISHED: pgettext_lazy("a state", "Published"),
    SubmissionState.UNPUBLISHED: gettext_lazy("Scored, not published"),
    SubmissionState.WITHDRAWN: pgettext_lazy("a state", "Withdrawn"),
    SubmissionState.DISQUALIFIED: pgettext_lazy("a state", "Disqualified"),
    SubmissionState.RECEIVED: pgettext_lazy("a state", "Received"),
    SubmissionState.QUEUED: gettext_lazy("Queued"),
    SubmissionState.SCORING: gettext_lazy("Being scored"),
    SubmissionState.SCORED: pgettext_lazy("a state", "Scored"),
    SubmissionState.INCOMPLETE: gettext_lazy("Incomplete"),
    SubmissionState.REJECTED: gettext_lazy("Rejected"),
    SubmissionState.FAILED: pgettext_lazy("a state", "Failed"),
    SubmissionState.CANCELLED: pgettext_lazy("a state", "Cancelled"),
}

LEVELS = {
    "INFO": pgettext_lazy("a log line", "Note"),
    "WARNING": pgettext_lazy("a log line", "Warning"),
    "ERROR": pgettext_lazy("a log line", "Error"),
}
WHY_NO_JUDGE = {
    judge.NOT_SET_UP: gettext_lazy(
        "A language model judges here, and none is set up on the server. Without its name no stored verdict "
        "is found."
    ),
    judge.NO_DAY_BUDGET: gettext_lazy(
        "A language model judges here, and has no budget for a day on the server, so it is never asked."
    ),
    judge.NOT_DECLARED: gettext_lazy(
        "A language model judges here, the data are credentialed, and the operator has not declared that the "
        "model is local or retains nothing."
    ),
    judge.UNAVAILABLE: gettext_lazy(
        "A language model judges here, and the settings of the server do not make such a judge."
    ),
}


def describe_queue(queue: Queue, waiting: Waiting) -> str:
    """Say what waits in a queue, and for how long."""
    labels = {
        Queue.SHORT: _("Scoring queue"),
        Queue.LONG: _("Large and judged files"),
        Queue.JUDGE: _("Waiting for a judge"),
        Queue.STATISTICS: _("Statistics queue"),
    }
    values: dict[str, object] = {"queue": labels[queue], "n": waiting.count}
    if not waiting.count:
        return _("%(queue)s: empty") % values
    if waiting.since is None:
        return _("%(queue)s: %(n)s") % values
    return _("%(queue)s: %(n)s, the first for %(time)s") % {**values, "time": timesince(waiting.since)}


def describe_heads(change: HeadChange | Activation | None) -> dict[str, Finding | None]:
    """Return the sentences above the table before and after a change, as the templates name them."""
    if change is None:
        return {}
    return {"head_before": describe_finding(change.before), "head_after": describe_finding(change.after)}


_MOST_NAMED = 3  # rows that get a rank or lose it


def describe_moves(changes: Sequence[RankChange]) -> list[str]:
    """Say what a change does to the ranks and scores of a table, in a few sentences; [] for nothing."""
    places = [(change.rank_before, change.rank_after) for change in changes]
    moves = [before - after for before, after in places if before is not None and after is not None]
    named = [change for change in changes if None in (change.rank_before, change.rank_after)]
    sentences = [
        *_name_moves(named),
        *_count_moves([move for move in moves if move > 0], is_up=True, are_others=bool(named)),
        *_count_moves([-move for move in moves if move < 0], is_up=False, are_others=bool(named)),
    ]
    open_ranks = sum(change.rank_after != change.worst_after for change in changes)
    if open_ranks:
        text = ngettext(
            "The rank of %(n)s is open until the model has decided.",
            "The ranks of %(n)s are open until the model has decided.",
            open_ranks,
        )
        sentences.append(text % {"n": open_ranks})
    if scores := sum(not move for move in moves):
        text = ngettext(
            "%(n)s score changes without a change of rank.",
            "%(n)s scores change without a change of rank.",
            scores,
        )
        sentences.append(text % {"n": scores})
    return sentences


def _name_moves(changes: Sequence[RankChange]) -> list[str]:
    """Name the rows that get a rank, or lose it; count them where they are many."""
    if len(changes) <= _MOST_NAMED:
        return [_name_move(change) for change in changes]
    gone = sum(change.rank_after is None for change in changes)
    new = len(changes) - gone
    lost = ngettext("%(n)s system leaves the ranking.", "%(n)s systems leave the ranking.", gone)
    gained = ngettext("%(n)s system enters the ranking.", "%(n)s systems enter the ranking.", new)
    return [text % {"n": count} for text, count in ((lost, gone), (gained, new)) if count]


def _name_move(change: RankChange) -> str:
    if change.rank_after is None:
        text = _("%(name)s leaves the ranking (rank %(rank)s now).")
        return text % {"name": change.name, "rank": change.rank_before}
    text = _("%(name)s enters the ranking at rank %(rank)s.")
    return text % {"name": change.name, "rank": change.rank_after}


def _count_moves(steps: Sequence[int], *, is_up: bool, are_others: bool) -> list[str]:
    """Count the rows that move up, or down, by these numbers of ranks. are_others: besides those named"""
    if not steps:
        return []
    values = {"n": len(steps), "most": max(steps)}
    if values["most"] > 1:
        up = ngettext(
            "%(n)s system moves up by %(most)s.", "%(n)s systems move up, by %(most)s at most.", len(steps)
        )
        down = ngettext(
            "%(n)s system moves down by %(most)s.",
            "%(n)s systems move down, by %(most)s at most.",
            len(steps),
        )
    elif are_others:
        up = ngettext("%(n)s other moves up by one.", "%(n)s others move up by one.", len(steps))
        down = ngettext("%(n)s other moves down by one.", "%(n)s others move down by one.", len(steps))
    else:
        up = ngettext("%(n)s system moves up by one.", "%(n)s systems move up by one.", len(steps))
        down = ngettext("%(n)s system moves down by one.", "%(n)s systems move down by one.", len(steps))
    return [(up if is_up else down) % values]


_MINUTE, _HOUR, _DAY = 60, 3600, 86400
PHASES = {
    "waited": gettext_lazy("Waited for its turn"),
    "worked": gettext_lazy("Checked and scored"),
    "published": gettext_lazy("From the score to publication"),
}


def duration(seconds: float) -> str:
    """Format a duration: 0.8 s, 3 min 20 s, 2 h 5 min, 3 days."""
    whole_seconds = round(seconds)
    if whole_seconds < _MINUTE:
        return _("%(seconds)s s") % {"seconds": f"{seconds:.1f}"}
    if whole_seconds < _HOUR:
        return _("%(minutes)s min %(seconds)s s") % {
            "minutes": whole_seconds // _MINUTE,
            "seconds": whole_seconds % _MINUTE,
        }
    if whole_seconds < _DAY:
        hours, minutes = whole_seconds // _HOUR, whole_seconds % _HOUR // _MINUTE
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    days = whole_seconds // _DAY
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that an organiser can do with a board."""

    title: str
    text: str
    address: str


def tools_of(board: Board) -> list[Tool]:
    """Return what the organiser of a board can do, each with its page."""
    texts = {
        "similar": (_("Similar files"), _("Files that may have been made to learn hidden answers.")),
        "feedback": (_("Feedback level"), _("How much is shown about the verdicts, and to whom.")),
        "references": (
            _("Reference answers"),
            _("Revisions side by side, their effect on ranks, activate and roll back."),
        ),
        "doubts": (
            _("Doubtful reference answers"),
            _("What teams report, tasks that every top system misses, and tasks set aside."),
        ),
        "rescoring": (_("Rescoring"), _("Preview and run rescoring.")),
        "reported": (
            _("Published results"),
            _("Results that others published, each with its source: add, correct, remove."),
        ),
        "announcements": (_("Announcements"), _("Notices above the table, in both languages.")),
        "teams": (_("Teams"), _("Requests for approval, your decisions, and limits of single teams.")),
    }
    submissions = Tool(
        title=_("Submissions"),
        text=_("Find, retry, review, disqualify or reinstate."),
        address=f"{reverse('web:organise-submissions')}?board={board.slug}",
    )
    return [
        submissions,
        *(
            Tool(title=title, text=text, address=reverse(f"web:organise-{page}", args=[board.slug]))
            for page, (title, text) in texts.items()
        ),
    ]
