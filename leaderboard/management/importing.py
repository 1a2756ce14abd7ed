"""What the commands that import a ground truth have in common."""

import re

from django.core.management.base import BaseCommand, CommandError

from leaderboard.models import Benchmark, Feedback
from leaderboard.services.publishing.import_references import Imported, ImportRefused, load_reported

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


class ImportCommand(BaseCommand):
    """A command that makes a board, or gives one that is there new references."""

    def add_board_arguments(self, parser, *, slug: str, version: str):
        """Add the options on the board. slug, version: what to say of theirs."""
        parser.add_argument("--slug", help=slug)
        parser.add_argument("--board-version", help=version)
        parser.add_argument("--title", help="the board's name for people")
        parser.add_argument("--feedback", choices=Feedback.values, help="what submitters see (new boards)")

    def refuse_to_ignore(self, benchmark: Benchmark, options):
        """What is said of a board that is there already is changed in the admin, where it is recorded."""
        known = Benchmark.objects.filter(slug=benchmark.slug).first()
        for name in ("feedback", "title"):
            if known and options[name] and options[name] != getattr(known, name):
                raise CommandError(
                    f"{known.slug} is there already, with {name} “{getattr(known, name)}”. Nothing was "
                    f"imported: change it in /admin/ first, or leave --{name} out."
                )

    def say(self, done: Imported):
        """Say what was done, and put the published results on the board."""
        revision, board = done.revision, done.revision.benchmark
        if not done.changed:
            self.stdout.write(
                f"{board.slug}: this is the content of revision {revision.number} "
                f"(sha256 {revision.digest}), which is active. Nothing was changed."
            )
            return
        self.stdout.write(
            self.style.SUCCESS(
                f"{board.slug}: revision {revision.number} is active: {revision.task_count} tasks, "
                f"{revision.unusable_count} of them unusable, sha256 {revision.digest}"
            )
        )
        if reported := load_reported(benchmark=board):
            self.stdout.write(f"{reported} published results are on the board as reported.")
        if done.outdated:
            self.stdout.write(
                f"{done.outdated} submission(s) were scored against another revision. "
                f"To score them again: manage.py rescore {board.slug}"
            )


def check_slug(slug: str) -> None:
    """Raise CommandError for a slug that no address can hold."""
    if not _SLUG.fullmatch(slug):
        raise CommandError(f"--slug {slug}: small letters, digits and hyphens only, at most 60 of them.")


def refusal(error: ImportRefused) -> str:
    """Return what to tell of an import that was refused."""
    lines = [f"  {task}: {why}" for task, why in error.unusable.items()]
    if not lines:
        return f"{error.detail} Nothing was imported."
    fix = "Mend the source, or go on with --allow-unusable: every answer to these tasks will then be wrong."
    return "\n".join([f"{error.detail} Nothing was imported.", *lines, fix])
