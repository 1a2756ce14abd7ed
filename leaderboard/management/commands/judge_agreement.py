"""Measure how far a judge agrees with known verdicts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.models import JudgeMode
from leaderboard.services.judging.judge import JudgeNotSetUp, make_judge
from scoring import registry
from scoring.judging import AgreementStudy, Judge


class Command(BaseCommand):
    help = "Compare a judge's verdicts with those of a file of judged answers, by kind of true answer."

    def add_arguments(self, parser: CommandParser) -> None:
        judged = [slug for slug, family in registry.FAMILIES.items() if family.agreement_study()]
        parser.add_argument("pairs", type=Path, metavar="PAIRS.ndjson", help="judged answers, one a line")
        parser.add_argument("--benchmark", choices=judged, default=judged[0])
        parser.add_argument("--mode", choices=JudgeMode.values, default=JudgeMode.RULES)
        parser.add_argument(
            "--decide-all", action="store_true", help="rules: only the figures where nothing stays undecided"
        )
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument(
            "--write", action="store_true", help="rules: keep the figures as those that boards show"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        mode = options["mode"]
        if mode != JudgeMode.RULES and (options["write"] or options["decide_all"]):
            raise CommandError("--write and --decide-all are for --mode rules.")
        if options["write"] and options["decide_all"]:
            raise CommandError("--write keeps both figures: leave --decide-all out.")
        family = options["benchmark"]
        study = registry.get(family).agreement_study()
        assert study is not None
        raw, pairs = _read(options["pairs"], study)
        try:
            judges = _judges(study, family, mode, only_all=options["decide_all"])
        except JudgeNotSetUp as error:
            raise CommandError(str(error)) from error
        measured = {name: study.measure(pairs, judge) for name, judge in judges.items()}
        figures = {
            "pairs": len(pairs),
            "pairs_sha256": hashlib.sha256(raw).hexdigest(),
            **{name: agreement.as_json() for name, agreement in measured.items()},
        }
        if options["write"]:
            study.kept_at().write_text(json.dumps(figures, indent=1) + "\n")
        if options["format"] == "json":
            self.stdout.write(json.dumps(figures, indent=1))
            return
        for name, agreement in measured.items():
            self.stdout.write(agreement.as_table(name))


def _read(path: Path, study: AgreementStudy) -> tuple[bytes, Sequence[Any]]:
    try:
        raw = path.read_bytes()
        return raw, study.read(raw.decode().splitlines())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8.") from error
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error


def _judges(study: AgreementStudy, family: str, mode: str, *, only_all: bool) -> Mapping[str, Judge]:
    """Return the judges to measure, by name."""
    if mode != JudgeMode.RULES:
        return {mode: make_judge(mode, family=family)}
    judges = study.rules_judges()
    return dict(list(judges.items())[-1:]) if only_all else judges
