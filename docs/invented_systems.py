"""A board as it may look after a year: invented systems on invented tasks. For pictures only."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from django.core.management import call_command

from leaderboard.models import Benchmark, Standing, Submission, User
from leaderboard.services.importing import import_references
from leaderboard.services.publishing import publish
from leaderboard.services.store import arrive
from leaderboard.services.submitting import submit
from leaderboard.services.teams import personal_team
from scoring.fhir import RecordedFhir, write_recording
from scoring.medagentbench import build_references
from scoring.medagentbench.demo.build import responses, result_file
from scoring.medagentbench.demo.tasks import make_tasks

_PER_TYPE = 30
# Name, models, organisation, interaction, retrieval, reasoning, open weights, answers made wrong.
_SYSTEMS = (
    "Ward round|Linden 2 mini|Riverside Informatics|multi-turn|query-generator|code|no|5",
    "Night shift|Harrow Flash|Northgate Hospital|single-turn|both|code|no|34",
    "Charting agent with a rather long name, second generation|Aster-32B|Delft Clinical AI"
    "|multi-turn|retriever|language|yes|9",
    "臨床助理|Aster-235B|臺北醫學資訊實驗室|multi-turn|both|code|yes|9",
    "Orderset|Linden 2|Orderset|multi-turn|query-generator|code|no|12",
    "Bedside-7B|Bedside-7B|Open Ward Collective|single-turn|retriever|language|yes|126",
    "FHIR scout|Marram-70B|Leeds Health Data|multi-turn|query-generator|language|yes|61",
    "Two readers|Linden 2, Linden 2 mini|Harbour Health|multi-turn|both|language|no|27",
    "Plain prompt|Harrow Flash||single-turn|none|language|no|180",
    "Retriever baseline|Marram-24B|Open Ward Collective|single-turn|retriever||yes|88",
)
_KEYS = ("system", "models", "organisation", "interaction", "retrieval", "reasoning", "open_weights")


def fill() -> str:
    """Open the board and put the systems on it; return the id of the first one's submission."""
    maya = User.objects.create_user("maya@example.org", "a-long-password-1", first_name="Maya Lindqvist")
    call_command("load_demo", stdout=StringIO())
    tasks = make_tasks(_PER_TYPE)
    board = _opened(tasks)
    sent = [_send(maya, board, tasks, line.split("|"), seed) for seed, line in enumerate(_SYSTEMS)]
    _date_back(sent)
    return str(sent[0].pk)


def _opened(tasks: list[dict]) -> Benchmark:
    """Return the board that is photographed, opened with invented tasks; the published rows are on it."""
    with TemporaryDirectory() as folder:
        recording = Path(folder) / "fhir.ndjson"
        write_recording(recording, responses(tasks))
        references = build_references(tasks, RecordedFhir(recording))
    board = Benchmark.objects.get(slug="medagentbench-v2")
    return import_references(
        benchmark=board, references=references, origin="invented, for pictures"
    ).revision.benchmark


def _send(user: User, board: Benchmark, tasks: list[dict], facts: list[str], seed: int) -> Submission:
    document = result_file(tasks, {}, version=board.version)
    document["run"] = seed
    for result in Random(seed).sample(document["results"], int(facts[-1])):  # noqa: S311 - a picture
        result["answer"], result["post_history"] = "[0]", []
    team = personal_team(user)
    said = {key: value for key, value in zip(_KEYS, facts, strict=False) if value}
    raw = json.dumps(document).encode()
    taken = submit(
        user=user, team=team, benchmark=board, file=arrive([raw]), said=said, filename=f"run-{seed + 1}.json"
    )
    # One is left unpublished, as people do.
    if seed != len(_SYSTEMS) - 1:
        publish(submission_id=taken.submission.pk, team=team, by=user)
    return taken.submission


def _date_back(sent: list[Submission]) -> None:
    for position, submission in enumerate(sent):
        when = datetime(2026, 1, 19, 9, 40, tzinfo=UTC) + timedelta(days=29 * position, hours=position)
        Submission.objects.filter(pk=submission.pk).update(received_at=when, scored_at=when)
        Submission.objects.filter(pk=submission.pk, published_at__isnull=False).update(published_at=when)
        Standing.objects.filter(evaluation__submission=submission).update(since=when)
