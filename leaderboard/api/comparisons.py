"""Systems of a board compared, and a result beside its system's entry: to be read."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from leaderboard.api.base import ApiView, PublicView, respond
from leaderboard.api.boards import answer_about_board
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.representations.parts import show_interval
from leaderboard.api.schema import examples
from leaderboard.api.schema.comparisons import (
    ComparisonSchema,
    DifferenceSchema,
    EntryComparisonSchema,
    EntryGroupSchema,
    GroupDifferenceSchema,
    PairedTableSchema,
    PairSchema,
    SideSchema,
)
from leaderboard.api.schema.operation import Example, Operation
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, Kind, Submission
from leaderboard.services import visibility
from leaderboard.services.access import find_submission, may_read_as_team
from leaderboard.services.errors import NotFound
from leaderboard.services.statistics.compare import (
    ComparedPair,
    ComparedSystem,
    Comparison,
    NotComparable,
    NotOnBoard,
    Outcome,
    compare_systems,
)
from leaderboard.services.statistics.entry_comparison import EntryComparison, compare_with_entry
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.statistics.pair_words import answer_of
from leaderboard.services.visibility import round_figure
from wardboard.scoring.reading.problems import Problem
from wardboard.scoring.statistics.resampling import Difference

_HINT = "Two different `system_id`s of the leaderboard, as ?system=1&system=2."
_LONGEST_ID = 18  # digits, which fit into a database column


class CompareView(PublicView):
    @Operation(
        id="compareSystems",
        tag="benchmarks",
        summary="Two systems of a leaderboard, compared task by task",
        description="As far as the leaderboard's feedback level allows: counts, intervals and scores by "
        "group from by-type on, tasks at by-task.",
        parameters=[
            {
                "name": "system",
                "in": "query",
                "required": True,
                "description": "A `system_id` of the leaderboard; twice.",
                "schema": {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 1},
                    "minItems": 2,
                    "maxItems": 2,
                    "uniqueItems": True,
                },
            }
        ],
        answer=ComparisonSchema,
        examples=[
            Example(summary="Two systems", value=examples.COMPARED),
            Example(summary="Too few", value=examples.SYSTEMS_INVALID),
        ],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        return answer_about_board(request, slug, self._show)

    @staticmethod
    def _show(request: Request, board: Board) -> ComparisonSchema:
        values = request.query_params.getlist("system")
        if not all(_is_id(value) for value in values):
            raise _invalid("A system is not named by its number.")
        try:
            comparison = compare_systems(board=board, systems=[int(value) for value in values])
        except NotOnBoard as error:
            raise NotFound(error.detail) from None
        except NotComparable as error:
            raise _invalid(error.detail) from None
        return _comparison(comparison)


class EntryComparisonView(ApiView):
    permission_classes = [IsAuthenticated]

    @Operation(
        id="compareWithEntry",
        tag="submissions",
        summary="A scored submission of your team beside the entry of its system, task by task",
        description="For a job that fails where a result is significantly lower. Where reference answers are "
        "hidden, an unpublished result shows only the `outcome`.",
        answer=EntryComparisonSchema,
    )
    def get(self, request: Request, submission_id: UUID) -> HttpResponse:
        reader = reader_of(request)
        submission = find_submission(reader, submission_id)
        if not may_read_as_team(reader, submission):
            # That another team's published result differs from its own entry is for that team.
            raise NotFound(_("Only the team of a submission compares it with its entry."))
        return respond(_beside_entry(submission, compare_with_entry(submission)))


def _beside_entry(submission: Submission, comparison: EntryComparison) -> EntryComparisonSchema:
    return EntryComparisonSchema(
        submission=submission.pk,
        entry=comparison.entry,
        outcome=comparison.outcome,
        explanation=comparison.explanation,
        p=round_p(comparison.p),
        groups={
            breakdown: {
                line.group: EntryGroupSchema(
                    tasks=line.tasks, right=line.right_a, right_of_entry=line.right_b
                )
                for line in lines
            }
            for breakdown, lines in comparison.groups.items()
        },
    )


def _is_id(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= _LONGEST_ID


def _invalid(message: str) -> ParameterInvalid:
    return ParameterInvalid(
        Problem(code="request.systems-invalid", pointer="/system", message=message, hint=_HINT)
    )


def _comparison(comparison: Comparison) -> ComparisonSchema:
    """Show a comparison, from which `compare_systems` has left out what the feedback level hides."""
    with translation.override("en"):
        # A p-value has spaces that do not break.
        text = answer_of(comparison).replace("\xa0", " ")
    return ComparisonSchema(
        benchmark=comparison.board.slug,
        metric=visibility.ranked_metric(comparison.board).key,
        tasks=comparison.tasks,
        resamples=comparison.resamples,
        text=text,
        not_tested=comparison.why_not,
        systems=[_side(side) for side in comparison.sides],
        pair=comparison.pair and _pair(comparison.pair),
    )


def _side(side: ComparedSystem) -> SideSchema:
    row = side.standing
    return SideSchema(
        system_id=side.system_id,
        name=row.name,
        kind=Kind(row.kind),
        judge=row.judge,
        score=round_figure(row.score),
        interval_95=show_interval(round_figure(row.low), round_figure(row.high)),
        not_tested=side.why_not,
    )


def _pair(pair: ComparedPair) -> PairSchema:
    return PairSchema(
        a=pair.a,
        b=pair.b,
        better={Outcome.A: pair.a, Outcome.B: pair.b, Outcome.NEITHER: None}[pair.outcome],
        has_open=pair.has_open,
        has_runs=pair.has_runs,
        p=round_p(pair.p),
        pairs=pair.family.pairs,
        undecided_pairs=pair.family.undecided,
        difference=round_figure(pair.difference),
        interval_95=pair.interval and [round_figure(end) for end in pair.interval],
        why_hidden=pair.why_hidden,
        table=pair.table and PairedTableSchema(**pair.table._asdict()),
        metrics={
            key: difference and DifferenceSchema(**_difference(difference))
            for key, difference in pair.metrics.items()
        },
        groups={
            breakdown: {
                group.group: GroupDifferenceSchema(
                    **_difference(group.difference),
                    tasks=group.tasks,
                    right_a=group.right_a,
                    right_b=group.right_b,
                )
                for group in groups
            }
            for breakdown, groups in pair.groups.items()
        },
        only_a=None if pair.only_a is None else list(pair.only_a),
        only_b=None if pair.only_b is None else list(pair.only_b),
    )


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "difference": round_figure(difference.difference),
        "interval_95": [round_figure(difference.low), round_figure(difference.high)],
    }
