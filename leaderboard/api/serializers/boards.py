"""Shapes of leaderboards and their rows."""

from typing import Any
from uuid import UUID

from django.db.models import Prefetch, prefetch_related_objects
from django.urls import reverse
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
)

from leaderboard.api.serializers import common
from leaderboard.api.serializers.fields import (
    Address,
    Count,
    Counts,
    Interval,
    Metrics,
    PageShape,
    Positive,
    Shape,
    of_context,
)
from leaderboard.models import (
    Board,
    BoardAction,
    DataClass,
    Feedback,
    Kind,
    ProvenanceLevel,
    ReferenceRevision,
    System,
    Trace,
)
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import statistics_metadata
from leaderboard.services.judging.intervals import clusters_by
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import remove_hidden_characters
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Unit
from wardboard.scoring.facts import LINKS


class MetricSerializer(Shape):
    key = CharField()
    label = CharField()  # type: ignore[assignment]  # a member of that name
    unit = ChoiceField([*Unit], help_text="share: 0..1; count: 0 or more; usd: US dollars.")
    higher_is_better = BooleanField()
    stands_for = CharField(help_text="What it is, in a sentence.")


class BreakdownSerializer(Shape):
    key = CharField()
    label = CharField()  # type: ignore[assignment]  # a member of that name
    groups = DictField(child=CharField())
    ordered = BooleanField(help_text="Whether the groups are steps of a quantity.")
    metrics = ListField(child=CharField(), help_text="Keys in `group_metrics`.")


class RankRulesSerializer(Shape):
    least_runs = Positive(help_text="Runs that a result needs, without missing and repeated ones.")
    needs_traces = BooleanField(help_text="Whether the file has to hold the trace of every answer.")
    needs_official_harness = BooleanField()
    most_rounds = Positive(allow_null=True, help_text="Turns of the model that a task may take; null: any.")
    most_open = FloatField(help_text="Share of its answers that the judge may leave undecided, 0..1.")
    needs_links = BooleanField(help_text="Whether its system has to link code or a paper, and a contact.")
    needs_cost = BooleanField(help_text="Whether its system has to state its cost per task.")


class BenchmarkSerializer(Shape):
    slug = CharField()
    title = CharField()
    question = CharField()
    family = CharField()
    version = CharField()
    open = BooleanField(source="is_open", help_text="Whether files are taken.")
    demo = BooleanField(source="is_demo")
    unranked_lane = CharField(
        source="unranked_lane.slug",
        allow_null=True,
        help_text="Slug of its lane for gates, with public tasks.",
    )
    unranked_lane_of = CharField(
        source="unranked_lane_of.slug",
        allow_null=True,
        help_text="Slug of the leaderboard whose lane this is.",
    )
    tasks = Count(source="active_revision.task_count", allow_null=True)
    unusable_tasks = Count(
        source="active_revision.unusable_count", allow_null=True, help_text=common.UNUSABLE
    )
    feedback = ChoiceField(Feedback.values)
    daily_limit = Count(allow_null=True)
    data_class = ChoiceField(DataClass.values, help_text="Whether the data are open, or need an agreement.")
    acknowledgement = CharField(allow_null=True, help_text="Version of the terms to acknowledge, or null.")
    judge = CharField(help_text=f"Of today. {common.JUDGE}")
    agreement = CharField(help_text="How far that judge was found to agree with others, in a sentence.")
    mixes_judges = BooleanField(help_text="Whether ranks are among rows of different judges.")
    rank_rules = RankRulesSerializer(help_text="What a result needs for a rank.")
    metrics = MetricSerializer(many=True)
    breakdowns = BreakdownSerializer(many=True)
    references = common.ReferencesSerializer(allow_null=True)
    scorer_version = CharField()
    schemas = ListField(child=CharField())
    url = Address("benchmark", source="slug")
    leaderboard_url = Address("leaderboard", source="slug")
    schema_url = CharField()
    declaration_url = CharField(allow_null=True, help_text="Of what declares its benchmark; null of code.")

    get_judge = staticmethod(current_identity)
    get_rank_rules = staticmethod(LeadRules.of)
    get_metrics = staticmethod(visibility.visible_metrics)
    get_breakdowns = staticmethod(visibility.visible_breakdowns)
    get_references = staticmethod(lambda board: (board, board.active_revision))
    get_acknowledgement = staticmethod(lambda board: data_class.VERSION if board.is_credentialed else None)
    get_scorer_version = staticmethod(lambda board: registry.get(board.benchmark).scorer_version)
    get_schemas = staticmethod(lambda board: list(registry.get(board.benchmark).schemas()))

    def get_agreement(self, board: Board) -> str:
        return registry.get(board.benchmark).agreement(current_identity(board))

    def get_schema_url(self, board: Board) -> str:
        return reverse("api:schema", args=[board.benchmark, board.file_schema])

    def get_declaration_url(self, board: Board) -> str | None:
        return reverse("api:declaration", args=[board.slug]) if board.is_declared else None


