"""The modules that a process of the service imports before it can respond, or work."""

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

_PROGRAM = """
import sys
import django
django.setup()
from leaderboard.management.commands import worker
assert "leaderboard.tasks" in sys.modules
assert "leaderboard.urls" not in sys.modules, "workers load pages"
import leaderboard.urls
from django.urls import get_resolver
get_resolver().url_patterns
libraries = {
    "pandas", "pyarrow", "vl_convert", "openai", "sentry_sdk", "opentelemetry", "scipy.special"
}
print(*sorted({"django", *libraries} & set(sys.modules)))
"""


@pytest.mark.long
def test_no_request_waits_for_imports_of_libraries_that_few_need_and_no_worker_for_pages():
    process = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == ["django"]
