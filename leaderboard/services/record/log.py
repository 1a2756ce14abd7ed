"""The log of a board for its readers: every event, newest first.

All of it is public: it mentions no result that was never published.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import Board, BoardAction, BoardEvent, PastStanding
from leaderboard.services import visibility
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.record.past import Removal, removal_of
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.text import percent_range

PAGE_SIZE = 400  # events; few logs have more, so that a line of many results is on one page
# These come in large numbers from one cause, so the log shows those of a day on one line.
_GROUPED = (BoardAction.RESCORED, BoardAction.REPORTED, BoardAction.UNLISTED, BoardAction.BASELINE)
# What new reference answers bring about.
_EFFECTS = (BoardAction.RESCORED, BoardAction.BASELINE)
_RULES = (BoardAction.ACTIVATED, BoardAction.SETTINGS)
# What readers may choose to see: the value of the parameter -> its label and its events, each in one choice.
CHOICES: Mapping[str, tuple[str, Sequence[BoardAction]]] = {
    "": (gettext_noop("All"), [*BoardAction]),
    "results": (gettext_noop("Results"), [*({*BoardAction} - {*_RULES, *_EFFECTS, BoardAction.FACTS})]),
    "organisers": (gettext_noop("Organisers’ changes"), [*_RULES, *_EFFECTS]),
    "details": (gettext_noop("Details"), [BoardAction.FACTS]),
}
# The names of events where the log has others than the API.
_LABELS = {
    BoardAction.REPORTED: gettext_noop("Listed as published"),
    BoardAction.UNLISTED: gettext_noop("Removed (as published)"),
    BoardAction.SETTINGS: gettext_noop("Rules changed"),
    BoardAction.FACTS: gettext_noop("Details changed"),
}
# After these a result is public, unless it was removed later.
_MAKE_PUBLIC = (BoardAction.PUBLISHED, BoardAction.REINSTATED, BoardAction.RESCORED)
_REMOVALS = (BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event, and what has become of its result.

    event: its right, total and score are of all runs of the result; None for an event without one
    reason: what changed or why, in the reader's language but for the words of people; "" for none
    runs: of the result; 1 where it has been removed since
    is_entry: whether the row of the system was of this result after the event; true of other events
    score_before: of a rescored result, its score in the previous row; None if it was not the system's row
    removal: why the result is no longer public; None while it is
    upper_ends: of the two scores by their names: with all answers right that a judge left open; a
        score without any is missing
    """

    event: BoardEvent
    reason: str
    score_before: float | None
    removal: Removal | None
    runs: int = 1
    is_entry: bool = True
    upper_ends: Mapping[str, float] = field(default_factory=dict)

    @property
    def words(self) -> Mapping[str, str]:
        """The scores in print by field: 84.7%, or 75.0–88.0% where a judge left answers open."""
        scores = {"score": self.event.score, "score_before": self.score_before}
        return {name: percent_range(score, self.upper_ends.get(name)) for name, score in scores.items()}

    @property
    def is_removal(self) -> bool:
        """Whether a result was withdrawn or disqualified, for which readers expect a reason."""
        return self.event.action in _REMOVALS

    @property
    def label(self) -> str:
        """The name of the action in the reader's language."""
        action = BoardAction(self.event.action)
        return _(_LABELS.get(action, str(action.label)))

    @property
    def cause(self) -> Hashable:
        """What neighbouring events on one line share."""
        day, action = self.event.at.date(), self.event.action
        if action == BoardAction.FACTS:
            return day, action
        return (day, action, self.reason) if action in _GROUPED else self.event.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Consecutive events of a day on one line.

    first: the event that it names
    events: all others that it sums up, newest first: of new reference answers, what these brought about;
        of events of one cause, `first` among them
    """

    first: Entry
    events: Sequence[Entry] = ()

    @property
    def rescored(self) -> int:
        """The number of results that it says were rescored."""
        return sum(entry.event.action == BoardAction.RESCORED for entry in self.events)


def changelog(board_at: RecordedBoard, *, choice: str = "", page: str | int = 1) -> Page[Any]:
    """Return a page of the log up to the point that is shown, or the nearest page that exists, by Line."""
    events = _events(board_at).filter(action__in=CHOICES[choice][1])
    log = Paginator(_with_scores(events).order_by("-number"), PAGE_SIZE).get_page(page)
    lines: list[Line] = []
    entries = [_entry(board_at.board, event) for event in log.object_list]
    for _cause, group in groupby(entries, lambda entry: entry.cause):
        first, *others = group
        line = Line(first=first, events=[first, *others] if others else ())
        is_cause = first.event.action == BoardAction.ACTIVATED
        while is_cause and lines and (effect := lines[-1]).first.event.action in _EFFECTS:
            if effect.first.event.at.date() != first.event.at.date():
                break
            line = Line(first=first, events=[*(effect.events or [effect.first]), *line.events])
            lines.pop()
        lines.append(line)
    log.object_list = lines
    return log


def count_events(board_at: RecordedBoard) -> dict[str, int]:
    """Return key of CHOICES -> its number of events up to the point that is shown."""
    numbers = Counter(dict(_events(board_at).order_by().values_list("action").annotate(Count("pk"))))
    return {key: sum(numbers[action] for action in actions) for key, (_label, actions) in CHOICES.items()}


def _events(board_at: RecordedBoard) -> QuerySet[BoardEvent]:
    events = BoardEvent.objects.filter(board=board_at.board)
    return events.filter(number__lte=board_at.as_of.number) if board_at.as_of else events


def _with_scores(events: QuerySet[BoardEvent]) -> QuerySet[Any, Any]:
    """Annotate events with the scores of their results before them.

    score_before: of the event's own result, in its last row before the event
    metrics, metrics_before: of the event's own result, and of that score
    """
    of_system = PastStanding.objects.filter(board=OuterRef("board"), system=OuterRef("system"))
    before = of_system.filter(
        number__lt=OuterRef("number"), is_gone=False, evaluation__submission=OuterRef("submission")
    ).order_by("-number")
    own = of_system.filter(number=OuterRef("number"))
    large = ("problems", "warnings", "log_facts", "run_files")
    events = events.select_related("submission").defer(*(f"submission__{name}" for name in large))
    return events.annotate(
        has_row=Exists(own),
        score_before=Subquery(before.values("score")[:1]),
        metrics=Coalesce("evaluation__metrics", Subquery(own.values("metrics")[:1])),
        metrics_before=Subquery(before.values("metrics")[:1]),
    )


def _entry(board: Board, event: Any) -> Entry:
    result, ranked = event.submission, visibility.ranked_metric(board)
    before = event.score_before if event.action == BoardAction.RESCORED else None
    ends = {
        "score": visibility.upper_end(ranked, event.score, event.metrics or {}),
        "score_before": visibility.upper_end(ranked, before, event.metrics_before or {}),
    }
    return Entry(
        event=event,
        reason=words_of(event),
        score_before=before,
        removal=removal_of(result) if result and event.action in _MAKE_PUBLIC else None,
        runs=result.runs if result else 1,
        is_entry=event.has_row or event.action not in _MAKE_PUBLIC,
        upper_ends={name: end for name, end in ends.items() if end is not None},
    )
