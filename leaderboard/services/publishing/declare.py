"""Import benchmarks that a file declares: each text is kept, and the newest of a slug grades its leaderboard."""

from typing import IO

from django.db import transaction

from leaderboard.models import AuditEvent, Board, BoardAction, DeclaredBenchmark, User
from leaderboard.models.boards import DECLARED
from leaderboard.services import audit
from leaderboard.services.errors import WrongState
from leaderboard.services.judging.references import references_of
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.import_references import Imported
from leaderboard.services.publishing.stage_references import stage_references
from leaderboard.services.record.events import Change, record
from leaderboard.services.text import remove_hidden_characters
from wardboard.scoring import registry
from wardboard.scoring.declared import Declaration, Declared

# An upload is read for every open leaderboard, to find its own.
MOST_DECLARED, MOST_TEXTS = 50, 200  # benchmarks, and texts of each


def find_declared_board(slug: str) -> Board | None:
    """Return the leaderboard that a declaration of this slug grades; None where it makes a new one.

    Raises WrongState where the slug is that of another leaderboard, or there are too many.
    """
    board = Board.objects.with_task_ids().filter(slug=slug).first()
    if slug in {*registry.BENCHMARKS, *registry.named_boards()} or (board and not board.is_declared):
        raise WrongState(f"“{slug}” is the name of another benchmark or leaderboard: choose another slug.")
    if board is None and Board.objects.filter(benchmark__contains=DECLARED).count() >= MOST_DECLARED:
        raise WrongState(f"There is room for {MOST_DECLARED} declared benchmarks, and all of it is taken.")
    return board


@transaction.atomic
def import_benchmark(
    *,
    declaration: Declaration,
    text: bytes,
    references: tuple[str, IO[bytes]],
    allow_unusable: bool,
    by: User,
) -> Imported:
    """Make the leaderboard that a declaration describes, with reference answers that are not active yet.

    One that is there, and was never open, is graded by this declaration from now on.

    text: the declaration as it was given. references: name and file
    Raises WrongState, GroundTruthInvalid with every problem, Busy and NoRoom; nothing is stored then.
    """
    board = find_declared_board(declaration.slug)
    if board is not None and board.is_open:
        raise WrongState("The leaderboard is open by now. Look at what the declaration changes.")
    if board is None:
        board = Board(slug=declaration.slug, version="1", feedback=declaration.feedback)
    board.title, board.question = _texts_of(declaration)
    was, board.benchmark = board.benchmark, _keep(declaration, text, by)
    if board.pk:
        board.save()
    imported = stage_references(
        board=board, files={"references": references}, choices=(), allow_unusable=allow_unusable, by=by
    )
    _log(imported.revision.board, was=was, by=by)
    return imported


@transaction.atomic
def change_declaration(*, declaration: Declaration, text: bytes, was: str, by: User) -> int:
    """Grade an open leaderboard by another declaration; results keep their scores until they are rescored.

    Returns how many tasks cannot be graded by it. The title and the question of the leaderboard change where
    the declaration changes them.

    was: the key of the declaration that the caller took for the one in force
    Raises WrongState where another is, or where the reference answers do not fit the new one.
    """
    rows = Board.objects.select_for_update(of=("self",), no_key=True).select_related("active_revision")
    board = rows.get(slug=declaration.slug)
    if board.benchmark != was:
        raise WrongState("Another declaration was imported meanwhile. Look at what this one changes.")
    if (key := _keep(declaration, text, by)) != was:
        before, board.benchmark = registry.get(was), key
        board.save(update_fields=["benchmark"])
        _log(board, was=was, by=by)
        data = {"kind": "declaration", "digest": _digest_in(key), "was": _digest_in(was)}
        record(Change(action=BoardAction.SETTINGS, data=data, is_reranked=False), board=board)
        new, old = (
            _texts_of(declaration),
            _texts_of(before.declaration) if isinstance(before, Declared) else (),
        )
        if new != old:
            change_settings(board=board, values=dict(zip(("title", "question"), new, strict=True)), by=by)
    try:
        return sum(bool(reference.unusable) for reference in references_of(board.ground_truth).values())
    except ValueError as error:
        raise WrongState("The reference answers do not fit this declaration.") from error


def _texts_of(declaration: Declaration) -> tuple[str, str]:
    """Return the title and the question of the leaderboard that a declaration describes."""
    question = remove_hidden_characters(declaration.description.strip().partition("\n\n")[0])
    most = Board._meta.get_field("question").max_length
    return remove_hidden_characters(declaration.title) or declaration.slug, question[:most]


def _keep(declaration: Declaration, text: bytes, by: User) -> str:
    """Store a declaration, once, and return its key. Raises WrongState where its slug has too many."""
    slug, digest = declaration.slug, declaration.digest
    row, is_new = DeclaredBenchmark.objects.get_or_create(
        key=f"{slug}{DECLARED}{digest[:12]}",
        defaults={"slug": slug, "digest": digest, "text": text, "imported_by": by},
    )
    if is_new and DeclaredBenchmark.objects.filter(slug=slug).count() > MOST_TEXTS:
        raise WrongState(f"“{slug}” has had {MOST_TEXTS} declarations, and there is no room for more.")
    return row.key


def _digest_in(key: str) -> str:
    """Return the first digits of the digest of a declaration; "" for none."""
    return key.partition(DECLARED)[2]


def _log(board: Board, *, was: str, by: User) -> None:
    facts = {"digest": _digest_in(board.benchmark), "was": _digest_in(was)}
    audit.record(AuditEvent.Action.BENCHMARK_DECLARED, actor=by, board=board, **facts)