class BenchmarksSerializer(Shape):
    results = BenchmarkSerializer(many=True)


class SourceSerializer(Shape):
    title = CharField(source="source")
    url = CharField(source="source_url")


class GoneSerializer(Shape):
    action = ChoiceField(BoardAction.values)
    at = DateTimeField()
    reason = CharField()


def _stated(name: str, otherwise: str | None = "") -> Any:
    """Return the method that shows a text of a row. otherwise: where the row has none"""
    return staticmethod(lambda row: getattr(row.standing, name) or otherwise)


class RowSerializer(common.ReleaseShape):
    """A row of the table."""

    # Shown from a `Row`; the systems and revisions of all rows of a page are read at once.

    rank = IntegerField(allow_null=True, help_text="By score, among what `ranks` says.")
    rank_to = IntegerField(
        allow_null=True,
        help_text="The last rank by score that the row can have, however undecided answers count. Pages show "
        "`rank_interval_95` in place of `rank` to `rank_to` where these differ.",
    )
    kind = ChoiceField(Kind.values, source="standing.kind")
    judge = CharField(source="standing.judge", help_text=common.JUDGE)
    rank_interval_95 = ListField(
        child=IntegerField(allow_null=True),
        allow_null=True,
        help_text="By tests, not by score: 1 + the systems significantly better, and the systems - those "
        "significantly worse, Holm-adjusted over all pairs. Null where the row was not compared, with "
        "filters, and, as `tied_for_first` and `p_next`, while the tests are pending "
        "(`statistics.by_judge` is empty).",
    )
    tied_for_first = BooleanField(
        source="place.is_tied_for_first",
        allow_null=True,
        help_text="Whether it shares the first place: no system is significantly better than it, nor than at "
        "least one other. False for a sole leader, null where the row was not compared.",
    )
    p_next = FloatField(
        allow_null=True,
        help_text="Of the test against the next compared row, Holm-adjusted over all pairs. Null where "
        "either was not compared, and at feedback level overall.",
    )
    unmet_rules = ListField(child=ChoiceField([*LeadRule]), help_text="What keeps it from a rank.")
    not_tested = ChoiceField(
        [*WhyNot],
        source="place.why_not",
        allow_null=True,
        help_text="Why the row was not tested task by task.",
    )
    system_id = IntegerField(source="standing.system_id")
    system = common.SystemSerializer(
        help_text="As it was at the moment that is shown; its links are those of today."
    )
    canonical_models = ListField(
        child=CharField(),
        source="models",
        help_text="The names of its models, the same for all spellings; `system.models` is as stated.",
    )
    team = CharField(allow_null=True)
    organisation_confirmed = BooleanField(
        source="standing.organisation_confirmed",
        allow_null=True,
        help_text="Whether an organiser did. Null where no team states one, and in older rows.",
    )
    runs = IntegerField(allow_null=True, help_text="Null where not computed here.")
    provenance = ChoiceField(ProvenanceLevel.values, allow_null=True, help_text=common.PROVENANCE)
    repository = CharField(help_text="Of the CI job that sent the file, as signed; empty where none did.")
    trace = ChoiceField(Trace.values, allow_null=True, help_text=common.HELD_TRACE)
    right = IntegerField(source="standing.right", allow_null=True)
    total = IntegerField(source="standing.total", allow_null=True)
    score = FloatField(allow_null=True, help_text=f"The figure that is ranked. {common.UPPER_END}")
    metric = CharField(help_text="Key of the metric that `score` is.")
    interval_95 = Interval(help_text=common.INTERVAL)
    interval_clusters = ListField(child=CharField(), help_text=common.INTERVAL_CLUSTERS)
    metrics = Metrics()
    breakdowns = common.Rates(source="groups")
    group_metrics = common.group_metrics()
    date = DateTimeField(source="standing.since")
    chosen_before_score = BooleanField(
        source="standing.chosen_before_score",
        allow_null=True,
        help_text="Whether its team decided to publish it before it was scored. Null elsewhere.",
    )
    designation = IntegerField(
        source="standing.designation",
        allow_null=True,
        help_text="Which designated file of its system it is, from 1. Null if it was not designated.",
    )
    files_of_system = IntegerField(
        source="standing.files_of_system",
        allow_null=True,
        help_text="Files of the system that had been scored when this result became its entry.",
    )
    files_of_team = IntegerField(source="standing.files_of_team", allow_null=True)
    submission = Address(allow_null=True, help_text="Null too if it has been removed.")
    gone = GoneSerializer(source="removal", allow_null=True, help_text="Why it has since been removed.")
    references = common.ReferencesSerializer(allow_null=True)
    scorer_version = CharField(source="standing.evaluation.scorer_version", allow_null=True)
    outdated = BooleanField(source="is_outdated", help_text="Scored against earlier reference answers.")
    source = SourceSerializer(  # type: ignore[assignment]  # a member of that name
        allow_null=True, help_text="Of a row that was not rescored: where from."
    )

    get_version = _stated("version")
    get_commit = _stated("commit")
    get_run_url = _stated("run_url")
    get_note = _stated("note")
    get_repository = _stated("repository")
    get_trace = _stated("trace", None)
    get_p_next = staticmethod(lambda row: round_p(row.p_next))
    get_system = staticmethod(lambda row: {"standing": row.standing, "system": row.standing.system})
    get_metric = staticmethod(lambda row: visibility.ranked_metric(row.board).key)
    get_team = staticmethod(lambda row: remove_hidden_characters(row.standing.team_name) or None)
    get_source = staticmethod(lambda row: None if row.standing.kind == Kind.RESCORED else row.standing)

    def get_rank_interval_95(self, row: Row) -> list[int | None] | None:
        place = row.place
        return None if place.low is None else [place.low, place.high]

    def get_references(self, row: Row) -> tuple[Board, ReferenceRevision | None]:
        evaluation = row.standing.evaluation
        return row.board, evaluation.revision if evaluation else None

    def get_score(self, row: Row) -> float | None:
        score: float | None = row.standing.score
        return visibility.visible_score(score, row.standing.kind)

    def get_interval_95(self, row: Row) -> list[float | None] | None:
        ends = [row.standing.low, row.standing.high]
        return None if None in ends else ends

    def get_interval_clusters(self, row: Row) -> list[str]:
        result = row.standing.evaluation or row.standing
        return [clusters.key for clusters in clusters_by(result, row.board)[0]]

    def get_submission(self, row: Row) -> UUID | None:
        # A result that was withdrawn or disqualified has no page.
        evaluation = row.standing.evaluation
        return evaluation.submission_id if evaluation and not row.removal else None


