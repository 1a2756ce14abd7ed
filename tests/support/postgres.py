"""Prints the address of a PostgreSQL that may make databases; says why and exits 1 where none answers."""

import os
import sys

import psycopg

# TEST_POSTGRES_URL first, then what a developer's machine usually has.
CANDIDATES = (
    os.environ.get("TEST_POSTGRES_URL", ""),
    "postgres://postgres@127.0.0.1:5432/postgres",
    "postgres:///postgres",
)


def main() -> int:
    why = ""
    for url in filter(None, CANDIDATES):
        try:
            with psycopg.connect(url, connect_timeout=20) as connection:
                row = connection.execute(
                    "select rolcreatedb from pg_roles where rolname = current_user"
                ).fetchone()
        except psycopg.Error as error:
            why = str(error).strip().splitlines()[0]
            continue
        if row and row[0]:
            print(url)
            return 0
        why = f"{url} may not make databases"
    print(f"Not run on PostgreSQL: {why}. TEST_POSTGRES_URL names one.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
