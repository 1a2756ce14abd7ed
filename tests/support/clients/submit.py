"""Submit a file with the client that openapi-python-client generates: python submit.py SERVICE FILE BROKEN.

The token is in TOKEN. The tests copy it beside the package `wardboard_client`.
"""

import json
import os
import sys
from io import BytesIO
from pathlib import Path

from wardboard_client import AuthenticatedClient, Client
from wardboard_client.api.benchmarks import get_leaderboard
from wardboard_client.api.submissions import get_submission, publish_submission, submit, submit_body
from wardboard_client.api.validations import validate
from wardboard_client.models import CheckForm, ProblemDocument, PublishForm, SubmitForm
from wardboard_client.types import File

BOARD = "medagentbench-demo"


def as_file(path: str) -> File:
    return File(payload=BytesIO(Path(path).read_bytes()), file_name=Path(path).name)


def main() -> None:
    service, good, broken = sys.argv[1:]
    client = AuthenticatedClient(base_url=service, token=os.environ["TOKEN"])
    refused = validate.sync(client=client, body=CheckForm(file=as_file(broken), benchmark=BOARD))
    assert isinstance(refused, ProblemDocument), refused
    form = SubmitForm(file=as_file(good), benchmark=BOARD, system="Generated", models="one, two")
    sent = submit.sync(client=client, body=form)
    raw = submit_body.sync_detailed(
        client=client, body=as_file(good), benchmark=BOARD, system="Generated", models="one, two"
    )
    scored = get_submission.sync(sent.id, client=client, wait=30)
    published = publish_submission.sync(sent.id, client=client, body=PublishForm())
    board = get_leaderboard.sync(BOARD, client=Client(base_url=service))
    report = {
        "refused": [refused.code, len(refused.problems) > 0],
        "again": [raw.status_code, raw.headers["Idempotent-Replayed"], raw.parsed.id == sent.id],
        "score": scored.result.score,
        "published": published.published,
        "rows": [row.system.name for row in board.rows],
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
