"""Measure how far a judge agrees with verdicts that are known."""

import hashlib
import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from leaderboard.models import JudgeMode
from leaderboard.services.judging.judge import JudgeNotSetUp, make_judge
from scoring.fhir_agentbench.judge import RulesJudge
from scoring.fhir_agentbench.judge.agreement import MEASURED, PairsInvalid, measure, read_pairs

_HEAD = f"{'':<22}{'pairs':>7}{'decided':>9}{'share':>8}{'agree':>8}{'kappa':>8}{'false +':>9}{'false -':>9}"


class Command(BaseCommand):
    help = "Compare a judge's verdicts with those of a file of judged answers, by kind of true answer."

    def add_arguments(self, parser):
        parser.add_argument("pairs", type=Path, metavar="PAIRS.ndjson", help="judged answers, one a line")
        parser.add_argument("--mode", choices=JudgeMode.values, default=JudgeMode.RULES)
        parser.add_argument(
            "--decide-all", action="store_true", help="rules: only the figures where nothing stays undecided"
        )
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument(
            "--write", action="store_true", help="rules: keep the figures as those that boards show"
        )

    def handle(self, *args, **options):
        mode = options["mode"]
        if mode != JudgeMode.RULES and (options["write"] or options["decide_all"]):
            raise CommandError("--write and --decide-all are for --mode rules.")
        if options["write"] and options["decide_all"]:
            raise CommandError("--write keeps both figures: leave --decide-all out.")
        raw, pairs = _read(options["pairs"])
        try:
            judges = _judges(mode, only_all=options["decide_all"])
        except JudgeNotSetUp as error:
            raise CommandError("No LLM is set up: see JUDGE in the settings.") from error
        done = {name: measure(pairs, judge) for name, judge in judges.items()}
        figures = {
            "pairs": len(pairs),
            "pairs_sha256": hashlib.sha256(raw).hexdigest(),
            **{name: agreement.as_json() for name, agreement in done.items()},
        }
        if options["write"]:
            MEASURED.write_text(json.dumps(figures, indent=1) + "\n")
        if options["format"] == "json":
            self.stdout.write(json.dumps(figures, indent=1))
            return
        for name, agreement in done.items():
            self.stdout.write(_table(name, agreement))


def _read(path: Path):
    try:
        raw = path.read_bytes()
        return raw, read_pairs(raw.decode().splitlines())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8.") from error
    except PairsInvalid as error:
        raise CommandError(f"{path}: {error}") from error


def _judges(mode, *, only_all):
    if mode != JudgeMode.RULES:
        return {mode: make_judge(mode, family="fhir-agentbench")}
    judges = {} if only_all else {"undecided_allowed": RulesJudge(decide_all=False)}
    return judges | {"decide_all": RulesJudge(decide_all=True)}


def _table(name, agreement) -> str:
    rows = [
        f"{agreement.judge}, {name.replace('_', ' ')}",
        _HEAD,
        *[_row(kind, tally) for kind, tally in sorted(agreement.by_kind.items())],
        _row("all judged", agreement.judged),
        _row("settled before", agreement.prechecked),
        f"suspect: {agreement.suspects}",
    ]
    return "\n".join(rows) + "\n"


def _row(name, tally) -> str:
    shares = [
        "-" if share is None else f"{share:.3f}"
        for share in (tally.share_decided, tally.accuracy, tally.kappa)
    ]
    return (
        f"{name:<22}{tally.pairs:>7}{tally.decided:>9}{shares[0]:>8}{shares[1]:>8}{shares[2]:>8}"
        f"{tally.false_accepts:>9}{tally.false_rejects:>9}"
    )
