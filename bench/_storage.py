"""Measure the database size of one submission of 2,931 answers, scored and published.

Run it in its own process: it sets up Django on a temporary database.
"""

import os
import sys
import tempfile
from pathlib import Path

from _fhir_submission import make_questions, make_records, write_submission

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SYSTEMS = 20


def evaluation_bytes() -> float:
    """Return the bytes of SQLite per submission with its evaluation, leaderboard row and events.

    Each submission is of another system, submitted and published by the service and judged by rules. Not
    included: statistics, which are computed once for many changes, and the uploaded file, which is not in
    the database.
    """
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "SECRET_KEY": "for-the-bench, and for nothing else at all",
            "WARDBOARD_DATA": folder,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
        }
        return _measure(Path(folder))


def _measure(folder: Path) -> float:
    import django  # noqa: PLC0415 - the environment has to be set first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from leaderboard.models import UNLIMITED, Board, User  # noqa: PLC0415
    from leaderboard.services.accounts import personal_team  # noqa: PLC0415
    from leaderboard.services.background import deduplicated_statistics  # noqa: PLC0415
    from leaderboard.services.files.store import store_file  # noqa: PLC0415
    from leaderboard.services.publishing.import_references import import_references  # noqa: PLC0415
    from leaderboard.services.submissions.request import SubmissionRequest  # noqa: PLC0415
    from leaderboard.services.submissions.submit import submit  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench@example.org")
    questions = make_questions()
    board = Board(slug="bench", benchmark="fhir-agentbench", version="1", title="Bench", **UNLIMITED)
    references = {question.reference.task_id: question.reference for question in questions}
    board = import_references(board=board, references=references, origin="bench").revision.board
    file, sizes = folder / "run.json", []
    # Statistics are deferred until after the measurement, because they are not included.
    with deduplicated_statistics():
        for seed in range(SYSTEMS + 1):
            write_submission(file, make_records(questions, seed=seed))
            facts = {
                "system": f"An agent with a name {seed}",
                "models": "model-a-2026-05-01, model-b",
                "organisation": "An example hospital",
                "interaction": "multi-turn",
            }
            submit(
                SubmissionRequest(
                    user=user,
                    team=personal_team(user),
                    board=board,
                    file=store_file([file.read_bytes()]),
                    facts=facts,
                    publish=True,
                )
            )
            sizes.append(_size())
    # The first submission also fills pages that all share.
    return (sizes[-1] - sizes[0]) / SYSTEMS


def _size() -> int:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        figures = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        ]
    return (figures[0] - figures[1]) * figures[2]


if __name__ == "__main__":
    print(round(evaluation_bytes()))
