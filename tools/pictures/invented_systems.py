"""Fill two leaderboards with a year of invented systems and tasks. For pictures only.

The diaries (DIARY, _FHIR_DIARY) say what happened on which date. The service itself does each step with its
clock set to that date, so the record of the leaderboards is the one that a real year would have left.
"""

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
    Benchmark,
    BoardState,
    Kind,
    Standing,
    Submission,
    TeamApproval,
    User,
)
from leaderboard.services import background
from leaderboard.services.accounts import personal_team
from leaderboard.services.files.runs import NamedFile, gather
from leaderboard.services.files.store import FileWriter, StoredFile, store_file
from leaderboard.services.publishing.approvals import approve, request_approval
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.known_errors import set_known_errors
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions.duplicates import SubmissionRequest
from leaderboard.services.submissions.rescore import rescore
from leaderboard.services.submissions.submit import submit
from scoring.fhir import RecordedFhir, write_recording
from scoring.medagentbench import build_references
from scoring.medagentbench.demo.build import responses
from scoring.medagentbench.demo.tasks import make_tasks
from scoring.medagentbench.grading.references import Reference
from scoring.reading.limits import Limits
from scoring.statistics.misclassification import JudgeErrorCounts
from tools.pictures.invented_files import (
    Style,
    fhir_agentbench_file,
    flawed_references,
    medagentbench_file,
)
from tools.pictures.shots import BOARD

