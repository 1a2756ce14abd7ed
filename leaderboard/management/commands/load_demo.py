"""The demonstration: a board with public references, example systems, the published results, an account."""

import json
import secrets
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand

from leaderboard.management.commands.import_medagentbench import QUESTION
from leaderboard.models import Benchmark, Feedback, User
from leaderboard.services.importing import import_references, load_reported
from leaderboard.services.store import arrive
from leaderboard.services.submitting import submit
from leaderboard.services.teams import create_token, personal_team
from scoring.fhir import RecordedFhir
from scoring.medagentbench import build_references, demo

BOARD = "medagentbench-demo"
_EXAMPLES = "examples@wardboard.invalid"
_EMAIL = "demo@wardboard.invalid"
_SYSTEMS = (
    (
        demo.PERFECT,
        {
            "system": "Example: careful agent",
            "models": "an invented model",
            "organisation": "Wardboard",
            "interaction": "multi-turn",
            "retrieval": "query-generator",
            "reasoning": "code",
            "open_weights": "yes",
        },
    ),
    (
        demo.MIDDLING,
        {
            "system": "Example: hasty agent",
            "models": "another invented model",
            "organisation": "Wardboard",
            "interaction": "single-turn",
            "retrieval": "retriever",
            "reasoning": "language",
        },
    ),
)


class Command(BaseCommand):
    help = "Load the demonstration board, the published results and a demonstration account. Repeatable."

    def add_arguments(self, parser):
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="what to say it is served on")

    def handle(self, *args, **options):
        board = _board()
        _published()
        _examples(board)
        self.stdout.write(_welcome(options["address"].rstrip("/"), _account()))


def _board() -> Benchmark:
    tasks = json.loads(demo.TASKS.read_bytes())
    benchmark = Benchmark(
        slug=BOARD,
        family="medagentbench",
        version="demo",
        title="MedAgentBench demo",
        question=(
            f"{len(tasks)} invented tasks in the manner of MedAgentBench, to try Wardboard with. Patients, "
            "references and examples are public, so its figures say nothing about a system."
        ),
        feedback=Feedback.BY_TASK,
        daily_limit=None,
        is_demo=True,
        position=90,
    )
    references = build_references(tasks, RecordedFhir(demo.RECORDING))
    done = import_references(benchmark=benchmark, references=references, origin="demonstration, invented")
    return done.revision.benchmark


def _published() -> None:
    """The board of the published results; it opens for files when its ground truth is imported."""
    board, _ = Benchmark.objects.get_or_create(
        slug="medagentbench-v2",
        defaults={
            "family": "medagentbench",
            "version": "v2",
            "title": "MedAgentBench v2",
            "question": QUESTION.format(count=300),
            "position": 10,
        },
    )
    if not board.standings.filter(evaluation__isnull=True).exists():
        load_reported(benchmark=board)


def _examples(board: Benchmark) -> None:
    user = User.objects.filter(email=_EXAMPLES).first()
    # Without a password nobody can sign in as this person.
    user = user or User.objects.create_user(_EXAMPLES, first_name="Wardboard examples")
    team = personal_team(user)
    for path, said in _SYSTEMS:
        submit(
            user=user,
            team=team,
            benchmark=board,
            file=arrive([path.read_bytes()]),
            said=said,
            filename=path.name,
            publish=True,
        )


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
    folder = demo.PERFECT.parent
    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f"""
Wardboard   {address}/
Sign in     {address}/accounts/login/   {account["email"]}   {account["password"]}
Upload      {shown}/middling.json   (or perfect.json, malformed.json)
            {address}/benchmarks/{BOARD}/submit/
Or curl     curl --fail-with-body {address}/api/v1/submissions/ \\
              -H "Authorization: Bearer {account["token"]}" \\
              -F benchmark={BOARD} -F file=@{shown}/middling.json \\
              -F system="My agent" -F models=my-model -F publish=true
"""
