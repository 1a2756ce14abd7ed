"""The demonstration: boards with public references, example systems, the published results, an account."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.translation import gettext_noop

from leaderboard.management.commands.import_fhir_agentbench import PUBLISHED_VERSION as FHIR_VERSION
from leaderboard.management.commands.import_fhir_agentbench import QUESTION as FHIR_AGENTBENCH
from leaderboard.management.commands.import_medagentbench import QUESTION as MEDAGENTBENCH
from leaderboard.models import Benchmark, Feedback, Kind, User
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.files.store import store_file
from leaderboard.services.publishing.import_references import import_references, load_reported
from leaderboard.services.submissions.submit import SubmissionRequest, submit
from scoring.fhir import RecordedFhir
from scoring.fhir_agentbench import demo as fhir_agentbench
from scoring.fhir_agentbench.grading.questions_file import read_questions
from scoring.medagentbench import build_references
from scoring.medagentbench import demo as medagentbench

_EXAMPLES = "examples@wardboard.invalid"
_EMAIL = "demo@wardboard.invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A demonstration board with its references, and example files with what is said of their systems."""

    board: Benchmark
    references: Callable[[], Mapping[str, Any]]
    examples: Sequence[tuple[Path, dict[str, str]]]


def _demos() -> Sequence[Demo]:
    return (
        Demo(
            board=Benchmark(
                slug="medagentbench-demo",
                family="medagentbench",
                version="demo",
                title=gettext_noop("MedAgentBench demo"),
                question=gettext_noop(
                    "50 invented tasks in the manner of MedAgentBench, to try Wardboard with. Patients, "
                    "references and examples are public, so its figures say nothing about a system."
                ),
                position=90,
            ),
            references=lambda: build_references(
                json.loads(medagentbench.TASKS.read_bytes()), RecordedFhir(medagentbench.RECORDING)
            ),
            examples=(
                (
                    medagentbench.PERFECT,
                    {
                        "system": "Example: careful agent",
                        "models": "an invented model",
                        "interaction": "multi-turn",
                        "retrieval": "query-generator",
                        "reasoning": "code",
                        "open_weights": "yes",
                    },
                ),
                (
                    medagentbench.MIDDLING,
                    {
                        "system": "Example: hasty agent",
                        "models": "another invented model",
                        "interaction": "single-turn",
                        "retrieval": "retriever",
                        "reasoning": "language",
                    },
                ),
            ),
        ),
        Demo(
            board=Benchmark(
                slug="fhir-agentbench-demo",
                family="fhir-agentbench",
                version="demo",
                title=gettext_noop("FHIR-AgentBench demo"),
                question=gettext_noop(
                    "60 invented questions in the manner of FHIR-AgentBench, to try Wardboard with. Answers "
                    "are judged by rules; questions, references and examples are public."
                ),
                keep_originals=False,
                position=91,
            ),
            references=lambda: read_questions(fhir_agentbench.QUESTIONS),
            examples=(
                (
                    fhir_agentbench.GOOD,
                    {
                        "system": "Example: thorough retriever",
                        "models": "an invented model",
                        "interaction": "multi-turn",
                        "retrieval": "retriever",
                        "reasoning": "code",
                        "open_weights": "yes",
                    },
                ),
                (
                    fhir_agentbench.NOISY,
                    {
                        "system": "Example: single query",
                        "models": "another invented model",
                        "interaction": "single-turn",
                        "retrieval": "query-generator",
                        "reasoning": "language",
                    },
                ),
            ),
        ),
    )


# Boards of the published results; each opens for files when its ground truth is imported.
_PUBLISHED = (
    Benchmark(
        slug="medagentbench-300",
        family="medagentbench",
        version="v2",
        title="MedAgentBench",
        question=MEDAGENTBENCH.format(count=300),
        position=10,
    ),
    Benchmark(
        slug="fhir-agentbench",
        family="fhir-agentbench",
        version=FHIR_VERSION,
        title="FHIR-AgentBench",
        question=FHIR_AGENTBENCH.format(count="2,931"),
        keep_originals=False,
        position=30,
    ),
)


class Command(BaseCommand):
    help = "Load the demonstration boards, the published results and a demonstration account. Repeatable."

    def add_arguments(self, parser):
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="what to say it is served on")

    def handle(self, *args, **options):
        for demo in _demos():
            _load(demo)
        for board in _PUBLISHED:
            _published(board)
        self.stdout.write(_welcome(options["address"].rstrip("/"), _account()))


def _load(demo: Demo) -> None:
    demo.board.feedback, demo.board.daily_limit, demo.board.is_demo = Feedback.BY_TASK, None, True
    references = demo.references()
    done = import_references(benchmark=demo.board, references=references, origin="demonstration, invented")
    user = User.objects.filter(email=_EXAMPLES).first()
    # Without a password nobody can sign in as this person.
    user = user or User.objects.create_user(_EXAMPLES, first_name="Wardboard examples")
    for path, facts in demo.examples:
        submit(
            SubmissionRequest(
                user=user,
                team=personal_team(user),
                benchmark=done.revision.benchmark,
                file=store_file([path.read_bytes()]),
                facts={"organisation": "Wardboard", **facts},
                filename=path.name,
                publish=True,
            )
        )


def _published(board: Benchmark) -> None:
    known = Benchmark.objects.filter(slug=board.slug).first()
    if known is None:
        # A copy: this one stays as it is written above.
        known = copy(board)
        known.save()
    if not known.standings.filter(kind=Kind.REPORTED).exists():
        load_reported(benchmark=known)


def _account() -> dict[str, str]:
    """Return the demonstration account, made at the first start with a password and a token at random.

    They are kept in a file that only its owner reads, so that every start can say them again.
    """
    kept: Path = settings.DATA / "demo-account.json"
    if kept.exists() and User.objects.filter(email=_EMAIL).exists():
        return json.loads(kept.read_text())
    user = User.objects.filter(email=_EMAIL).first() or User.objects.create_user(
        _EMAIL, first_name="Demo person"
    )
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    _, token = create_token(user=user, name="demonstration", days=365)
    account = {"email": _EMAIL, "password": password, "token": token}
    # Under another name first: a start that is cut off leaves no half of it.
    half = kept.with_suffix(".new")
    half.touch(mode=0o600)
    half.write_text(json.dumps(account))
    half.replace(kept)
    return account


def _welcome(address: str, account: dict[str, str]) -> str:
    med, fhir = (_shown(file.parent) for file in (medagentbench.PERFECT, fhir_agentbench.GOOD))
    return f"""
Wardboard   {address}/
Sign in     {address}/accounts/login/   {account["email"]}   {account["password"]}
Upload      {med}/middling.json   (or perfect.json, malformed.json)
            {address}/benchmarks/medagentbench-demo/submit/
            {fhir}/noisy.json   (or good.json, malformed.json)
            {address}/benchmarks/fhir-agentbench-demo/submit/
Or curl     curl --fail-with-body {address}/api/v1/submissions/ \\
              -H "Authorization: Bearer {account["token"]}" \\
              -F benchmark=medagentbench-demo -F file=@{med}/middling.json \\
              -F system="My agent" -F models=my-model -F publish=true
"""


def _shown(folder: Path) -> Path:
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
