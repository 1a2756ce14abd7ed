"""Copies of an installation: backup, restore, and the move from SQLite to PostgreSQL."""
