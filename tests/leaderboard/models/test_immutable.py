import pytest

from leaderboard.models import AuditEvent, BoardEvent, Evaluation, PastStanding, ReferenceRevision
from leaderboard.models.immutable import ImmutableError
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_scored

MODELS = [AuditEvent, Evaluation, ReferenceRevision, BoardEvent, PastStanding]


@pytest.fixture
def row(demo, user, good_file, request):
    submission = make_scored(user, demo, good_file)
    publish(submission_id=submission.pk, team=submission.team, by=user)
    return request.param.objects.order_by("pk").first()


each = pytest.mark.parametrize("row", MODELS, indirect=True)


@each
def test_a_row_is_not_saved_twice(row):
    with pytest.raises(ImmutableError):
        row.save()


@each
def test_a_row_is_not_deleted(row):
    with pytest.raises(ImmutableError):
        row.delete()
    assert type(row).objects.filter(pk=row.pk).exists()


@each
def test_rows_are_not_changed_together(row):
    rows = type(row).objects.filter(pk=row.pk)
    with pytest.raises(ImmutableError):
        rows.update(pk=row.pk)
    with pytest.raises(ImmutableError):
        rows.delete()
    with pytest.raises(ImmutableError):
        type(row).objects.bulk_update([row], ["id"])


@each
def test_a_row_is_not_updated_by_update_or_create(row):
    with pytest.raises(ImmutableError):
        type(row).objects.update_or_create(pk=row.pk, defaults={})


@pytest.mark.parametrize("row", [ReferenceRevision], indirect=True)
def test_a_board_with_a_ground_truth_cannot_be_deleted_from_under_it(row):
    from django.db.models import ProtectedError

    with pytest.raises(ProtectedError):
        row.benchmark.delete()
