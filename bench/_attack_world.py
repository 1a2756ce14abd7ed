"""The service that is attacked, with one board, and the accounts of the attacker.

Import it after Django is set up.
"""

import json
import math
import random
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.api.serializers.submissions import show_submission
from leaderboard.api.serializers.tasks import EntryComparisonSerializer
from leaderboard.http.json_encoding import encode
from leaderboard.models import ApprovalStatus, Board, Submission, TeamApproval, User
from leaderboard.networks import address_digest
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import ApprovalNeeded, QuotaSpent
from leaderboard.services.files.runs import NamedFile, gather
from leaderboard.services.files.store import FileWriter, store_file
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.statistics.entry_comparison import compare_with_entry
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.submit import submit
from tools.demo.medagentbench.answers import solve
from tools.demo.medagentbench.build import responses
from tools.demo.medagentbench.tasks import make_tasks
from wardboard.scoring.fhir import RecordedFhir, write_recording
from wardboard.scoring.medagentbench import build_references
from wardboard.scoring.reading.limits import Limits

# Types of tasks that ask for a value: the attacker has two candidates for each of these values.
TYPES = ("task1", "task2", "task4", "task6", "task7")
_TARGETS_PER_TYPE = 18
_IDLE = "task3_1"  # wrong without a POST


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A hidden value that the attacker wants. candidates: two answers, of which one is right."""

    task_id: str
    candidates: tuple[str, str]

    @property
    def type(self) -> str:
        return self.task_id.partition("_")[0]


@dataclass(slots=True, kw_only=True)
class World:
    """The service with one board, and the clock that the attacker waits for."""

    tasks: Sequence[Mapping[str, Any]]
    board: Board
    truth: Mapping[str, str]
    targets: Sequence[Target]

    def displayed_rate(self, right: int, runs: int) -> float:
        """Return the rate that a new result displays for right answers of all runs: docs/organisers.md."""
        tasks, board = len(self.tasks), self.board
        total = tasks * runs
        step = max(board.rounding, math.ceil(300 / tasks))
        # Of two multiples as near the higher.
        multiples = (2 * 100 * right + step * total) // (2 * step * total)
        return min(multiples, 100 // step) * step / 100

    @property
    def known(self) -> Sequence[str]:
        """Tasks whose answers the attacker has from elsewhere."""
        wanted = {target.task_id for target in self.targets}
        return [t["id"] for t in self.tasks if t["id"].partition("_")[0] in TYPES and t["id"] not in wanted]

    def wait_a_day(self) -> None:
        """Let a day pass, by making everything a day older."""
        day = timedelta(days=1)
        Submission.objects.update(received_at=F("received_at") - day)
        Submission.objects.filter(published_at__isnull=False).update(published_at=F("published_at") - day)


@dataclass(slots=True, kw_only=True)
class Account:
    """An account of the attacker, with its own team. address: the network address that it sends from."""

    world: World
    user: User
    address: str

    def send(self, runs: Sequence[Mapping[str, str]], *, publish: bool) -> Mapping[str, Any] | None:
        """Send the answers of each run; return the result as the API shows it, None where a limit refuses.

        With `comparison`, as the API compares it with the entry of its system.
        """
        files = [_file_of(answers, number if len(runs) > 1 else None) for number, answers in enumerate(runs)]
        arrived = [NamedFile(name=f"run-{n}.json", stored=store_file([raw])) for n, raw in enumerate(files)]
        team = personal_team(self.user)
        try:
            submission = submit(
                SubmissionRequest(
                    user=self.user,
                    team=team,
                    board=self.world.board,
                    file=gather(arrived, limits=Limits(), new_writer=FileWriter),
                    facts={"system": "Honest agent", "models": "model"},
                    address_digest=address_digest(self.address),
                    publish=publish,
                    allow_empty=True,
                )
            ).submission
        except (ApprovalNeeded, QuotaSpent):
            return None
        assert submission.status == "scored", (submission.status, submission.problems)
        with transaction.atomic():
            fresh = Submission.objects.with_result().get(pk=submission.pk)
            result: dict[str, Any] = json.loads(encode(show_submission(fresh, to_team=True)))["result"]
            context = {"submission": fresh.pk}
            beside = EntryComparisonSerializer(compare_with_entry(fresh), context=context).data
        return {**result, "comparison": beside}


def _file_of(answers: Mapping[str, str], run: int | None) -> bytes:
    results: list[dict[str, Any]] = [
        {"task_id": task_id, "answer": answer, "post_history": []} for task_id, answer in answers.items()
    ]
    if run is not None:
        # Runs with the same answers are refused, so each has another wrong answer to a task of no interest.
        results.append({"task_id": _IDLE, "answer": f"run {run}", "post_history": []})
    # A file of the same bytes would be the same submission.
    return json.dumps({"version": "v2", "round": secrets.token_hex(8), "results": results}).encode()


def make_world(slug: str, settings: Mapping[str, Any]) -> World:
    """Open a board of 300 tasks with hidden references and the default limits, but for `settings`."""
    # What was sent from the address before would count.
    Submission.objects.update(address_digest="")
    tasks = make_tasks(30)
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "fhir.ndjson"
        write_recording(recording, responses(tasks))
        references = build_references(tasks, RecordedFhir(recording))
    board = Board(
        slug=slug, benchmark="medagentbench", version="v2", title="Hidden", question="?", **settings
    )
    board = import_references(board=board, references=references, origin="bench").revision.board
    truth = {task["id"]: solve(task).answer for task in tasks if task["id"].partition("_")[0] in TYPES}
    return World(tasks=tasks, board=board, truth=truth, targets=list(_targets(truth)))


def _targets(truth: Mapping[str, str | None]) -> Iterator[Target]:
    chance = random.Random(7)
    taken: Counter[str] = Counter()
    for task_id, answer in truth.items():
        kind = task_id.partition("_")[0]
        if answer is None or not task_id.startswith(f"{kind}_") or taken[kind] >= _TARGETS_PER_TYPE:
            continue
        taken[kind] += 1
        other = '["another value"]'
        candidates = (answer, other) if chance.random() < 0.5 else (other, answer)
        yield Target(task_id=task_id, candidates=candidates)


def make_account(world: World, number: int, addresses: int, *, approved: bool) -> Account:
    """Sign up; `number` chooses one of the network addresses."""
    user = User.objects.create_user(f"{world.board.slug}-{number}@example.org")
    if approved:
        TeamApproval.objects.create(
            board=world.board,
            team=personal_team(user),
            status=ApprovalStatus.APPROVED,
            decided_at=timezone.now(),
        )
    # No two addresses are of one network.
    return Account(world=world, user=user, address=f"{11 + number % addresses}.0.2.1")
