"""Fixtures for the tests of the store of files."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    """Use a new folder as the store, and return it."""
    settings.UPLOADS = tmp_path / "uploads"
    return settings.UPLOADS
