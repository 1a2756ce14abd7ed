"""Refuse keys and tokens in the files that Git tracks: python -m tools.leaks (part of `make lint`).

detect-secrets finds them, with its rules for what issuers hand out and for random text in quotes, and with
one of our own for a key that stands on a line by itself. It prints where each one is, and never the key.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from detect_secrets.core.scan import scan_file
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.settings import transient_settings

_ROOT = Path(__file__).resolve().parent.parent
# Each holds the digests of packages.
_DIGESTS = (".lock", "package-lock.json")
# What this project has to do with: its code hosts, package index, buckets, judges and signatures.
_RULES = (
    *("AWSKeyDetector", "GitHubTokenDetector", "GitLabTokenDetector", "JwtTokenDetector"),
    *("OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector"),
)
# Tests are full of invented keys: there, a key is known by its form alone.
_RULES_OF_RANDOM_TEXT = ("Base64HighEntropyString",)
# What is no secret, in the one file that shows it: by SHA-1, because the text would be found here too.
_KNOWN = {
    # Alphabets of letters that look alike.
    "scoring/fhir_agentbench/judge/injections/detect.py": {"a99606f2d51d1b82ef4c6df1167237dbad639adf"},
    "leaderboard/services/rows/same_name.py": {"9158aa8fccef83ede8f610025e82e0ef089ae9de"},
    # The digests of two packages.
    "tools/fonts.py": {
        "022231f2bf6533107939c795257d8e4b33c3b60c",
        "16986d954f01815ddeb50afba2518878c6e0c8f4",
    },
    # Tests of what finds or hides keys: the key of AWS's documentation, and the first lines of private keys.
    "tests/scoring/traces/test_redaction.py": {
        "25910f981e85ca04baf359199dd0bd4a3ae738b6",
        "be4fc4886bd949b369d5e092eb87494f12e57e5b",
    },
    "tests/leaderboard/services/record/test_chain.py": {"1348b145fa1a555461c1b790a2f66614781091e9"},
    "tests/leaderboard/monitoring/test_log_lines.py": {"124aab041fe3009ce9578e07c669f6fd8f39093a"},
}


class BareKey(RegexBasedDetector):
    """Finds what `secret-key` and files of variables hold: a key alone on a line, or after a name."""

    secret_type = "Bare key"
    denylist = (
        re.compile(
            r"^(?:(?:export +)?\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w* *= *)?"
            r"((?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[A-Za-z0-9_+/-]{32,}=*)$"
        ),
    )


def find(names: Iterable[str], root: Path) -> Iterator[str]:
    """Yield the place and the kind of what looks like a secret in these files of `root`."""
    scanned = [name for name in names if (root / name).is_file() and not name.endswith(_DIGESTS)]
    own = {"name": BareKey.__name__, "path": Path(__file__).resolve().as_uri()}
    for in_tests, rules in ((True, _RULES), (False, (*_RULES, *_RULES_OF_RANDOM_TEXT))):
        plugins = [own, *({"name": rule} for rule in rules)]
        with transient_settings({"plugins_used": plugins, "filters_used": []}):
            for name in scanned:
                if name.startswith("tests/") is in_tests:
                    for secret in scan_file(str(root / name)):
                        if secret.secret_hash not in _KNOWN.get(name, ()):
                            yield f"{name}:{secret.line_number}: {secret.type}, SHA-1 {secret.secret_hash}"


def main(root: Path = _ROOT) -> None:
    """Print what is found in the files of a repository, and exit with 1 if there is anything."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S603
    found = list(find(listed.split("\0"), root))
    for line in found:
        print(line)
    if found:
        sys.exit(
            "A key that is committed is known to all: take it out, and replace it where it is in use. "
            "What is no key belongs into _KNOWN in tools/leaks.py."
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
