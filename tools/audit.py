"""Check the pinned packages for known vulnerabilities: python -m tools.audit

Exits with 1 where a package has one, and where not every package was checked. With --offline
(`make lint OFFLINE=1`) it says that nothing was audited and exits with 0, where no advisory database answers,
or where it knows no package. It asks PyPI, or the copy of OSV at --osv-url.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

_REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
_PIN = re.compile(r"^([\w.-]+)(?:\[.*?\])?==([^\s;\\]+)", re.MULTILINE)
_SECONDS = 300


def main() -> int:
    """Run pip-audit on all lock files and print what it knows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--offline", action="store_true", help="succeed where no advisory database answers")
    parser.add_argument("--osv-url", help="ask this copy of OSV, such as https://api.osv.dev/v1/query")
    options = parser.parse_args()
    service = ["--vulnerability-service", "osv", "--osv-url", options.osv_url] if options.osv_url else []
    audit: list[dict[str, object]] = []
    for pins in pinned():
        packages, reason = _ask(pins, service)
        audit += packages
        if reason:
            break
    return report(audit, reason, is_offline=options.offline)


def report(audit: list[dict[str, object]], reason: str, *, is_offline: bool) -> int:
    """Print the vulnerabilities among the packages of pip-audit; return the exit code.

    audit: the packages that a database was asked about. reason: why others are not among them; "" for all.
    """
    vulnerable = [package for package in audit if package.get("vulns")]
    unknown = [str(package["name"]) for package in audit if "skip_reason" in package]
    for package in vulnerable:
        print(f"{package['name']} {package['version']}: {json.dumps(package['vulns'])}")
    if len(unknown) == len(audit):
        reason = reason or f"the advisory database knows none of {len(audit)} packages"
        if is_offline:
            print(f"NOTHING WAS AUDITED: {reason}.")
            return 0
        print(f"Nothing was audited: {reason}. OFFLINE=1 (--offline) allows that.", file=sys.stderr)
        return 1
    print(f"{len(vulnerable)} of {len(audit) - len(unknown)} packages have known vulnerabilities.")
    if unknown and not reason:
        reason = f"the advisory database does not know {', '.join(unknown)}"
    if reason:
        print(f"Not all was audited: {reason}.", file=sys.stderr)
    return int(bool(vulnerable or reason))


def pinned() -> list[dict[str, str]]:
    """Return the versions of all lock files by package, for every system and Python.

    A package that is pinned to two versions, such as for two versions of Python, is in two mappings, since
    pip-audit takes one version of each.
    """
    versions = defaultdict(set)
    for lock in _REQUIREMENTS.glob("*.lock"):
        for name, version in _PIN.findall(lock.read_text()):
            versions[name].add(version)
    rounds = itertools.zip_longest(
        *([(name, one) for one in sorted(pins)] for name, pins in versions.items())
    )
    return [dict(filter(None, pins)) for pins in rounds]


def _ask(pins: dict[str, str], service: list[str]) -> tuple[list[dict[str, object]], str]:
    """Return the packages of pip-audit, or why there are none. Raises SystemExit where it fails itself."""
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json", *service]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        # pip-audit leaves out what a lock has for other machines than this one, such as that of the image.
        file.write("".join(f"{name}=={version}\n" for name, version in pins.items()))
        file.flush()
        command += ["--requirement", file.name, "--progress-spinner", "off"]
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return [], f"no advisory database answered within {_SECONDS} seconds"
    if done.stdout.strip():
        return json.loads(done.stdout)["dependencies"], ""
    lines = done.stderr.strip().splitlines() or ["pip-audit printed nothing"]
    if "Connection" in done.stderr or "ServiceError" in done.stderr:
        return [], f"no advisory database answers ({lines[-1]})"
    sys.exit(lines[-1])


if __name__ == "__main__":
    sys.exit(main())
