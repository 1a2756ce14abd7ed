"""Rows that are written once."""

from typing import Any, NoReturn, TypeVar

from django.db import models

T_co = TypeVar("T_co", bound=models.Model, covariant=True)


class ImmutableError(TypeError):
    """Code tried to change or delete a row that is written once."""


class ImmutableQuerySet(models.QuerySet[T_co]):
    """Rows that can be added and read; every bulk change raises ImmutableError."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are written once")

    def delete(self) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are not deleted")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{self.model.__name__} rows are written once")


class Immutable(models.Model):
    """A row that can be added and read, never changed or deleted."""

    objects = ImmutableQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableError(f"{type(self).__name__} rows are written once")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ImmutableError(f"{type(self).__name__} rows are not deleted")
