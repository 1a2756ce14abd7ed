"""Measure how far a judge agrees with known verdicts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.models import JudgeMode
from leaderboard.services.judging.judge import JudgeNotSetUp, make_judge
from wardboard.scoring import registry
from wardboard.scoring.judging import AgreementStudy


class Command(BaseCommand):
    help = (
        "Compare a judge's verdicts with those of a file, by kind of true answer and, where the file states "
        "it, by form of answer."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        judged = [slug for slug, benchmark in registry.BENCHMARKS.items() if benchmark.agreement_study()]
        parser.add_argument("pairs", type=Path, metavar="PAIRS.ndjson", help="judged answers, one a line")
        parser.add_argument("--benchmark", choices=judged, default=judged[0])
        parser.add_argument("--mode", choices=JudgeMode.values, default=JudgeMode.RULES)
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        mode, path, benchmark = options["mode"], options["pairs"], options["benchmark"]
        study = registry.get(benchmark).agreement_study()
        assert study is not None
        pairs = _read(path, study)
        try:
            judge = study.rules_judge() if mode == JudgeMode.RULES else make_judge(mode, benchmark=benchmark)
        except JudgeNotSetUp as error:
            raise CommandError(str(error)) from error
        agreement = study.measure(pairs, judge)
        if options["format"] == "json":
            self.stdout.write(json.dumps({path.name: agreement.as_json()}, indent=1))
        else:
            self.stdout.write(agreement.as_table(path.name))


def _read(path: Path, study: AgreementStudy) -> Sequence[Any]:
    try:
        return study.read(path.read_bytes().decode().splitlines())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8.") from error
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
