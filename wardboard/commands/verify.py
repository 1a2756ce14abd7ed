"""`wardboard verify`: check receipts, exports, checkpoints and logs offline."""

import sys
from pathlib import Path

import click

from wardboard.exit_codes import ExitCode
from wardboard.files.remarks import remark_lines
from wardboard.scoring import registry
from wardboard.scoring.benchmark_cli import PATH, USAGE, Failure
from wardboard.scoring.reading.problems import counted, quote
from wardboard.scoring.receipts.signatures import PublicKey, VerifierMissing
from wardboard.scoring.receipts.verification import Verification
from wardboard.scoring.receipts.verify import read_keys, verify
from wardboard.terminal import print_json, show

_KEY = "a public key that you trust (name+hash+base64), or a file with some: /api/v1/keys/ saved"
_LOG = "a log that must have what the file states"
_KEPT = "a checkpoint, a log or an export that you kept earlier, with which the log must agree"

_SIGNATURE = "of an export: what the service has at the address of the export with .sig behind its name"


def make_command() -> click.Command:
    def check(
        *,
        file: Path,
        keys: tuple[str, ...],
        log: Path | None,
        kept: tuple[Path, ...],
        signature: Path | None,
        form: str,
    ) -> int:
        try:
            verification = verify(
                _read(file),
                keys=[key for text in keys for key in _keys(text)],
                log=_read(log) if log else None,
                kept=[_read(path) for path in kept],
                signature=_read(signature) if signature else None,
                ranked={benchmark.metrics[0].key for benchmark in registry.BENCHMARKS.values()},
            )
        except VerifierMissing as error:
            raise Failure(ExitCode.FAULT, str(error)) from None
        if form == "json":
            print_json(verification.as_dict())
        else:
            show(_as_text(file.name, verification))
        return ExitCode.FILE_HAS_PROBLEMS if verification.problems else ExitCode.OK

    return click.Command(
        "verify",
        callback=check,
        help="Verify a receipt, an export, a checkpoint or a whole log, without a network.",
        params=_parameters(),
    )


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["file"], type=PATH, metavar="FILE"),
        click.Option(["--key", "keys"], multiple=True, metavar="KEY", help=_KEY),
        click.Option(["--log"], type=PATH, metavar="FILE", help=_LOG),
        click.Option(["--kept"], type=PATH, multiple=True, metavar="FILE", help=_KEPT),
        click.Option(["--signature"], type=PATH, metavar="FILE", help=_SIGNATURE),
        click.Option(
            ["--format", "form"], type=click.Choice(["text", "json"]), default="text", help="default: text"
        ),
    ]


def _read(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except (OSError, ValueError) as error:
        raise Failure(USAGE, f"cannot read {quote(str(path))}: {getattr(error, 'strerror', error)}") from None


def _keys(text: str) -> list[PublicKey]:
    try:
        # A key has two plus signs or more; anything else is the name of a file.
        return read_keys(text if text.count("+") >= 2 else _read(Path(text)).decode(errors="replace"))
    except ValueError as error:
        raise Failure(USAGE, f"--key {quote(text)}: {error}") from None


def _as_text(name: str, verification: Verification) -> str:
    total = verification.problems.total
    verdict = counted(total, "problem") if total else verification.verdict
    lines = [f"{quote(name)}: {verification.kind}, {verdict}"]
    lines += [f"  {statement}" for statement in verification.statements]
    for problem in verification.problems.listed:
        lines += ["", *remark_lines("problem", problem.as_dict())]
    return "\n".join(lines)
