"""Create users, boards, submissions and facts in the way the service creates them."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any
from unittest.mock import patch

from allauth.account.models import EmailAddress
from django.test import Client

from leaderboard.models import (
    UNLIMITED,
    Access,
    Board,
    Feedback,
    ReviewLink,
    Role,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.networks import address_digest
from leaderboard.services.accounts import personal_team
from leaderboard.services.files import runs
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.runs import NamedFile
from leaderboard.services.files.store import FileWriter, store_file
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.publishing.import_references import Imported, import_references
from leaderboard.services.publishing.publish import publish
from leaderboard.services.publishing.review_links import token_of
from leaderboard.services.publishing.system_facts import correct_system, find_system
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions.decide import Decision
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.stated_facts import parse_stated
from leaderboard.services.submissions.submit import submit
from leaderboard.services.teams.invitations import invite, token_for
from leaderboard.services.teams.members import create_team
from wardboard.scoring.reading.limits import Limits

PASSWORD = "correct-horse-battery"


def make_user(email: str = "ada@example.org", **fields) -> User:
    return User.objects.create_user(email, PASSWORD, **fields)


def verify(user: User) -> User:
    """Give a person a verified address."""
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def client_of(user: User) -> Client:
    """Return a browser in which a person is signed in."""
    client = Client()
    client.force_login(user)
    return client


def get_user(email: str) -> User | None:
    return User.objects.filter(email=email).first()


def get_board(slug: str) -> Board | None:
    return Board.objects.filter(slug=slug).first()


@cache
def demo_references() -> Mapping[str, Any]:
    """Return the references of the fifty demonstration tasks, built from its recording."""
    from wardboard.scoring.fhir import RecordedFhir
    from wardboard.scoring.medagentbench import build_references, demo

    return build_references(json.loads(demo.TASKS.read_bytes()), RecordedFhir(demo.RECORDING))


def make_demo(slug: str = "medagentbench-demo", *, has_baseline: bool = False, **fields) -> Board:
    """Create an open board with the demonstration references, no quota and feedback by type.

    has_baseline: with the row of the do-nothing agent; without, the test's own rows and events are all.
    """
    defaults = {
        "benchmark": "medagentbench",
        "version": "demo",
        "title": "MedAgentBench demo",
        "question": "Fifty invented tasks.",
        "feedback": Feedback.BY_TYPE,
        **UNLIMITED,
        "is_demo": True,
    }
    board = Board(slug=slug, **{**defaults, **fields})
    return _import(board, demo_references(), has_baseline=has_baseline)


def _import(board: Board, references: Mapping[str, Any], *, has_baseline: bool) -> Board:
    """Import ground truth into a new board; without the baseline, it is not scored either."""
    unscored = patch("leaderboard.services.publishing.import_references.put_baselines")
    with nullcontext() if has_baseline else unscored:
        import_references(board=board, references=references, origin="tests")
    return Board.objects.get(slug=board.slug)


@cache
def fhir_references() -> Mapping[str, Any]:
    """Return the references of the sixty questions of the FHIR-AgentBench demonstration."""
    from wardboard.scoring.fhir_agentbench import demo
    from wardboard.scoring.fhir_agentbench.grading.questions_file import read_questions

    return read_questions(demo.QUESTIONS)


def make_fhir_demo(slug: str = "fhir-agentbench-demo", **fields) -> Board:
    """Create an open board of sixty questions, judged by rules unless `judge_mode` is given."""
    defaults = {
        "benchmark": "fhir-agentbench",
        "version": "demo",
        "title": "FHIR-AgentBench demo",
        "question": "Sixty invented questions.",
        **UNLIMITED,
        "is_demo": True,
        "keep_originals": False,
    }
    return _import(Board(slug=slug, **{**defaults, **fields}), fhir_references(), has_baseline=True)


def make_facts(**changes) -> dict[str, Any]:
    """Return facts about a system as a request states them."""
    return {
        "system": "Careful agent",
        "models": "model-a, model-b",
        "organisation": "Example hospital",
        "interaction": "multi-turn",
        "retrieval": "query-generator",
        "reasoning": "code",
        "open_weights": "yes",
        **changes,
    }


def parse_facts(params):
    """Return the facts about a system that a request states."""
    return parse_stated(params, files=1).facts


def with_answers(raw: bytes, **answers: str | None) -> bytes:
    """Return the result file `raw` with the answers of the named tasks changed."""
    document = json.loads(raw)
    for result in document["results"]:
        if result["task_id"] in answers:
            result["answer"] = answers[result["task_id"]]
    return json.dumps(document).encode()


def with_history(raw: bytes, task_id: str, *texts: str) -> bytes:
    """Return the result file with this conversation as the history of a task, the agent first."""
    document = json.loads(raw)
    for result in document["results"]:
        if result["task_id"] == task_id:
            result["post_history"] = [
                {"role": ("agent", "user")[place % 2], "content": text} for place, text in enumerate(texts)
            ]
    return json.dumps(document).encode()


def with_answer(raw: bytes, answer: str | None) -> bytes:
    """Return the result file `raw` with this answer to every task; 33 of its 50 sent no POST."""
    return with_answers(raw, **{result["task_id"]: answer for result in json.loads(raw)["results"]})


def with_wrong(raw: bytes, wrong: int) -> bytes:
    """Return the result file `raw` with wrong answers to its first `wrong` tasks."""
    ids = [result["task_id"] for result in json.loads(raw)["results"]]
    return with_answers(raw, **{task: f'["certainly not this: {task}"]' for task in ids[:wrong]})


def send(
    user: User,
    board: Board,
    raw: bytes | StoredFile,
    *,
    team: Team | None = None,
    key: str = "",
    filename: str = "",
    publish: bool = False,
    designate: bool = False,
    unranked: bool = False,
    address: str = "",
    acknowledgement: str = "",
    allow_empty: bool = False,
    **facts,
) -> Decision:
    """Submit a file, as the user's personal team where no other is given."""
    return submit(
        SubmissionRequest(
            user=user,
            team=team or personal_team(user),
            board=board,
            file=raw if isinstance(raw, StoredFile) else store_file([raw]),
            facts=make_facts(**facts),
            filename=filename,
            idempotency_key=key,
            publish=publish,
            designate=designate,
            unranked=unranked,
            address_digest=address_digest(address),
            acknowledgement=acknowledgement,
            allow_empty=allow_empty,
        )
    )


