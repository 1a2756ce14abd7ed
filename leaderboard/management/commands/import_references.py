"""Import the ground truth of a board and activate it."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board, DataClass, Feedback
from leaderboard.services.publishing.import_references import (
    Imported,
    ImportRefused,
    import_references,
    new_board,
)
from leaderboard.services.publishing.reported.results import load_reported
from leaderboard.services.text import validate_readable
from wardboard.scoring import registry
from wardboard.scoring.ground_truth import GroundTruthInvalid


class Command(ServiceCommand):
    help = "Build every reference of a leaderboard, then activate them as a new revision."

    def add_arguments(self, parser: CommandParser) -> None:
        benchmarks = parser.add_subparsers(dest="benchmark", required=True, metavar="BENCHMARK")
        for slug, benchmark in registry.BENCHMARKS.items():
            options = benchmarks.add_parser(slug, help=f"options: {slug} --help")
            benchmark.add_import_arguments(options)
            options.add_argument("--title", help="the leaderboard's name for people")
            options.add_argument(
                "--feedback", choices=Feedback.values, help="what submitters see (new leaderboards)"
            )
            options.add_argument(
                "--data-class",
                choices=DataClass.values,
                help="open, or credentialed: available under an agreement only (new "
                "leaderboards; open by default)",
            )
            options.add_argument(
                "--allow-unusable",
                action="store_true",
                help="go on although some tasks cannot be graded: every answer to them will be wrong",
            )
            options.add_argument(
                "--stage",
                action="store_true",
                help="only store the revision: organisers preview and activate it at /organise/",
            )

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = registry.get(options["benchmark"])
        _refuse_unfit_names(options)
        try:
            truth = benchmark.read_ground_truth(options)
        except GroundTruthInvalid as error:
            raise CommandError(str(error)) from error
        board = new_board(benchmark.slug, truth.board)
        board.title = options["title"] or board.title
        board.feedback = options["feedback"] or Feedback.BY_TYPE
        board.data_class = options["data_class"] or DataClass.OPEN
        _refuse_to_ignore(board, options)
        try:
            imported = import_references(
                board=board,
                references=truth.references,
                origin=truth.origin,
                texts=truth.texts,
                allow_unusable=options["allow_unusable"],
                is_staged=options["stage"],
            )
        except ImportRefused as error:
            lines = [f"{error.detail} Nothing was imported."]
            lines += [f"  {task}: {reason}" for task, reason in error.unusable.items()]
            if error.unusable:
                lines.append(
                    "Fix the source, or go on with --allow-unusable: every answer to these will be wrong."
                )
            raise CommandError("\n".join(lines)) from error
        self._report(imported, is_staged=options["stage"])
        for text in truth.notes:
            self.stdout.write(text)

    def _report(self, imported: Imported, *, is_staged: bool) -> None:
        revision, board = imported.revision, imported.revision.board
        state = (
            f"stored, not active: see /organise/boards/{board.slug}/references/" if is_staged else "active"
        )
        self.stdout.write(
            f"{board.slug}: revision {revision.number} is {state}. {revision.task_count} tasks, "
            f"{revision.unusable_count} of them unusable, {len(revision.set_aside)} set aside, "
            f"sha256 {revision.digest}{'' if imported.changed else '. Nothing was changed.'}"
        )
        if is_staged:
            return
        # Always: the next import completes one that was killed before this.
        if reported := load_reported(board=board):
            self.stdout.write(f"{reported} published results are on the leaderboard as reported.")
        if imported.changed:
            self.stdout.write("To score submissions again: Rescoring at /organise/.")


def _refuse_unfit_names(options: Mapping[str, Any]) -> None:
    """Raise CommandError for names that no table holds, or that nobody can read, before anything is built."""
    lines = []
    for name, column in (("title", "title"), ("board_version", "version")):
        try:
            if (value := options.get(name)) is not None:
                getattr(Board, column).field.run_validators(value)
                validate_readable(value)
        except ValidationError as error:
            lines.append(f"--{name.replace('_', '-')}: {' '.join(error.messages)}")
    if lines:
        raise CommandError("\n".join(["Nothing was imported.", *lines]))


def _refuse_to_ignore(board: Board, options: Mapping[str, Any]) -> None:
    existing = Board.objects.filter(slug=board.slug).first()
    for name in ("feedback", "title", "data_class"):
        if existing and options[name] and options[name] != getattr(existing, name):
            raise CommandError(
                f"{existing.slug} is there already, with {name} “{getattr(existing, name)}”. Nothing was "
                f"imported: change it at /organise/ first, or leave --{name.replace('_', '-')} out."
            )
