"""Find systems that took the name of another team's system, or one that looks the same."""

import uuid
from collections import defaultdict
from collections.abc import Iterable

from leaderboard.models import Standing, Status, Submission, System
from leaderboard.services.rows.same_name import is_same_name, name_keys


def systems_of_same_name(submission: Submission) -> list[System]:
    """Return the systems of others on the submission's board whose names look like that of its system."""
    own, board = submission.system, submission.board_id
    others = [
        pk
        for pk, name, team in _systems_by_board([board])[board]
        if team != own.team_id and is_same_name(name, own.name)
    ]
    return list(System.objects.filter(pk__in=others).select_related("team").order_by("pk"))


def first_files_of_namesakes() -> list[uuid.UUID]:
    """Return the first submission of each system that came after a system of another team and of its name."""
    files: list[uuid.UUID] = []
    for board, systems in _systems_by_board().items():
        first_teams: dict[str, int | None] = {}
        for pk, name, team in sorted(systems, key=lambda system: system[0]):
            # All keys are noted, before any is looked at.
            firsts = [first_teams.setdefault(key, team) for key in name_keys(name)]
            if any(first != team for first in firsts):
                rows = Submission.objects.filter(board=board, system=pk).order_by("received_at", "pk")
                files += rows.exclude(status=Status.REJECTED).values_list("pk", flat=True)[:1]
    return files


def _systems_by_board(boards: Iterable[int] | None = None) -> dict[int, set[tuple[int, str, int | None]]]:
    """Return the systems that a file was scored of on each board, or that have a row there.

    Each with its key, its name and its team: None for one known from a publication.
    """
    chosen = {} if boards is None else {"board__in": boards}
    files = Submission.objects.filter(**chosen).exclude(status=Status.REJECTED)
    columns = ("board", "system", "system__name", "system__team")
    found: dict[int, set[tuple[int, str, int | None]]] = defaultdict(set)
    for rows in (files, Standing.objects.filter(**chosen)):
        for board, pk, name, team in rows.order_by().values_list(*columns).distinct():
            found[board].add((pk, name, team))
    return found
