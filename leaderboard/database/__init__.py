"""How long who waits for the database. Django finds the backend for PostgreSQL in base.py."""
