"""Run the command: `wardboard`, or `python -m wardboard`."""

import sys
from pathlib import Path

# `ExitCode.FAULT`, which cannot be imported without the graders.
_FAULT = 3


def main() -> int:
    """Run the command line of the process and return the exit code: 3 where the graders are missing."""
    graders = Path(__file__).parent / "scoring"
    if not (graders / "__init__.py").is_file():
        # Python itself would end with 1 then: the file has problems.
        print(
            f"wardboard: the graders are missing, because {graders} is no folder: run `pip install .` in the "
            "folder above and call `wardboard` from elsewhere, or make the link with "
            "`ln -sfn ../scoring wardboard/scoring` there.",
            file=sys.stderr,
        )
        return _FAULT
    from wardboard.commands import main as commands  # noqa: PLC0415

    return commands.main()


if __name__ == "__main__":
    sys.exit(main())
