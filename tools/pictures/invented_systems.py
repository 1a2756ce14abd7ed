"""Fill two leaderboards with a year of invented systems and tasks. For pictures only.

The diaries (DIARY, _FHIR_DIARY) say what happened on which date. The service itself does each step with its
clock set to that date, so the record of the leaderboards is the one that a real year would have left.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from django.core.management import call_command
from django.utils import timezone

from bench._fhir_submission import make_questions
from leaderboard.models import (
    UNLIMITED,
    Board,
    BoardOrganiser,
    BoardState,
    Kind,
    Standing,
    Submission,
    TeamApproval,
    User,
)
from leaderboard.services import background
from leaderboard.services.accounts import personal_team
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.runs import NamedFile, gather
from leaderboard.services.files.store import FileWriter, store_file
from leaderboard.services.publishing.approvals import approve, request_approval
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.rescore import rescore
from leaderboard.services.submissions.submit import submit
from tools.demo.medagentbench.build import responses
from tools.demo.medagentbench.tasks import make_tasks
from tools.pictures.invented_files import (
    Style,
    fhir_agentbench_file,
    flawed_references,
    medagentbench_file,
)
from tools.pictures.shots import BOARD
from wardboard.scoring.fhir import RecordedFhir, write_recording
from wardboard.scoring.medagentbench import build_references
from wardboard.scoring.medagentbench.grading.references import Reference
from wardboard.scoring.reading.limits import Limits

_PER_TYPE = 30
_MAYA = "Maya Lindqvist"
_WRITTEN: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
# Facts of the systems, and conditions of those that state them.
_SYSTEMS = {system["facts"]["system"]: system for system in _WRITTEN["systems"]}
# What happened on which day: "publish" and "submit" with the number of wrong answers of each run.
DIARY: list[dict[str, Any]] = _WRITTEN["diary"]
# The day on which each system was published, and the numbers of its Style.
_FHIR_DIARY: list[dict[str, Any]] = _WRITTEN["fhir_diary"]


class _Clock:
    """Return the time that was set, and 20 ms more at each call."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 12, 8, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(milliseconds=20)
        return self.time

    def turn_to(self, day: str, number: int) -> None:
        month, date = map(int, day.split("-"))
        self.time = datetime(2026, month, date, 8 + number % 9, 7 * number % 60, tzinfo=UTC)


@contextmanager
def _clock() -> Iterator[_Clock]:
    clock = _Clock()
    changed_at = BoardState._meta.get_field("changed_at")
    with ExitStack() as patches:
        patches.enter_context(patch("django.utils.timezone.now", clock))
        # The field holds on to its default function, so patching the module does not reach it.
        patches.enter_context(patch.dict(vars(changed_at), {"_get_default": clock}))
        yield clock


def fill() -> dict[str, str]:
    """Fill the leaderboards with a year of events, and return the keys for the pictures.

    own: id of a submission of the person who signs in.
    graded: id of a submission to the demonstration, of which everyone sees the tasks.
    system: id of a system.
    leader: id of the submission that is ranked first.
    fhir_system: id of a system whose answers were judged.
    runs, system_of_runs: ids of a submission of several runs, and of its system.
    compared: query string that compares two systems.
    """
    maya = User.objects.create_user("maya@example.org", "a-long-password-1", first_name=_MAYA)
    with _clock() as clock:
        call_command("load_demo", stdout=StringIO())
        # A person publishes more in the invented year than a real one may in 30 days.
        Board.objects.update(publication_limit=None)
        year = _Year(clock, BOARD)
        year.replay()
        _replay_fhir_year(clock)
        _open_empty_board()
        _organise(year)
    fhir = Standing.objects.filter(board__slug="fhir-agentbench", kind=Kind.RESCORED).best_first()[0]
    own = Submission.objects.filter(submitted_by=maya, board__slug=BOARD, published_at__isnull=False)
    compared = ("臨床助理", "Ward round")
    return {
        "own": str(own.latest("received_at").pk),
        "graded": str(Submission.objects.get(system__name="Example: hasty agent").pk),
        "system": str(year.submissions["Ward round"].system_id),
        "leader": str(year.leader.pk),
        "fhir_system": str(fhir.system_id),
        "runs": str(year.submissions["Second opinion"].pk),
        "system_of_runs": str(year.submissions["Second opinion"].system_id),
        "compared": "&".join(f"system={year.submissions[name].system_id}" for name in compared),
    }


def _organise(year: "_Year") -> None:
    """Give a leaderboard an organiser, who prepared a revision with a task set aside."""
    organiser = User.objects.create_user("organiser@example.org", "a-long-password-1")
    board = year.board
    for slug in (board.slug, "medagentbench-demo"):
        BoardOrganiser.objects.create(board=Board.objects.get(slug=slug), user=organiser)
    tasks = {board.ground_truth.task_ids[3]: "The question can be read in two ways."}
    stage_set_aside(board=board, tasks=tasks, by=organiser)