def send_queued(user: User, board: Board, raw: bytes, **options) -> Submission:
    """Submit `raw`, and leave it waiting to be checked or scored, as a lost job does."""
    with patch("leaderboard.services.background.enqueue"):
        return send(user, board, raw, **options).submission


def join_runs(*files) -> StoredFile:
    """Store `files` as the runs of one submission."""
    arrived = [
        NamedFile(name=f"run-{number}.json", stored=store_file([file]))
        for number, file in enumerate(files, 1)
    ]
    return runs.gather(arrived, limits=Limits(), new_writer=FileWriter)


def send_runs(user: User, board: Board, files: Sequence[bytes], **options) -> Decision:
    """Submit `files` as the runs of one submission."""
    return send(user, board, join_runs(*files), filename="run-1.json, run-2.json", **options)


def publish_runs(user: User, board: Board, files: Sequence[bytes], **options) -> Submission:
    """Publish `files` as the runs of one submission."""
    submission = send_runs(user, board, files, **options).submission
    return publish(submission_id=submission.pk, team=submission.team, by=user)


def make_scored(user: User, board: Board, raw: bytes, **facts) -> Submission:
    submission = send(user, board, raw, **facts).submission
    assert submission.status == "scored", (submission.status, submission.problems, submission.failure)
    return submission


def make_published(user: User, board: Board, raw: bytes, **facts) -> Submission:
    submission = make_scored(user, board, raw, **facts)
    return publish(submission_id=submission.pk, team=submission.team, by=user)


