"""Run commands of manage.py one after another in one process: loading the service takes longer than most.

A line of standard input is a JSON list, the arguments. A line of standard output is a JSON object with what a
process of its own would leave: `returncode`, `stdout` and `stderr`.
"""

import io
import json
import os
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


def run(arguments: list[str]) -> dict[str, str | int]:
    code: str | int | None = 0
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            execute_from_command_line(["manage.py", *arguments])
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
    if isinstance(code, str):
        return {"returncode": 1, "stdout": out.getvalue(), "stderr": f"{err.getvalue()}{code}\n"}
    return {"returncode": code or 0, "stdout": out.getvalue(), "stderr": err.getvalue()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