def _open_empty_board() -> None:
    board = Board(
        slug="empty",
        benchmark="medagentbench",
        version="trial",
        title="MedAgentBench trial",
        question="20 invented tasks, opened this week.",
        position=95,
        **UNLIMITED,
    )
    tasks = make_tasks(2)
    import_references(board=board, references=_references_of(tasks), origin="invented, for pictures")


def _references_of(tasks: list[dict[str, Any]]) -> dict[str, Reference]:
    with TemporaryDirectory() as folder:
        recording = Path(folder) / "fhir.ndjson"
        write_recording(recording, responses(tasks))
        return build_references(tasks, RecordedFhir(recording))


class _Year:
    """Replay the diary of MedAgentBench on invented tasks, beside its published rows."""

    def __init__(self, clock: _Clock, slug: str) -> None:
        self.clock, self.slug = clock, slug
        self.tasks = make_tasks(_PER_TYPE)
        self.references = _references_of(self.tasks)
        self.submissions: dict[str, Submission] = {}
        self._import(flawed_references(self.references), "invented, for pictures")

    def replay(self) -> None:
        """Do every line of the diary on its date."""
        for number, entry in enumerate(DIARY):
            self.clock.turn_to(entry["day"], number)
            action, system, reason = entry["action"], entry.get("system", ""), entry.get("reason", "")
            match action:
                case "publish" | "submit":
                    files = [
                        medagentbench_file(
                            self.tasks, version=self.board.version, wrong=wrong, seed=number + 100 * run
                        )
                        for run, wrong in enumerate(entry["wrong"])
                    ]
                    filename = f"run-{number + 1}.json"
                    self.submissions[system] = _send(
                        self.board, system, files, filename, is_public=action == "publish"
                    )
                case "disqualify":
                    submission = self.submissions[system]
                    disqualify(submission_id=submission.pk, by=submission.submitted_by, reason=reason)
                case "withdraw":
                    submission = self.submissions[system]
                    team, by = submission.team, submission.submitted_by
                    withdraw(submission_id=submission.pk, team=team, by=by, reason=reason)
                case "references":
                    with background.deduplicated_statistics():
                        self._import(self.references, "invented, for pictures; six means corrected")
                        rescore(board=self.board)

    @property
    def board(self) -> Board:
        return Board.objects.select_related("active_revision").get(slug=self.slug)

    @property
    def leader(self) -> Submission:
        row = Standing.objects.filter(board=self.board, kind=Kind.RESCORED).best_first()[0]
        return Submission.objects.get(evaluation=row.evaluation_id)

    def _import(self, references: dict[str, Reference], origin: str) -> None:
        import_references(board=self.board, references=references, origin=origin)


def _replay_fhir_year(clock: _Clock) -> None:
    board = Board.objects.get(slug="fhir-agentbench")
    clock.turn_to("09-08", 1)
    questions = make_questions()
    references = {question.reference.task_id: question.reference for question in questions}
    import_references(board=board, references=references, origin="invented, for pictures")
    board = Board.objects.select_related("active_revision").get(pk=board.pk)
    for number, entry in enumerate(_FHIR_DIARY):
        clock.turn_to(entry["day"], number)
        raw = fhir_agentbench_file(questions, Style(**entry["style"]), number)
        _send(board, entry["system"], [raw], f"run-{number + 1}.json", is_public=True)


def _store(files: list[bytes], filename: str) -> StoredFile:
    """Store the file of each run."""
    arrived = [
        NamedFile(name=filename.replace(".", f"-seed-{number}."), stored=store_file([raw]))
        for number, raw in enumerate(files, 1)
    ]
    return gather(arrived, limits=Limits(), new_writer=FileWriter)


def _send(board: Board, system: str, files: list[bytes], filename: str, *, is_public: bool) -> Submission:
    written = _SYSTEMS[system]
    owner, conditions = written["team"], written.get("conditions", {})
    user = User.objects.filter(first_name=owner).first()
    user = user or User.objects.create_user(f"team-{User.objects.count()}@example.org", first_name=owner)
    team = personal_team(user)
    if board.needs_approval and not TeamApproval.objects.filter(board=board, team=team).exists():
        approve(approval=request_approval(board=board, team=team, by=user, message=""), by=user)
    stated = written["facts"] | conditions
    stated |= {"run_on": timezone.now().date().isoformat()} if conditions else {}
    submission = submit(
        SubmissionRequest(
            user=user,
            team=team,
            board=board,
            file=_store(files, filename),
            facts=stated,
            filename=filename,
        )
    ).submission
    if is_public:
        publish(submission_id=submission.pk, team=team, by=user)
    return Submission.objects.select_related("team", "submitted_by").get(pk=submission.pk)
