"""What is kept of the files of a team and of a leaderboard, and the limits on it."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Status, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import StorageSpent
from leaderboard.services.files import installation, orphans, store
from leaderboard.services.submissions import quotas
from leaderboard.services.submissions.quotas import LimitKind
from leaderboard.services.teams import members
from tests.support.factories import send, with_wrong
from wardboard.scoring.reading.limits import MIB

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("folder")]

HOUR = timedelta(hours=1)


def limits_of(board, user) -> dict[LimitKind, tuple[int, int]]:
    allowance = quotas.allowance(board, personal_team(user), user, timezone.now())
    return {limit.kind: (limit.used, limit.allowed) for limit in allowance.limits}


def stored_bytes(folder) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.*"))


@pytest.mark.parametrize("keeps_originals", [True, False])
def test_what_a_scored_file_takes_is_counted(demo, user, good_file, folder, keeps_originals):
    type(demo).objects.update(keep_originals=keeps_originals)
    demo.refresh_from_db()
    submission = send(user, demo, good_file).submission
    assert submission.kept_bytes == stored_bytes(folder) > 0
    assert limits_of(demo, user) == {LimitKind.STORAGE: (submission.kept_bytes, 5 * 1024 * MIB)}
    rejected = send(user, demo, b'{"version": "demo"}').submission
    assert rejected.status == Status.REJECTED
    assert stored_bytes(folder) == submission.kept_bytes
    assert rejected.kept_bytes >= len(json.dumps(rejected.problems)) > 0, "its report counts"


def test_another_team_and_closing_it_give_a_person_no_more_room(demo, user, lab, good_file, settings):
    kept = send(user, demo, good_file, team=lab).submission.kept_bytes
    members.close(team=lab, by=user)
    assert limits_of(demo, user)[LimitKind.STORAGE][0] == kept
    settings.UPLOAD_TEAM_BYTES = kept
    with pytest.raises(StorageSpent):
        send(user, demo, with_wrong(good_file, 1))


def test_a_team_over_its_limit_is_refused_and_others_are_not(demo, user, other_user, good_file, settings):
    kept = send(user, demo, good_file).submission.kept_bytes
    another = with_wrong(good_file, 1)
    settings.UPLOAD_TEAM_BYTES = kept + len(another) - 1
    with pytest.raises(StorageSpent, match="files of your team take") as refused:
        send(user, demo, another)
    assert [problem.code for problem in refused.value.problems] == ["storage.spent"]
    assert Submission.objects.count() == 1
    assert len({store.file_id_of(entry.name) for entry in store.entries()}) == 1, (
        "the refused file is not kept"
    )
    assert send(other_user, demo, another).created
    # The same bytes take no more room.
    assert not send(user, demo, good_file).created


@pytest.mark.parametrize("in_bucket", [False, True])
def test_files_are_kept_as_long_as_documented_and_counted_until_then(
    demo, user, good_file, folder, monkeypatch, request, in_bucket
):
    if in_bucket:
        request.getfixturevalue("bucket")
    monkeypatch.setattr(orphans, "ORPHANED_AFTER", timedelta(hours=-1))
    scored = send(user, demo, good_file).submission
    stopped = send(user, demo, with_wrong(good_file, 1)).submission
    installation.check()
    # As a row is that was stored before anything was counted.
    Submission.objects.filter(pk=scored.pk).update(kept_bytes=0)
    two_weeks_ago = timezone.now() - timedelta(days=14)
    rows = Submission.objects.filter(pk=stopped.pk)
    rows.update(status=Status.CANCELLED, evaluation=None, scored_at=None, moved_at=two_weeks_ago + HOUR)
    orphans.clear()
    kept = {row.pk: row.kept_bytes for row in Submission.objects.all()}
    assert kept == {scored.pk: scored.kept_bytes, stopped.pk: stopped.kept_bytes}
    rows.update(moved_at=two_weeks_ago - HOUR)
    type(demo).objects.update(keep_originals=False)
    orphans.clear()
    (left,) = (entry for entry in store.entries())
    assert left.name == f"{scored.stored_as}.kept"
    kept = {row.pk: row.kept_bytes for row in Submission.objects.all()}
    assert kept == {scored.pk: left.size, stopped.pk: 0}
