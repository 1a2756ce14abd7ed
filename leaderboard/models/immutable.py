"""Rows that are written once."""

from django.db import models


class ImmutableError(TypeError):
    """Somebody tried to change or delete a row that is written once."""


class ImmutableQuerySet(models.QuerySet):
    def update(self, **kwargs):
        raise ImmutableError(f"{self.model.__name__} rows are written once")

    def delete(self):
        raise ImmutableError(f"{self.model.__name__} rows are not deleted")

    def bulk_update(self, objs, fields, batch_size=None):
        raise ImmutableError(f"{self.model.__name__} rows are written once")


class Immutable(models.Model):
    """A row that can be added and read, never changed or deleted."""

    objects = ImmutableQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args, **kwargs):
        if not self._state.adding:
            raise ImmutableError(f"{type(self).__name__} rows are written once")
        super().save(*args, **kwargs)

    def delete(self, *args, **kwargs):
        raise ImmutableError(f"{type(self).__name__} rows are not deleted")
