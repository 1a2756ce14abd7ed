"""The result of verifying a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wardboard.scoring.reading.problems import Problem, Remarks
from wardboard.scoring.receipts.signatures import PublicKey, read_key

COMPARE_KEYS = "Compare the key with the one that the service publishes, and download the file again."


@dataclass(slots=True)
class Verification:
    """The kind of a verified file, its verdict, and the statements and problems about it.

    kind: of the file
    verdict: for a file without a problem
    statements: what holds, a sentence each
    """

    kind: str
    verdict: str = "verified"
    statements: list[str] = field(default_factory=list)
    problems: Remarks = field(default_factory=Remarks)

    def add(self, code: str, message: str, hint: str, place: str = "") -> None:
        self.problems.add(Problem(code=code, pointer=place, message=message, hint=hint))

    def as_dict(self) -> dict[str, Any]:
        problems = [problem.as_dict() for problem in self.problems.listed]
        return {
            "kind": self.kind,
            "verified": not self.problems,
            "statements": self.statements,
            "problems": {"total": self.problems.total, "listed": problems},
        }


def carried_lines(document: Mapping[str, Any]) -> list[Any]:
    """Return the public keys that came with a document, as it has them."""
    lines = document.get("keys")
    return lines if isinstance(lines, list) else []


def carried_keys(lines: Sequence[Any], verification: Verification) -> list[PublicKey]:
    """Return the keys that came with a file, and say that they prove little. Raises ValueError."""
    keys = [read_key(str(line)) for line in dict.fromkeys(lines)]
    if not keys:
        raise ValueError("no public key is known: name one with --key")
    names = " and ".join(key.text for key in keys)
    statement = f"The key came with the file: compare {names} with the one that the service publishes."
    if statement not in verification.statements:
        verification.statements.append(statement)
    return keys