def publish_each(user: User, board: Board, **wrong: int) -> dict[str, Submission]:
    """Publish the demonstration's file of 47 right answers for each name, as many of its first ones wrong."""
    from wardboard.scoring.medagentbench import demo

    raw = demo.GOOD.read_bytes()
    return {
        name: make_published(user, board, with_wrong(raw, count) if count else raw, system=name)
        for name, count in wrong.items()
    }


def publish_two(user: User, board: Board) -> dict[str, Submission]:
    """Publish A with 47 right and B with 41, and compute their rank intervals."""
    published = publish_each(user, board, A=0, B=6)
    compute_statistics(board_id=board.pk)
    return published


def make_review_link(submission: Submission, **fields) -> str:
    """Create a link for reviewers, also to a result that was published since; return its token."""
    return token_of(ReviewLink.objects.create(submission=submission, **fields))


def make_team(owner: User) -> Team:
    """Return the owner's team of several people, created where there is none."""
    team = Team.objects.filter(handle="ward-lab").first()
    return team or create_team(user=owner, name="Ward Lab", handle="ward-lab")


def make_invitation_link(owner: User) -> str:
    """Invite someone to the owner's team; return the token of the link."""
    invitation = invite(team=make_team(owner), by=owner, email="new@example.org", role=Role.MEMBER)
    return token_for(invitation)


def correct_references(board: Board, **options) -> Imported:
    """Import the demonstration references with another age in task2_1, by which one right answer is wrong."""
    references = dict(demo_references())
    references["task2_1"] = dataclasses.replace(references["task2_1"], value=-1)
    result = import_references(board=board, references=references, origin="corrected", **options)
    board.refresh_from_db()
    return result


def make_form_facts(**changes) -> dict:
    """Return facts about a system as the fields of the form."""
    return {**make_facts(), "open_weights": "true", **changes}


def make_hidden(slug: str = "hidden", **fields) -> Board:
    """Create a board whose references count as hidden; it has the limits in `fields` and no others.

    Its organisers approve teams, unless `fields` say otherwise.
    """
    return make_demo(slug, **{"is_demo": False, "access": Access.APPROVED, **fields})


def make_lane(*, daily_limit: int = 24) -> tuple[Board, Board]:
    """Create a board with hidden references, and its unranked lane over other tasks; return both."""
    references = dict(demo_references())
    # The first ten of the demonstration's.
    development = {task: references.pop(task) for task in list(references)[:10]}
    boards = []
    for name, some in (("ranked", references), ("ranked-dev", development)):
        fields = {"benchmark": "medagentbench", "version": "demo", "title": f"Board {name}", "question": "?"}
        boards.append(_import(Board(slug=name, **fields, **UNLIMITED), some, has_baseline=False))
    change_settings(board=boards[1], values={"unranked_lane_of": boards[0], "daily_limit": daily_limit})
    return boards[0], Board.objects.get(slug="ranked-dev")


def make_bare(slug: str, *, benchmark: str = "fhir-agentbench", version: str = "1", title: str) -> Board:
    """Create a board without references and without rows."""
    fields = {"benchmark": benchmark, "version": version, "title": title, "question": "In words."}
    return Board.objects.create(slug=slug, **fields)


def only_tasks_of(board: Board, raw: bytes) -> bytes:
    """Return a result file with the answers to the tasks of a board alone."""
    assert board.active_revision is not None
    document, tasks = json.loads(raw), set(board.active_revision.task_ids)
    document.pop("total_tasks", None)
    document["results"] = [each for each in document["results"] if each["task_id"] in tasks]
    return json.dumps(document).encode()


def correct(user: User, **facts: Any) -> System:
    """Correct facts of the user's system at once, as on its page; by default those of `make_facts`."""
    stated = parse_facts(make_facts(**facts))
    system = find_system(team=personal_team(user), name=stated.name)
    correct_system(system_id=system.pk, team=system.team, facts=stated, by=user)
    return system


def publish_others(board: Board, raw: bytes, *wrong: int) -> None:
    """Publish a result of another team for each number of wrong answers in the file."""
    for number, count in enumerate(wrong):
        user = make_user(f"other{number}@example.org")
        make_published(user, board, with_wrong(raw, count), system=f"Other {number}")
