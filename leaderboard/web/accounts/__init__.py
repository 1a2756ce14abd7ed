"""Pages for accounts and API tokens."""
