"""The demonstration: a board with public references, two example systems, and the published results."""

import json

from django.core.management.base import BaseCommand

from leaderboard.models import Benchmark, Feedback, User
from leaderboard.services.importing import import_references, load_reported
from leaderboard.services.publishing import publish
from leaderboard.services.submitting import submit
from leaderboard.services.teams import personal_team
from scoring.fhir import RecordedFhir
from scoring.medagentbench import build_references, demo

_BOARD = "medagentbench-demo"
_SYSTEMS = (
    (
        demo.GOOD,
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
        demo.NOISY,
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
    help = "Load the demonstration board and the published MedAgentBench rows. Repeatable."

    def handle(self, *args, **options):
        board = self._board()
        self._published()
        self._examples(board)
        self.stdout.write(f"{board.slug} is open: try the example files in {demo.GOOD.parent}")

    def _board(self) -> Benchmark:
        tasks = json.loads(demo.TASKS.read_bytes())
        benchmark = Benchmark(
            slug=_BOARD,
            family="medagentbench",
            version="demo",
            title="MedAgentBench demo",
            question=(
                f"{len(tasks)} invented tasks in the manner of MedAgentBench, to try Wardboard with. "
                "Patients, references and examples are public, so its figures say nothing about a system."
            ),
            feedback=Feedback.BY_TASK,
            daily_limit=None,
            is_demo=True,
            position=90,
        )
        references = build_references(tasks, RecordedFhir(demo.RECORDING))
        return import_references(
            benchmark=benchmark, references=references, origin="demonstration, invented"
        ).revision.benchmark

    def _published(self):
        """The board of the published results: it opens for files when its ground truth is imported."""
        board, _ = Benchmark.objects.get_or_create(
            slug="medagentbench-v2",
            defaults={
                "family": "medagentbench",
                "version": "v2",
                "title": "MedAgentBench v2",
                "question": (
                    "300 clinical tasks of ten types over a FHIR server: look up, work out, record, order. "
                    "A task is right or wrong, by the official graders, against hidden references."
                ),
                "position": 10,
            },
        )
        load_reported(benchmark=board)

    def _examples(self, board: Benchmark):
        user = User.objects.filter(email="examples@wardboard.invalid").first()
        # Without a password nobody can sign in as this person.
        user = user or User.objects.create_user("examples@wardboard.invalid", first_name="Wardboard examples")
        team = personal_team(user)
        for path, said in _SYSTEMS:
            taken = submit(
                user=user, team=team, benchmark=board, raw=path.read_bytes(), said=said, filename=path.name
            )
            # Only when new: what an organiser withdrew stays withdrawn.
            if taken.created:
                publish(submission_id=taken.submission.pk, team=team, by=user)
