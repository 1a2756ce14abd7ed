"""Run the command as `python -m wardboard`."""

import sys

from wardboard.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
