"""The collected static files."""

import logging
from functools import cache

from django.contrib.staticfiles.finders import find
from whitenoise.storage import (  # type: ignore[import-untyped]
    CompressedManifestStaticFilesStorage,
)

logger = logging.getLogger(__name__)


class LenientStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # no types
    """Store static files under names with a digest of their content.

    A file that was never collected has its plain name: a picture is missing then, not the page.
    """

    def stored_name(self, name: str) -> str:
        try:
            return str(super().stored_name(name))
        except ValueError:
            _warn_once(name)
            return name


@cache
def _warn_once(name: str) -> None:
    # WhiteNoise also asks for names that no file has.
    if find(name):
        logger.error("the static file %s was not collected: run `manage.py collectstatic`", name)
