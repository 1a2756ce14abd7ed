"""`wardboard verify`: check receipts, exports and logs offline."""

import sys
from pathlib import Path
from typing import Any

import click

from wardboard.exit_codes import ExitCode
from wardboard.scoring.benchmark_cli import PATH, USAGE, Failure
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.receipts.signatures import NotVerified, VerifierMissing, read_keys
from wardboard.scoring.receipts.verify import verify as statements_of
from wardboard.terminal import print_json, show

_HINT = "If it stays so when you download it again, ask the organisers, and show them what you kept."


@click.command(help="Verify a receipt, an export or a whole log, without a network.")
@click.argument("file", type=PATH, metavar="FILE")
@click.option("--key", "keys", multiple=True, help="a public key that you trust, or /api/v1/keys/ saved")
@click.option(
    "--kept", type=PATH, multiple=True, help="a head, receipt or log, with which this log must agree"
)
@click.option("--signature", type=PATH, help="of an export: from its address with .sig behind the name")
@click.option("--json", "as_json", is_flag=True, help="print what was found as JSON")
def verify(
    file: Path, keys: tuple[str, ...], kept: tuple[Path, ...], signature: Path | None, *, as_json: bool
) -> int:
    statements: list[str] = []
    problem: dict[str, Any] | None = None
    try:
        statements = statements_of(
            _read(file),
            keys=[key for text in keys for key in _keys(text)],
            kept=[_read(path) for path in kept],
            signature=_read(signature) if signature else None,
        )
    except VerifierMissing as error:
        raise Failure(ExitCode.FAULT, str(error)) from None
    except NotVerified as error:
        problem = {"code": error.code, "pointer": error.place, "line": error.line, "message": str(error)}
    if as_json:
        print_json({"verified": problem is None, "statements": statements, "problem": problem})
    elif problem:
        show(f"{quote(file.name)}: not verified\n\nproblem  {problem['code']}  {problem['pointer']}")
        show(f"  {problem['message']}\n  {_HINT}")
    else:
        show("\n  ".join([f"{quote(file.name)}: verified", *statements]))
    return ExitCode.FILE_HAS_PROBLEMS if problem else ExitCode.OK


def _read(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except (OSError, ValueError) as error:
        raise Failure(USAGE, f"cannot read {quote(str(path))}: {getattr(error, 'strerror', error)}") from None


def _keys(text: str) -> list[str]:
    try:
        return read_keys(_read(Path(text)).decode(errors="replace") if Path(text).exists() else text)
    except ValueError as error:
        raise Failure(USAGE, f"--key {quote(text)}: {error}") from None
