"""Put the graders of `scoring/` into the distribution of the command, as its package `wardboard.scoring`.

In a checkout, `wardboard/scoring` is a link to them. Archives of the repository, and clones of Git for
Windows, have a file of one line in its place, so the link is left out, and each file is named here. In
pyproject.toml this would hold for editable installations too, which would grade with old copies.
Source: https://hatch.pypa.io/latest/plugins/build-hook/custom/
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GradersHook(BuildHookInterface):
    """Adds the graders to a wheel, and makes sure that an editable installation finds them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise RuntimeError where the graders are missing: what is built without them runs no command."""
        root = Path(self.root)
        if version == "editable":
            if not (root / "wardboard/scoring/__init__.py").is_file():
                raise RuntimeError(
                    "wardboard/scoring is not the link to scoring/ that the repository has: install without "
                    "--editable, or make it with `ln -sfn ../scoring wardboard/scoring`"
                )
            return
        graders = root / "scoring"
        if not (graders / "__init__.py").is_file():
            raise RuntimeError("the graders are missing: the folder scoring/ belongs beside pyproject.toml")
        build_data["force_include"] |= {
            str(path): f"wardboard/{path.relative_to(root).as_posix()}"
            for path in sorted(graders.rglob("*"))
            # The service reads the compiled translations.
            if path.is_file() and path.suffix not in {".po", ".pyc"}
        }
