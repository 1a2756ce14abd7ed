"""Import a ground truth: all of it is built first, then activated in one transaction."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import (
    AuditEvent,
    Board,
    BoardAction,
    CommitmentKey,
    Doubt,
    DoubtState,
    Evaluation,
    JudgeMode,
    ReferenceRevision,
    RescoringOrder,
    System,
    TaskTexts,
    User,
)
from leaderboard.services import audit
from leaderboard.services.errors import ServiceError, WrongState
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import make_judge
from leaderboard.services.judging.references import references_of, references_set_aside
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.reported.results import load_reported
from leaderboard.services.record import events
from leaderboard.services.visibility import ALL_TASKS
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Baseline, Benchmark
from wardboard.scoring.declared import Declared
from wardboard.scoring.ground_truth import BoardPlan, HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.receipts.canonical import commit_to_references
from wardboard.scoring.runs import ScoredRuns
from wardboard.scoring.verdicts import Scorecard


class ImportRefused(ServiceError, code="import-refused"):
    """The ground truth was refused. `unusable`: task id -> reason, for every such task."""

    def __init__(self, detail: str, unusable: Mapping[str, str]) -> None:
        super().__init__(detail)
        self.unusable = dict(unusable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import."""

    revision: ReferenceRevision
    changed: bool
    is_new: bool = False


def new_board(benchmark: str, plan: BoardPlan) -> Board:
    """Return the unsaved board that `plan` describes. benchmark: its key in wardboard.scoring.registry."""
    return Board(benchmark=benchmark, **asdict(plan))


def import_references(
    *,
    board: Board,
    references: Mapping[str, HiddenReference],
    origin: str,
    texts: Mapping[str, str] = MappingProxyType({}),
    allow_unusable: bool = False,
    is_staged: bool = False,
    by: User | None = None,
) -> Imported:
    """Store `references` (task id -> reference) as a revision of `board` and activate it.

    is_staged: store it only, so that organisers can preview and activate it.

    `board` may be unsaved: it is created in the same transaction. Content that is active already
    changes nothing; the content of an earlier revision activates that one again. Raises ImportRefused when
    references are unusable and `allow_unusable` is not set, or when there are none.
    """
    unusable = {task: ref.unusable for task, ref in references.items() if ref.unusable}
    if not references:
        raise ImportRefused("There are no tasks to import.", {})
    if unusable and not allow_unusable:
        raise ImportRefused(f"{len(unusable)} of {len(references)} tasks cannot be graded.", unusable)
    content = registry.get(board.benchmark).dump_references(references)
    with transaction.atomic():
        board = _stored(board)
        active = board.active_revision
        # A repeated import, as at an upgrade, must not put tasks back that organisers have set aside.
        if active and active.full and active.full.digest == hashlib.sha256(content).hexdigest():
            return Imported(revision=active, changed=False)
        revision, is_new = store_revision(board, content, references, origin=origin, by=by)
        if texts:
            # The revision may have been imported without them.
            known = {task: texts[task] for task in references if task in texts}
            TaskTexts.objects.get_or_create(revision=revision, defaults={"texts": known})
        changed = not is_staged and _activate(board, revision, by)
    if not is_staged:
        # Every import does this, to complete one that was killed.
        put_baselines(board=board)
    return Imported(revision=revision, changed=changed, is_new=is_new)


def store_revision(
    board: Board,
    content: bytes,
    references: Mapping[str, HiddenReference],
    *,
    origin: str,
    by: User | None,
    full: ReferenceRevision | None = None,
    set_aside: Sequence[Mapping[str, Any]] = (),
) -> tuple[ReferenceRevision, bool]:
    """Return the revision with this content, stored if there is none, and whether it is new.

    Call it in a transaction that has the row of the board locked.

    content: the dump of `references`. full, set_aside: as in ReferenceRevision
    """
    digest = hashlib.sha256(content).hexdigest()
    revision = ReferenceRevision.objects.filter(board=board, digest=digest).first()
    if revision is not None:
        return revision, False
    key = secrets.token_bytes(32)
    stored = ReferenceRevision.objects.filter(board=board).values_list("number", flat=True)
    discarded = AuditEvent.objects.filter(board=board, action=AuditEvent.Action.DISCARDED)
    revision = ReferenceRevision.objects.create(
        board=board,
        number=max([*stored, *(int(event.data["revision"]) for event in discarded)], default=0) + 1,
        digest=digest,
        commitment=commit_to_references(content, key),
        origin=origin[:500],
        task_ids=list(references),
        content=content,
        unusable_count=sum(ref.unusable is not None for ref in references.values()),
        full=full,
        set_aside=list(set_aside),
        imported_by=by,
    )
    CommitmentKey.objects.create(revision=revision, key=key)
    audit.record(
        AuditEvent.Action.SET_ASIDE if full else AuditEvent.Action.IMPORTED,
        actor=by,
        board=board,
        revision=revision.number,
        digest=digest,
    )
    return revision, True


