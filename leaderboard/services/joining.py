"""Sentences and names one after the other, with between them what the language of the page has there."""

from collections.abc import Iterable

from django.utils.translation import gettext as _


def between_sentences() -> str:
    """Return what stands between two sentences: a space, or nothing."""
    return _("%(one)s %(other)s") % {"one": "", "other": ""}


def sentences(said: Iterable[str]) -> str:
    """Return sentences as a text; empty ones are left out."""
    return between_sentences().join(filter(None, said))


def listed(names: Iterable[str]) -> str:
    """Return names as a list within a sentence."""
    return (_("%(one)s, %(other)s") % {"one": "", "other": ""}).join(names)


def listed_apart(names: Iterable[str]) -> str:
    """Return names that may have commas of their own as a list."""
    return (_("%(one)s; %(other)s") % {"one": "", "other": ""}).join(names)
