"""Where a problem or a warning of the API is, for people."""

from collections.abc import Mapping
from typing import Any

# Problems whose codes begin so are those of a CI job's ID token, and not of a file.
OF_ID_TOKEN = "id-token."


def place_of(problem: Mapping[str, Any]) -> str:
    """Return the place in a file as people look for it, or else the pointer, or what has the problem."""
    return problem.get("where") or problem["pointer"] or subject_of(problem)


def subject_of(problem: Mapping[str, Any]) -> str:
    """Return what has a problem that is at no single place."""
    return "ID token" if problem["code"].startswith(OF_ID_TOKEN) else "whole file"
