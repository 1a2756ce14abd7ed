"""Rows that are looked at and not changed."""

from django.contrib import admin

# JSON that may tell more than a page does, and that a filter would give away letter by letter.
_UNSEARCHABLE = {"data", "progress"}
_BY_KEY = {"", "exact", "in", "isnull", "id", "id__exact", "id__in", "pk", "pk__exact", "pk__in"}


class ReadOnly(admin.ModelAdmin):
    """Rows that only the service's own steps write."""

    def lookup_allowed(self, lookup, value, request=None):
        # Django lets any column be filtered by, shown or not: `?metrics__x__startswith=` reads a hidden one.
        name, _, rest = lookup.partition("__")
        shown = {*self.list_filter, *self.fields} - _UNSEARCHABLE
        if name not in shown & {field.name for field in self.opts.get_fields()}:
            return False
        # Through a relation, `benchmark__active_revision__content` would read another table.
        return not self.opts.get_field(name).is_relation or rest in _BY_KEY

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
