"""Score one submission, as a worker does.

Usage: python -m tests.support.programs.scoring_worker SUBMISSION_ID
"""

import os
import sys
import uuid

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


def main(submission_id: str) -> None:
    import django

    django.setup()
    from leaderboard.services.submissions.grade import score

    score(submission_id=uuid.UUID(submission_id))


if __name__ == "__main__":
    main(*sys.argv[1:])
