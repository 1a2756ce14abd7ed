"""Select results of the same people, so that what holds once for a team holds once for them.

Otherwise one person with several teams would have each limit several times.
"""

from django.db.models import Q

from leaderboard.models import Submission


def of_same_senders(submission: Submission, prefix: str = "") -> Q:
    """Select what was sent by the same person or for the same team; itself included.

    prefix: of the fields of submissions.
    """
    by_person = Q(**{f"{prefix}submitted_by": submission.submitted_by_id})
    return by_person | Q(**{f"{prefix}team": submission.team_id})
