"""Sessions in the database, as Django keeps them."""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Takes a key that cannot be one of ours for none: PostgreSQL refuses a query with a NUL character."""

    def __init__(self, session_key: str | None = None) -> None:
        is_ours = session_key is not None and session_key.isascii() and session_key.isalnum()
        super().__init__(session_key if is_ours else None)
