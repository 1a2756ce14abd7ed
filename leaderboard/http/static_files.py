"""The collected static files."""

import logging

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
            logger.error("the static file %s was not collected: run `manage.py collectstatic`", name)
            return name
