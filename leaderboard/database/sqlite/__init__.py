"""Django's backend for SQLite, whose writers take turns."""
