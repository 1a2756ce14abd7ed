"""Measure how far a judge agrees with known verdicts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.models import JudgeMode
from leaderboard.services.judging.judge import JudgeNotSetUp, make_judge
from scoring import registry
from scoring.judging import AgreementStudy


class Command(BaseCommand):
    help = (
        "Compare a judge's verdicts with known ones, by kind of true answer and by form of answer: on the "
        "answers that Wardboard makes itself, or on those of a file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        judged = [slug for slug, family in registry.FAMILIES.items() if family.agreement_study()]
        parser.add_argument(
            "pairs",
            type=Path,
            nargs="?",
            metavar="PAIRS.ndjson",
            help="judged answers, one a line; without it, answers made by code, with wordings that the rules "
            "were written with (seen) and others (held-out)",
        )
        parser.add_argument("--benchmark", choices=judged, default=judged[0])
        parser.add_argument("--mode", choices=JudgeMode.values, default=JudgeMode.RULES)
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument(
            "--write",
            action="store_true",
            help="rules, without a file: store these numbers as the ones that leaderboards show",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        mode, path = options["mode"], options["pairs"]
        if options["write"] and (mode != JudgeMode.RULES or path):
            raise CommandError("--write is for --mode rules, without a file.")
        family = options["benchmark"]
        study = registry.get(family).agreement_study()
        assert study is not None
        pairs = {path.name: _read(path, study)} if path else study.own_pairs()
        try:
            judge = study.rules_judge() if mode == JudgeMode.RULES else make_judge(mode, family=family)
        except JudgeNotSetUp as error:
            raise CommandError(str(error)) from error
        measured = {name: study.measure(judged_pairs, judge) for name, judged_pairs in pairs.items()}
        figures: Mapping[str, Any] = {name: agreement.as_json() for name, agreement in measured.items()}
        if options["write"]:
            study.kept_at().write_text(json.dumps(figures, indent=1) + "\n")
        if options["format"] == "json":
            self.stdout.write(json.dumps(figures, indent=1))
            return
        for name, agreement in measured.items():
            self.stdout.write(agreement.as_table(name))


def _read(path: Path, study: AgreementStudy) -> Sequence[Any]:
    try:
        return study.read(path.read_bytes().decode().splitlines())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8.") from error
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
