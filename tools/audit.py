"""Check the pinned packages for known vulnerabilities: python -m tools.audit

Exits with 1 where one is known, and where the lock file cannot be read. Where no advisory database answers,
it says so and exits with 0: a machine without access to one can still run `make lint`.
"""

import json
import subprocess
import sys
from pathlib import Path

_LOCK = Path(__file__).resolve().parents[1] / "requirements" / "requirements.lock"
_SECONDS = 120


def main() -> int:
    """Run pip-audit on the lock file and print what it knows."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(_LOCK), "--disable-pip"]
    command += ["--require-hashes", "--format", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"Nothing was audited: no advisory database answered within {_SECONDS} seconds.")
        return 0
    if not done.stdout.strip():
        return _report_failure(done.stderr)
    return report(json.loads(done.stdout))


def report(audit: dict[str, list[dict[str, object]]]) -> int:
    """Print the vulnerabilities in the JSON of pip-audit; return 1 where there are any."""
    packages = audit["dependencies"]
    skipped = [package for package in packages if "skip_reason" in package]
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        print(f"{package['name']} {package['version']}: {json.dumps(package['vulns'])}")
    if len(skipped) == len(packages):
        print(f"Nothing was audited: no advisory database knows any of {len(packages)} packages.")
    else:
        audited = len(packages) - len(skipped)
        print(f"{len(vulnerable)} of {audited} packages have known vulnerabilities; {len(skipped)} unknown.")
    return int(bool(vulnerable))


def _report_failure(errors: str) -> int:
    last = errors.strip().splitlines()[-1] if errors.strip() else "pip-audit printed nothing"
    if "Connection" in errors or "ServiceError" in errors:
        print(f"Nothing was audited: no advisory database answers ({last}).")
        return 0
    print(last, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