_PER_TYPE = 30
_MAYA = "Maya Lindqvist"
# Name, team, models, organisation, interaction, retrieval, reasoning, open weights.
_SYSTEMS = """
Ward round|Maya Lindqvist|Linden 2 mini|Riverside Informatics|multi-turn|query-generator|code|no
Night shift|Northgate records group|Harrow Flash|Northgate Hospital|single-turn|both|code|no
Charting agent with a rather long name, second generation|Clinical AI, Delft\
|Aster-32B|Delft Clinical AI|multi-turn|retriever|language|yes
臨床助理|林雅婷|Aster-235B|臺北醫學資訊實驗室|multi-turn|both|code|yes
Orderset|Orderset|Linden 2|Orderset|multi-turn|query-generator|code|no
Bedside-7B|Open Ward Collective|Bedside-7B|Open Ward Collective|single-turn|retriever|language|yes
FHIR scout|Leeds Health Data|Marram-70B|Leeds Health Data|multi-turn|query-generator|language|yes
Two readers|Harbour Health|Linden 2, Linden 2 mini|Harbour Health|multi-turn|both|language|no
Plain prompt|Maya Lindqvist|Harrow Flash||single-turn|none|language|no
Retriever baseline|Maya Lindqvist|Marram-24B|Riverside Informatics|single-turn|retriever||yes
Second opinion|Harbour Health|Linden 2, Aster-235B|Harbour Health|multi-turn|both|code|no
Paper round|Northgate records group|Harrow Flash|Northgate Hospital|multi-turn|query-generator|code|no
Slow medicine|Clinical AI, Delft|Fennel-120B|Delft Clinical AI|multi-turn|query-generator|language|yes
Corridor|Open Ward Collective|Marram-24B|Open Ward Collective|multi-turn|retriever|code|yes
Handover|林雅婷|Aster-32B|臺北醫學資訊實驗室|multi-turn|query-generator|code|yes
Ask the chart|Leeds Health Data|Fennel-120B|Leeds Health Data|multi-turn|both|code|yes
"""
_KEYS = ("system", "models", "organisation", "interaction", "retrieval", "reasoning", "open_weights")
# Name, harness, its name, tools, memory, training, dollars and seconds a task; others state no conditions.
_CONDITIONS = """
Ward round|own-tools|ward-loop 4|FHIR search, a calculator|no|no|0.041|14.2
Night shift|prefetch||||no|0.006|3.1
臨床助理|own-tools|clin-tools 1.2|FHIR search, Python|no|no|0.018|22.5
Orderset|own-tools||FHIR search||no|0.064|11.9
Bedside-7B|official||||yes|0.0009|5.4
FHIR scout|official|||no|no|0.012|19.8
Two readers|own-tools|two-pass||yes|no|0.083|31.0
Second opinion|prefetch|chart-first||no|no|0.052|8.6
Handover|official||||||16.3
"""
_CONDITION_KEYS = (
    *("harness", "harness_name", "tools", "task_memory", "trained_on_benchmark"),
    *("cost_per_task", "seconds_per_task"),
)
# Date, action, system, and the number of wrong answers of each run, or the reason. + publishes the runs, -
# does not.
DIARY = """
01-19|+|Retriever baseline|104
02-03|+|Plain prompt|176
02-17|+|Night shift|74
03-05|+|FHIR scout|69
03-24|+|Bedside-7B|131
04-08|+|Two readers|53
04-21|+|Charting agent with a rather long name, second generation|49
05-06|+|Orderset|41
05-19|+|Ward round|47
06-03|+|Paper round|6
06-15|+|臨床助理|38
06-24|disqualify|Paper round|Its prompts held worked answers to 41 tasks of the board, as its team told us.
07-07|references||
07-20|+|Ward round|30
08-12|withdraw|Night shift|Run with the wrong model; a corrected run follows.
08-20|+|Night shift|60
09-03|+|Corridor|88
09-17|+|Two readers|34
10-02|+|臨床助理|27
10-09|+|Slow medicine|57
10-20|+|Charting agent with a rather long name, second generation|31
11-03|+|Orderset|37
11-10|+|Handover|46
11-13|+|Second opinion|27,24,31
11-14|-|Ward round|26
11-17|+|Ask the chart|62
11-18|withdraw|Plain prompt|
"""
# Date, system, and the numbers of its Style.
_FHIR_DIARY = """
09-15|Night shift|0.38|0.42|0.5|1.1
09-22|Bedside-7B|0.31|0.63|2.6|0.2
10-01|FHIR scout|0.49|0.57|0.9|0.7
10-08|Charting agent with a rather long name, second generation|0.55|0.84|2.2|0.4
10-16|臨床助理|0.586|0.74|0.6|0.6
10-27|Ward round|0.60|0.69|0.25|0.5
11-05|Corridor|0.43|0.91|2.9|0.3
11-12|Second opinion|0.604|0.88|1.1|3.4
11-19|Ask the chart|0.572|0.79|0.8|0.8
"""


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
    system: id of a system.
    fhir_system: id of a system whose answers were judged.
    runs, system_of_runs: ids of a submission of several runs, and of its system.
    compared: query string that compares three systems.
    """
    maya = User.objects.create_user("maya@example.org", "a-long-password-1", first_name=_MAYA)
    with _clock() as clock:
        call_command("load_demo", stdout=StringIO())
        year = _Year(clock, BOARD)
        year.replay()
        _replay_fhir_year(clock)
        _open_empty_board()
    fhir = Standing.objects.filter(benchmark__slug="fhir-agentbench", kind=Kind.RESCORED).best_first()[0]
    known = JudgeErrorCounts(both_right=182, false_rejects=18, false_accepts=6, both_wrong=294)
    set_known_errors(
        benchmark=fhir.benchmark, judge=fhir.judge, counts=known, source="two physicians, invented"
    )
    own = Submission.objects.filter(submitted_by=maya, benchmark__slug=BOARD, published_at__isnull=False)
    compared = ("臨床助理", "Ward round", "Handover")
    return {
        "own": str(own.latest("received_at").pk),
        "system": str(year.submissions["Ward round"].system_id),
        "fhir_system": str(fhir.system_id),
        "runs": str(year.submissions["Second opinion"].pk),
        "system_of_runs": str(year.submissions["Second opinion"].system_id),
        "compared": "&".join(f"system={year.submissions[name].system_id}" for name in compared),
    }


def _open_empty_board() -> None:
    board = Benchmark(
        slug="empty",
        family="medagentbench",
        version="trial",
        title="MedAgentBench trial",
        question="20 invented tasks, opened this week.",
        position=95,
        **UNLIMITED,
    )
    tasks = make_tasks(2)
    import_references(benchmark=board, references=_references_of(tasks), origin="invented, for pictures")


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
        for number, line in enumerate(DIARY.strip().splitlines()):
            day, action, system, detail = line.split("|")
            self.clock.turn_to(day, number)
            match action:
                case "+" | "-":
                    files = [
                        medagentbench_file(
                            self.tasks, version=self._board.version, wrong=int(wrong), seed=number + 100 * run
                        )
                        for run, wrong in enumerate(detail.split(","))
                    ]
                    filename = f"run-{number + 1}.json"
                    self.submissions[system] = _send(
                        self._board, system, files, filename, is_public=action == "+"
                    )
                case "disqualify":
                    submission = self.submissions[system]
                    disqualify(submission_id=submission.pk, by=submission.submitted_by, reason=detail)
                case "withdraw":
                    submission = self.submissions[system]
                    team, by = submission.team, submission.submitted_by
                    withdraw(submission_id=submission.pk, team=team, by=by, reason=detail)
                case "references":
                    with background.deduplicated_statistics():
                        self._import(self.references, "invented, for pictures; six means corrected")
                        rescore(benchmark=self._board)

    @property
    def _board(self) -> Benchmark:
        return Benchmark.objects.select_related("active_revision").get(slug=self.slug)

    def _import(self, references: dict[str, Reference], origin: str) -> None:
        import_references(benchmark=self._board, references=references, origin=origin)


def _replay_fhir_year(clock: _Clock) -> None:
    board = Benchmark.objects.get(slug="fhir-agentbench")
    clock.turn_to("09-08", 1)
    questions = make_questions()
    references = {question.reference.task_id: question.reference for question in questions}
    import_references(benchmark=board, references=references, origin="invented, for pictures")
    board = Benchmark.objects.select_related("active_revision").get(pk=board.pk)
    for number, line in enumerate(_FHIR_DIARY.strip().splitlines()):
        day, system, *values = line.split("|")
        correct, recall, noise, cost = map(float, values)
        clock.turn_to(day, number)
        style = Style(correct=correct, recall=recall, noise=noise, cost=cost)
        raw = fhir_agentbench_file(questions, style, number)
        _send(board, system, [raw], f"run-{number + 1}.json", is_public=True)


def _store(files: list[bytes], filename: str) -> StoredFile:
    """Store the file of each run."""
    arrived = [
        NamedFile(name=filename.replace(".", f"-{number}."), stored=store_file([raw]))
        for number, raw in enumerate(files, 1)
    ]
    return gather(arrived, limits=Limits(), new_writer=FileWriter)


def _send(board: Benchmark, system: str, files: list[bytes], filename: str, *, is_public: bool) -> Submission:
    facts = next(line.split("|") for line in _SYSTEMS.strip().splitlines() if line.startswith(f"{system}|"))
    name, owner, *rest = facts
    user = User.objects.filter(first_name=owner).first()
    user = user or User.objects.create_user(f"team-{User.objects.count()}@example.org", first_name=owner)
    team = personal_team(user)
    if board.needs_approval and not TeamApproval.objects.filter(benchmark=board, team=team).exists():
        approve(approval=request_approval(benchmark=board, team=team, by=user, message=""), by=user)
    stated = {key: value for key, value in zip(_KEYS, (name, *rest), strict=True) if value}
    conditions = next((line for line in _CONDITIONS.splitlines() if line.startswith(f"{system}|")), "")
    stated |= {
        key: value for key, value in zip(_CONDITION_KEYS, conditions.split("|")[1:], strict=False) if value
    }
    stated |= {"run_on": timezone.now().date().isoformat()} if conditions else {}
    submission = submit(
        SubmissionRequest(
            user=user,
            team=team,
            benchmark=board,
            file=_store(files, filename),
            facts=stated,
            filename=filename,
        )
    ).submission
    if is_public:
        publish(submission_id=submission.pk, team=team, by=user)
    return Submission.objects.select_related("team", "submitted_by").get(pk=submission.pk)
