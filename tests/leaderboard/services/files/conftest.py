"""Fixtures for the tests of the store of files."""

import pytest


@pytest.fixture(autouse=True)
def new_folder(folder):
    """Use a new folder as the store in every test."""
