"""Expressions that each database writes in its own way."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Aggregate, BigIntegerField, Func, TextField
from django.db.models.sql.compiler import SQLCompiler


class Unindexed(Func):
    """A column, which SQLite then does not look up in an index.

    It takes an index that fixes two columns for better than one that holds all columns of a query, though it
    has to read each row then. PostgreSQL knows how many rows have a value.
    """

    arity = 1
    template = "%(expressions)s"

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        """Write it with the operator that does nothing. https://sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_"""
        return self.as_sql(compiler, connection, template="+%(expressions)s", **context)


class KeysToJson(Aggregate):
    """All keys of a group as a JSON list, in any order."""

    function = "JSON_GROUP_ARRAY"
    output_field = TextField()

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        """Write it for PostgreSQL."""
        return self.as_sql(compiler, connection, template="JSON_AGG(%(expressions)s)::text", **context)


class KeysFromJson(Func):
    """Keys of rows from a JSON list, which is one parameter: SQLite takes only some thousands in a query."""

    template = "(SELECT value FROM json_each(%(expressions)s))"
    output_field = BigIntegerField()

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        """Write it for PostgreSQL."""
        template = "(SELECT value::bigint FROM jsonb_array_elements_text(%(expressions)s::jsonb))"
        return self.as_sql(compiler, connection, template=template, **context)