def activate_revision(
    *, revision: ReferenceRevision, was: int | None, by: User | None, **facts: Any
) -> Imported:
    """Make a stored revision, a staged or an earlier one, the active one of its board.

    Rows keep their scores: call `submissions.rescore.activate`, which changes them too.

    was: the key of the revision that the caller took for the active one. Raises WrongState if another is.
    """
    with transaction.atomic():
        board = Board.objects.select_for_update(no_key=True).get(pk=revision.board_id)
        if board.active_revision_id != was:
            raise WrongState(_("Another revision became active meanwhile. Look at the preview again."))
        changed = _activate(board, revision, by, **facts)
    put_baselines(board=board)
    if was is None:
        # The command does this too: published baselines give way to those that are computed from references.
        load_reported(board=board, by=by)
    return Imported(revision=revision, changed=changed)


def misfit_of(board: Board, revision: ReferenceRevision) -> str:
    """Return why a revision does not fit the declaration of a board; "" where it does, and for code."""
    benchmark = registry.get(board.benchmark)
    if not isinstance(benchmark, Declared):
        return ""
    count, why = benchmark.misfit(references := references_of(revision))
    share = f"{count:,} of {len(references):,}{' active' * (revision.pk == board.active_revision_id)}"
    return f"{share} reference answers do not fit the declaration: {why}. Import others." if count else ""


def _activate(board: Board, revision: ReferenceRevision, by: User | None, **facts: Any) -> bool:
    """Activate a revision in the caller's transaction; return whether it was not active before."""
    if board.active_revision_id == revision.pk:
        return False
    if misfit := misfit_of(board, revision):
        raise WrongState(misfit)
    board.active_revision, board.set_aside_count = revision, len(revision.set_aside)
    board.save(update_fields=["active_revision", "set_aside_count"])
    # What was ordered before was decided by a preview of another table.
    RescoringOrder.objects.filter(board=board).update(revision=None)
    audit.record(
        AuditEvent.Action.ACTIVATED,
        actor=by,
        board=board,
        revision=revision.number,
        digest=revision.digest,
        **facts,
    )
    data = {"kind": "references", "number": revision.number, "digest": revision.commitment[:12]}
    if revision.set_aside:
        tasks = [task["task"] for task in revision.set_aside]
        data |= {"kind": "references-set-aside", "set_aside": tasks}
    events.record(events.Change(action=BoardAction.ACTIVATED, data=data, is_reranked=True), board=board)
    # The open reports of these tasks are accepted, with the public reason as answer.
    for task in revision.set_aside:
        accepted = Doubt.objects.filter(
            board=revision.board_id, task_id=task["task"], state=DoubtState.OPEN
        ).update(state=DoubtState.ACCEPTED, answer=task["reason"], decided_by=by, decided_at=timezone.now())
        if accepted:
            audit.record(
                AuditEvent.Action.DOUBT_ACCEPTED,
                actor=by,
                board=revision.board,
                task=task["task"],
                teams=accepted,
            )
    return True


def _stored(board: Board) -> Board:
    """Return the locked row with the slug of `board`, which is saved if there is none."""
    # `no_key`: a transaction that holds the lock of the board's state may add rows that refer to the board.
    existing = Board.objects.select_for_update(no_key=True).filter(slug=board.slug).first()
    if existing is None:
        board.save()
        return board
    if (existing.benchmark, existing.version) != (board.benchmark, board.version):
        raise ImportRefused(
            f"{existing.slug} is there already, as {existing.benchmark} version {existing.version}: name "
            "this version with --board-version, or choose another slug.",
            {},
        )
    return existing


def put_baselines(*, board: Board) -> None:
    """Score the benchmark's baselines against the board's active revision, and put them on it.

    The rules judge decides, whatever the board's judge is: an agent without a model is not worth a paid
    call. A baseline that is unchanged makes no event. A season has none: its table begins at the reveal.
    """
    if board.is_season:
        return
    benchmark, revision = registry.get(board.benchmark), board.ground_truth
    for baseline in benchmark.baselines:
        judge = make_judge(JudgeMode.RULES, benchmark=board.benchmark) if benchmark.needs_judge else None
        card = _score_baseline(baseline, revision, benchmark, judge)
        with transaction.atomic():
            locked = Board.objects.select_for_update(no_key=True).filter(pk=board.pk)
            if locked.values_list("active_revision", flat=True).get() != revision.pk:
                return  # another import was activated meanwhile, and puts its own baselines
            system, _is_new = System.objects.get_or_create(
                team=None, source=f"{benchmark.title} baseline", name=baseline.system
            )
            standings.put_baseline(
                board=board,
                system=system,
                card=card,
                judge=judge.identity if judge else "",
                since=revision.created_at,
            )


def _score_baseline(
    baseline: Baseline, revision: ReferenceRevision, benchmark: Benchmark, judge: Judge | None
) -> Scorecard:
    """Score a baseline as a file is scored, and over all tasks where the revision sets some aside."""
    card = benchmark.score(baseline.records(revision.task_ids), references_of(revision), judge=judge)
    verdicts = bytes(benchmark.reasons.index(card.verdicts[task].reason) for task in revision.task_ids)
    rate = card.overall
    evaluation = Evaluation(revision=revision, right=rate.right, total=rate.total, verdicts=verdicts)
    evaluation.clustered_interval = clustered_interval(evaluation)
    card = replace(card, overall=evaluation.rate)
    aside = references_set_aside(revision)
    if not aside:
        return card
    of_others = benchmark.score(baseline.records(list(aside)), aside, judge=judge)
    figure = ScoredRuns(cards=(card,), aside=(of_others,)).over_all_tasks()
    return replace(card, metrics={**card.metrics, ALL_TASKS.key: figure})
