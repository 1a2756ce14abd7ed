"""Import benchmarks that a file declares: each text is kept, and the newest of a slug grades."""

from typing import IO

from django.db import transaction

from leaderboard.models import AuditEvent, Board, DeclaredBenchmark, Installation, User
from leaderboard.models.boards import DECLARED
from leaderboard.services import audit
from leaderboard.services.access import Reader, managed_boards, may_manage_all
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.import_references import Imported, activate_revision, misfit_of
from leaderboard.services.publishing.stage_references import stage_references
from wardboard.scoring import registry
from wardboard.scoring.declared import Declared


def find_declared_board(slug: str, reader: Reader) -> Board | None:
    """Return the leaderboard that a declaration of this slug grades; None where it makes a new one.

    Raises WrongState where the reader may not import it, or the slug is taken.
    """
    board = Board.objects.with_task_ids().filter(slug=slug).first()
    if slug in {*registry.BENCHMARKS, *registry.named_boards()} or (board and not board.is_declared):
        raise WrongState(f"“{slug}” is the name of another benchmark or leaderboard: choose another slug.")
    if board and not managed_boards(reader).filter(pk=board.pk).exists():
        raise WrongState(f"The organisers of “{slug}” alone change its declaration: choose another slug.")
    if board is None and not may_manage_all(reader):
        raise WrongState("Organisers of all leaderboards alone make new ones.")
    return board


@transaction.atomic
def import_benchmark(benchmark: Declared, *, references: tuple[str, IO[bytes]], by: User) -> Imported:
    """Make the leaderboard of a declared benchmark, with reference answers that are not active yet.

    Raises WrongState, GroundTruthInvalid with every problem, Busy and NoRoom; nothing is stored then.
    """
    # One at a time, as two may have the same slug.
    Installation.objects.select_for_update().get(pk=Installation.get().pk)
    if Board.objects.filter(slug=benchmark.slug).exists():
        raise WrongState(f"Someone imported “{benchmark.slug}” meanwhile. Look at what this one changes.")
    board = Board(
        slug=benchmark.slug,
        benchmark=_keep(benchmark, by),
        version="1",
        title=benchmark.title,
        question=" ".join(benchmark.about.asks[0].split())[: Board._meta.get_field("question").max_length],
        feedback=benchmark.rules["feedback"],
    )
    files = {"references": references}
    return stage_references(board=board, files=files, choices=(), allow_unusable=False, by=by)


@transaction.atomic
def change_declaration(
    board: Board, benchmark: Declared, *, references: tuple[str, IO[bytes]] | None, by: User
) -> Imported | None:
    """Grade a leaderboard by another declaration; its results keep their scores until they are rescored.

    references: name and file. They become active with the declaration where the active ones do not fit it.
    Raises WrongState where these do not fit and there are no others; for others as `import_benchmark`.
    """
    change_settings(board=board, values={"benchmark": _keep(benchmark, by)}, by=by)
    board.refresh_from_db(fields=["benchmark", "active_revision"])
    misfit = misfit_of(board, board.ground_truth) if board.is_open else ""
    if references:
        files = {"references": references}
        imported = stage_references(board=board, files=files, choices=(), allow_unusable=False, by=by)
        was = board.active_revision_id
        return activate_revision(revision=imported.revision, was=was, by=by) if misfit else imported
    if misfit:
        raise WrongState(misfit)
    return None


def _keep(benchmark: Declared, by: User) -> str:
    """Store the declaration of a benchmark, once, and return its key."""
    slug, digest = benchmark.slug, benchmark.digest
    row, is_new = DeclaredBenchmark.objects.get_or_create(
        key=f"{slug}{DECLARED}{digest[:12]}", defaults={"text": benchmark.text, "imported_by": by}
    )
    if is_new:
        audit.record(AuditEvent.Action.BENCHMARK_DECLARED, actor=by, slug=slug, digest=digest)
    return row.key
