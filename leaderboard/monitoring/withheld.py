"""What logs, traces and reports of errors must not carry: secrets, answers and references.

The text of an exception may quote a file or a hidden reference (`KeyError: '<answer>'`). So it is printed
only for the classes listed here, whose text is about the service. Frames of a traceback are code, and safe.
"""

import re
import traceback

# These have causes outside the service: a client that went away, a database that does not answer. By name:
# this module is loaded before Django.
_EXPECTED = {
    "builtins.ConnectionError",
    "builtins.TimeoutError",
    "django.http.request.UnreadablePostError",
    "django.db.utils.InterfaceError",
    "django.db.utils.OperationalError",
}
# Their texts name identifiers, paths and settings.
_ABOUT_CODE = {
    "builtins.AttributeError",
    "builtins.ImportError",
    "builtins.NameError",
    "builtins.OSError",
    "django.core.exceptions.ImproperlyConfigured",
    "leaderboard.services.errors.ServiceError",
}
_LONGEST = 300  # characters of an exception's text
_SHORTEST_QUOTE = 4  # a shorter text of an exception is not looked for in messages

# Each with what is kept of it.
_SECRETS = (
    # API tokens, and whatever a header authorizes with.
    (re.compile(r"\bwb_\w{8,}"), "wb_[hidden]"),
    # ID tokens of CI jobs: three parts in base64url, of which the first begins a JSON object.
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]*\.[\w-]*"), "eyJ[hidden]"),
    (re.compile(r"\b(Bearer|Basic|Token)\s+[\w.~+/=-]{8,}", re.IGNORECASE), r"\1 [hidden]"),
    # Links of emails, which reset a password, confirm an address or switch emails off.
    (re.compile(r"(/(?:reset/key|confirm-email|emails/off)/)[^/\s\"'?]+"), r"\1[hidden]"),
    # Links by which reviewers see results that are not public.
    (re.compile(r"(/review/)[^/\s\"'?]{16,}"), r"\1[hidden]"),
    # Links by which people join a team, also where sign-in is to lead back to one.
    (re.compile(r"(teams(?:/|%2F)join(?:/|%2F))[^/\s\"'?&]+"), r"\1[hidden]"),
    # Passwords in the address of a database.
    (re.compile(r"(\w://[^\s:/@]*:)[^\s@/]+(@)"), r"\1[hidden]\2"),
    (re.compile(r"\b(csrftoken|sessionid|csrfmiddlewaretoken)=[^;&\s]+"), r"\1=[hidden]"),
    (re.compile(r"\b(sk-)[\w-]{8,}"), r"\1[hidden]"),
)


def hide_secrets(text: str) -> str:
    """Replace tokens, links that reset a password, and passwords in addresses."""
    for pattern, kept in _SECRETS:
        text = pattern.sub(kept, text)
    return text


def is_expected(error: BaseException) -> bool:
    """Return whether an error is of the network or the database, and so needs no traceback."""
    return not _names(error).isdisjoint(_EXPECTED)


def describe(error: BaseException) -> str:
    """Return the class of an error, with the first line of its text where it cannot quote a file."""
    name = type(error).__name__
    if _names(error).isdisjoint(_EXPECTED | _ABOUT_CODE):
        return name
    lines = str(error).strip().splitlines()
    return f"{name}: {lines[0][:_LONGEST]}" if lines else name


def without_text(message: str, error: BaseException) -> str:
    """Return a log message without the text of its error, unless that text is about the service."""
    if not _names(error).isdisjoint(_EXPECTED | _ABOUT_CODE):
        return message
    for quote in sorted({repr(error), str(error)}, key=len, reverse=True):
        if len(quote) >= _SHORTEST_QUOTE:
            message = message.replace(quote, type(error).__name__)
    return message


def format_trace(error: BaseException) -> str:
    """Return the traceback of an error and its causes, without messages that could quote a file."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    traces = []
    for each in reversed(chain):
        frames = "".join(traceback.format_tb(each.__traceback__))
        traces.append(f"Traceback (most recent call last):\n{frames}{describe(each)}")
    return "\n\nwhich led to:\n\n".join(traces)


def _names(error: BaseException) -> set[str]:
    return {f"{parent.__module__}.{parent.__qualname__}" for parent in type(error).__mro__}
