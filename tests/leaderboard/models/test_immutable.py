import pytest
from django.db.models import ProtectedError

from leaderboard.models import AuditEvent, BoardEvent, Evaluation, PastStanding, ReferenceRevision
from leaderboard.models.immutable import ImmutableError
from tests.support.factories import make_published

pytestmark = pytest.mark.both_databases


def test_rows_that_are_written_once_are_neither_changed_nor_deleted(demo, user, good_file):
    make_published(user, demo, good_file)
    for model in (AuditEvent, Evaluation, ReferenceRevision, BoardEvent, PastStanding):
        row = model.objects.order_by("pk").first()
        rows = model.objects.filter(pk=row.pk)
        for change in (
            row.save,
            row.delete,
            rows.delete,
            lambda rows=rows, row=row: rows.update(pk=row.pk),
            lambda model=model, row=row: model.objects.bulk_update([row], ["id"]),
            lambda model=model, row=row: model.objects.update_or_create(pk=row.pk, defaults={}),
        ):
            with pytest.raises(ImmutableError):
                change()
        assert rows.exists(), model
    with pytest.raises(ProtectedError):
        demo.delete()
