"""Walk the documented steps with the generated client: python use_client.py SERVICE FILE BROKEN_FILE.

The token is in TOKEN. Nothing is cast.

It is copied beside the package `wardboard_client`, where mypy checks it, also that a line fails that must,
and the tests run it against a service.
"""

import json
import os
import sys
import time
from io import BytesIO
from pathlib import Path
from uuid import UUID

from wardboard_client import AuthenticatedClient, Client
from wardboard_client.api.benchmarks import get_benchmark, get_leaderboard, list_benchmarks
from wardboard_client.api.submissions import get_submission, list_submissions, publish_submission, submit
from wardboard_client.api.validations import validate
from wardboard_client.models import (
    Benchmarks,
    Board,
    CheckFields,
    ProblemDocument,
    Status,
    Submission,
    SubmissionPage,
    SubmitFields,
    Validation,
)
from wardboard_client.types import File, Response

BOARD = "medagentbench-demo"


def explain(answer: object) -> str:
    if isinstance(answer, ProblemDocument):
        return f"{answer.status} {answer.code}: {answer.detail} {answer.hint}"
    return f"unexpected: {answer!r}"


def slugs(client: Client) -> list[str]:
    found = list_benchmarks.sync(client=client)
    if not isinstance(found, Benchmarks):
        raise SystemExit(explain(found))
    return [board.slug for board in found.results]


def code_of_unknown(client: Client) -> str | None:
    answer = get_benchmark.sync("none", client=client)
    return answer.code if isinstance(answer, ProblemDocument) else None


def names(client: Client) -> list[str]:
    board = get_leaderboard.sync(BOARD, client=client, per_page=10)
    if not isinstance(board, Board):
        raise SystemExit(explain(board))
    return [row.system.name for row in board.rows]


def as_file(path: Path) -> File:
    return File(payload=BytesIO(path.read_bytes()), file_name=path.name)


def check(client: AuthenticatedClient, path: Path) -> Validation | ProblemDocument:
    answer = validate.sync(client=client, body=CheckFields(file=as_file(path), benchmark=BOARD))
    if isinstance(answer, Validation | ProblemDocument):
        return answer
    raise SystemExit(explain(answer))


def codes(problem: ProblemDocument) -> set[str]:
    return {each.code for each in problem.problems or []}


def send(client: AuthenticatedClient, path: Path) -> Response[Submission | ProblemDocument]:
    fields = SubmitFields(
        file=as_file(path), benchmark=BOARD, system="Generated", models="one, two", open_weights=True
    )
    return submit.sync_detailed(client=client, body=fields)


def wait_for_score(client: AuthenticatedClient, submission_id: UUID) -> Submission:
    for _ in range(60):
        submission = get_submission.sync(submission_id, client=client, wait=10)
        if isinstance(submission, Submission) and submission.status is Status.SCORED:
            return submission
        time.sleep(1)
    raise SystemExit("no score")


def publish(client: AuthenticatedClient, submission_id: UUID) -> bool:
    answer = publish_submission.sync(submission_id, client=client)
    if not isinstance(answer, Submission):
        raise SystemExit(explain(answer))
    return answer.published


def own(client: AuthenticatedClient) -> list[UUID]:
    page = list_submissions.sync(client=client, per_page=1, status=Status.SCORED)
    if not isinstance(page, SubmissionPage):
        raise SystemExit(explain(page))
    return [line.id for line in page.results]


def main() -> None:
    service, path, broken = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    visitor = Client(base_url=service)
    client = AuthenticatedClient(base_url=service, token=os.environ["TOKEN"])
    good, bad = check(client, path), check(client, broken)
    sent, again = send(client, path), send(client, path)
    if not isinstance(sent.parsed, Submission):
        raise SystemExit(explain(sent.parsed))
    submission = wait_for_score(client, sent.parsed.id)
    report = {
        "slugs": slugs(visitor),
        "valid": isinstance(good, Validation) and good.valid,
        "refused": bad.code if isinstance(bad, ProblemDocument) else None,
        "problems": isinstance(bad, ProblemDocument) and len(codes(bad)) > 0,
        "unknown": code_of_unknown(visitor),
        "repeated": [again.status_code, again.headers["Idempotent-Replayed"]],
        "published": publish(client, submission.id),
        "score": submission.result.score if submission.result else None,
        "listed": [each == submission.id for each in own(client)],
        "names": names(visitor),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
