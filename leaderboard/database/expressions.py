"""Expressions that each database writes in its own way."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func
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