class AsOfSerializer(Shape):
    event = IntegerField(source="number", help_text="The last event of the leaderboard's record until then.")
    at = DateTimeField()


class WorkedSerializer(Shape):
    judge = CharField(help_text="Whose rows; empty: all together.")
    method_version = IntegerField()
    is_clustered = BooleanField(help_text="Whether the tests allow for tasks that depend on each other.")
    has_open = BooleanField(help_text="Whether the judge left answers open.")
    tasks = Count()
    systems = Count(help_text="Compared systems.")
    left_out = Count(help_text="Systems beyond the most that are compared.")
    computed_at = DateTimeField()
    digest = CharField(help_text="Keyed digest of all that went in: the same for the same input.")


class StatisticsSerializer(Shape):
    method = CharField(help_text="Of `rank_interval_95` and `tied_for_first`, in words.")
    by_judge = WorkedSerializer(many=True, help_text="Empty while the tests are pending.")


class BoardSerializer(PageShape):
    """A page of the table."""

    # Shown from a `BoardPage`; the context has `page` and `next`.

    benchmark = CharField(source="board.slug")
    feedback = ChoiceField(Feedback.values, source="board.feedback")
    systems_rescored = Count(source="counts.rescored")
    systems_reported = Count(source="counts.reported")
    baselines = Count(source="counts.baseline", help_text="Agents without a model, to be compared with.")
    judges = Counts(source="census.judges", help_text="Ranked rows by the judge that decided on them.")
    mixes_judges = BooleanField(source="query.board_at.mixes_judges")
    ranks = CharField(help_text="What a rank is among, in a sentence.")
    sort = CharField()
    event = IntegerField(
        source="query.board_at.provenance.event", help_text="`?as_of=` with it gives this table again."
    )
    references = common.ReferencesSerializer(allow_null=True)
    scorer_version = CharField(source="query.board_at.provenance.scorer_version")
    statistics = StatisticsSerializer()
    as_of = AsOfSerializer(source="query.board_at.as_of", allow_null=True, help_text="Null: now.")
    rows = RowSerializer(many=True)

    get_page = of_context("page")
    get_next = of_context("next")
    get_statistics = staticmethod(lambda page: statistics_metadata(page.query.board_at))
    get_count = staticmethod(lambda page: page.page.paginator.count)
    get_pages = staticmethod(lambda page: page.page.paginator.num_pages)
    get_references = staticmethod(lambda page: (page.board, page.query.board_at.provenance.revision))
    get_sort = staticmethod(lambda page: ("-" if page.query.descending else "") + page.query.sort)

    def get_rows(self, page: BoardPage) -> list[Row]:
        """Return the rows of the page; none of one past the last."""
        rows = page.rows if self.context["page"] == page.page.number else []
        prefetch_related_objects(
            [row.standing for row in rows],
            Prefetch("system", System.objects.only(*(fact.field for fact in LINKS))),
            Prefetch("evaluation__revision", ReferenceRevision.objects.without_references()),
        )
        return rows
