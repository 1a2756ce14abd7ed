"""Base classes of the admin pages: typed ones, and one for rows that only services write."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from leaderboard.models import User

M = TypeVar("M", bound=Model)

# JSON that may hold more than a page shows; filters could reveal it letter by letter.
_UNSEARCHABLE = {"data", "progress"}
_BY_KEY = {"", "exact", "in", "isnull", "id", "id__exact", "id__in", "pk", "pk__exact", "pk__in"}


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        """Django's class, which takes the model as an argument in the type checker only."""

        def __class_getitem__(cls, model: object) -> type[admin.ModelAdmin]:
            return cls


def refuse_extremes(admin_view: Callable[..., Callable[..., HttpResponse]]) -> Callable[..., Any]:
    """Let the pages of the admin site answer 400 to values that no query can hold.

    PostgreSQL takes no NUL character, SQLite no number of over 64 bits, and Python no year but 1 to 9999.
    """

    @wraps(admin_view)
    def wrap(view: Callable[..., HttpResponse], cacheable: bool = False) -> Callable[..., HttpResponse]:
        inner = admin_view(view, cacheable)

        @wraps(inner)
        def refuse(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            values = (value for _, of_name in request.GET.lists() for value in of_name)
            # The path may hold a text key.
            if any("\0" in text for text in (request.path, *values)):
                raise BadRequest("a NUL in the address")
            try:
                return inner(request, *args, **kwargs)
            except OverflowError as error:
                raise BadRequest("a number that is too large") from error
            except ValueError as error:
                # Django does not say which ValueError it is: without a filter by year it is a fault of ours.
                if not _filters_by_year(request):
                    raise
                raise BadRequest("a year that no date has") from error

        return refuse

    return wrap


def _filters_by_year(request: HttpRequest) -> bool:
    """Return whether a parameter is a lookup such as `date_joined__year` or `date_joined__iso_year__gte`."""
    return any({"year", "iso_year"}.intersection(name.split("__")[1:]) for name in request.GET)


def signed_in_user(request: HttpRequest) -> User:
    """Return the organiser who sent a request; the admin site lets in nobody else."""
    if not request.user.is_authenticated:
        raise PermissionDenied
    return request.user


class ReadOnlyAdmin(ModelAdmin[M]):
    """Show rows but cannot change them. Subclasses set `fields` and `list_filter`."""

    fields: ClassVar[tuple[str, ...]] = ()
    list_filter: ClassVar[tuple[Any, ...]] = ()

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        # Django filters by any column, shown or not: `?metrics__x__startswith=` would read a hidden one.
        name, _, rest = lookup.partition("__")
        visible = {*self.list_filter, *self.fields} - _UNSEARCHABLE
        if name not in visible & {field.name for field in self.opts.get_fields()}:
            return False
        # Through a relation, `benchmark__active_revision__content` would read another table.
        return not self.opts.get_field(name).is_relation or rest in _BY_KEY

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False
