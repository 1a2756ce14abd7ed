import pytest

from leaderboard.models import AuditEvent, BoardEvent, Evaluation, PastStanding, ReferenceRevision
from leaderboard.models.immutable import ImmutableError
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases

MODELS = [AuditEvent, Evaluation, ReferenceRevision, BoardEvent, PastStanding]


@shared_rows
def key() -> int:
    return make_published(make_user(), make_demo(), GOOD.read_bytes()).pk


@pytest.fixture
def row(key, db, request):
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
        row.board.delete()
