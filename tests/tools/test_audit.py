"""The audit fails for a known vulnerability, and says where nothing could be audited."""

import pytest

from tools import audit

SAFE = {"name": "a", "version": "1", "vulns": []}
VULNERABLE = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "code", "text"),
    [
        ([SAFE], 0, "0 of 1 packages have known vulnerabilities"),
        ([SAFE, UNKNOWN], 0, "1 unknown"),
        ([SAFE, VULNERABLE, UNKNOWN], 1, "CVE-1"),
        ([UNKNOWN], 0, "Nothing was audited"),
    ],
)
def test_the_exit_code_follows_the_known_vulnerabilities(capsys, packages, code, text):
    assert audit.report({"dependencies": packages}) == code
    assert text in capsys.readouterr().out
