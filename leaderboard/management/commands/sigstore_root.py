"""Write the trusted root of the public Sigstore to a file, for SIGSTORE_TRUSTED_ROOT."""

import os
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = (
        "Fetch the trusted root of the public Sigstore by TUF, and write it to a file, whose path you set as "
        "SIGSTORE_TRUSTED_ROOT. The service itself fetches nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--offline", action="store_true", help="fetch nothing: take the root that the library came with"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from leaderboard.services.trusted_publishing import sigstore_library  # noqa: PLC0415
        except ImportError as error:
            raise CommandError(f"Install the extra `sigstore`: {error}") from error
        path: Path = options["path"]
        # The library keeps what it fetches below the home of the user, who may have none.
        with TemporaryDirectory() as folder:
            os.environ |= {"XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
            try:
                root = sigstore_library.production_root(offline=options["offline"])
            except sigstore_library.RootInvalid as error:
                raise CommandError(f"The trusted root was not fetched: {error}") from error
        new = path.with_name(f"{path.name}.new")
        try:
            new.write_bytes(root)
            # The service may read the file at any moment.
            new.replace(path)
        except OSError as error:
            raise CommandError(f"cannot write {path}: {error.strerror}") from error
        self.stdout.write(f"{path}: {len(root):,} bytes")
