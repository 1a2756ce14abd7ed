"""Import labelled answers, by which figures of a judge are corrected for its errors."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import Board
from leaderboard.services.judging.errors import PairsRefused, PairsUndecided, count_errors
from leaderboard.services.judging.judge import JudgeNotSetUp, judge_of_board
from leaderboard.services.publishing.known_errors import set_known_errors
from wardboard.scoring.statistics.misclassification import FEWEST_LABELS, LEAST_YOUDEN, JudgeErrorCounts

_COUNTS = ("BOTH_RIGHT", "FALSE_REJECTS", "FALSE_ACCEPTS", "BOTH_WRONG")


class Command(ServiceCommand):
    help = (
        "Measure or state how often the judge of a leaderboard errs, by answers that people "
        "labelled. The pages of "
        "systems then show what the figure would be without these errors. The answers are not kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        sources = parser.add_mutually_exclusive_group(required=True)
        sources.add_argument(
            "--pairs",
            type=Path,
            metavar="PAIRS.ndjson",
            help="labelled answers, one a line: question_id, agent_answer, label (1 right, 0 wrong); the "
            "judge of the leaderboard is asked about them",
        )
        sources.add_argument(
            "--counts", type=int, nargs=4, metavar=_COUNTS, help="of labelled answers, by --judge"
        )
        sources.add_argument("--remove", action="store_true", help="forget what is known of --judge")
        parser.add_argument("--judge", help="identity, as in the API; for --counts and --remove")
        parser.add_argument("--source", default="", help="who labelled, such as “two physicians”; public")

    def handle(self, *args: Any, **options: Any) -> None:
        board = Board.objects.filter(slug=options["slug"]).select_related("active_revision").first()
        if board is None:
            raise CommandError(f"There is no leaderboard {options['slug']}.")
        source = options["source"].strip()
        if not options["remove"] and not 0 < len(source) <= 200:
            raise CommandError("Say who labelled in --source, in up to 200 characters: it is shown.")
        judge, counts = self._read_counts(board, options)
        set_known_errors(board=board, judge=judge, counts=counts, source=source)
        self.stdout.write(f"{board.slug}, {judge}: {_describe(counts)}")

    def _read_counts(self, board: Board, options: dict[str, Any]) -> tuple[str, JudgeErrorCounts | None]:
        path, given = options["pairs"], options["counts"]
        if path is not None:
            return _measure(board, path)
        if not options["judge"]:
            raise CommandError("Name the judge with --judge, as the API does.")
        if given is None:
            return options["judge"], None
        try:
            names = (name.lower() for name in _COUNTS)
            return options["judge"], JudgeErrorCounts(**dict(zip(names, given, strict=True)))
        except ValueError as error:
            raise CommandError(str(error)) from error


def _measure(board: Board, path: Path) -> tuple[str, JudgeErrorCounts]:
    try:
        judge = judge_of_board(board)
        if judge is None:
            raise CommandError("Nothing has to be judged on this leaderboard.")
        return judge.identity, count_errors(board, path.read_text("utf-8").splitlines(), judge)
    except JudgeNotSetUp as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise CommandError(f"{path} is not UTF-8.") from None
    except PairsRefused as error:
        raise CommandError(f"{path}: {error}.") from error
    except PairsUndecided as error:
        raise CommandError(
            f"The judge left answers undecided ({error}). Nothing was stored; run the command again later."
        ) from error


def _describe(counts: JudgeErrorCounts | None) -> str:
    if counts is None:
        return "forgotten"
    text = f"{counts.right} right and {counts.wrong} wrong answers labelled"
    if min(counts.right, counts.wrong) < FEWEST_LABELS:
        return f"{text}; nothing is shown with fewer than {FEWEST_LABELS} of each"
    text += f"; sensitivity {counts.sensitivity:.3f}, specificity {counts.specificity:.3f}"
    if counts.sensitivity + counts.specificity - 1 < LEAST_YOUDEN:
        return f"{text}; nothing is shown, since their sum less 1 is under {LEAST_YOUDEN}"
    return text
