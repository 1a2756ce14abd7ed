"""Plant faults in a copy of the code, one at a time, and say which test finds each: python -m tools.mutations

tools/mutations.toml lists them. A fault that no test finds is a rule that no test holds. The checkout is left
as it is. The exit code is 1 when a fault lives, 2 when the list does not fit the code.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = Path("tools/mutations.toml")
KINDS = ("rights", "limits", "grading", "ranks", "gates", "money")
# The exit codes of pytest.
_PASSED, _FAILED, _NO_TESTS = 0, 1, 5
_FIRST_FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)


class ListUnfit(Exception):
    """A mutation does not fit the code or the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """Hold a fault to plant.

    name: what goes wrong, as a sentence.
    kind: one of KINDS.
    file: from the root of the checkout.
    original: a text that stands once in the file.
    mutated: what takes its place.
    tests: files and folders of the tests that are asked.
    words: an expression for `pytest -k`; "" for all of these tests.
    """

    name: str
    kind: str
    file: str
    original: str
    mutated: str
    tests: Sequence[str]
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Hold what became of a mutation: the test that found it, "" where it lived, and seconds."""

    mutation: Mutation
    killer: str
    seconds: float


def read_mutations(root: Path = ROOT) -> list[Mutation]:
    """Return the listed mutations. Raises ListUnfit where one does not fit the code under `root`."""
    listed = tomllib.loads((root / LIST).read_text(encoding="utf-8"))["mutation"]
    mutations = [Mutation(**each) for each in listed]
    if faults := [fault for each in mutations for fault in _faults(each, root)]:
        raise ListUnfit("\n".join(faults))
    return mutations


def _faults(mutation: Mutation, root: Path) -> Iterable[str]:
    path = root / mutation.file
    times = path.read_text(encoding="utf-8").count(mutation.original) if path.is_file() else 0
    if mutation.kind not in KINDS:
        yield f"{mutation.name}: {mutation.kind} is no kind"
    if times != 1:
        yield f"{mutation.name}: the original text stands {times} times in {mutation.file}, not once"
    for name in mutation.tests:
        if not (root / name).exists():
            yield f"{mutation.name}: {name} does not exist"


def copy_of(root: Path, to: Path) -> Path:
    """Copy the files under `root` that git knows, as they are now, to a new folder `to`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout  # noqa: S603 - our own
    for name in filter(None, os.fsdecode(names).split("\0")):
        source, target = root / name, to / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    # The migrated database of earlier runs, which takes half a minute to make.
    kept = Path(".pytest_cache/d/migrated")
    if (root / kept).is_dir():
        shutil.copytree(root / kept, to / kept)
    return to


def try_out(mutation: Mutation, copy: Path) -> Outcome:
    """Plant a mutation in `copy`, ask the tests, and take it out again.

    Raises ListUnfit where they fail without the mutation too, or none is chosen.
    """
    start = time.monotonic()
    path = copy / mutation.file
    text = path.read_text(encoding="utf-8")
    _write(path, text.replace(mutation.original, mutation.mutated))
    try:
        code, output = _ask(mutation.tests, mutation.words, copy)
    finally:
        _write(path, text)
    killer = _FIRST_FAILURE.search(output)
    if code not in (_PASSED, _FAILED) or (code == _FAILED and not killer):
        reason = "no test is chosen" if code == _NO_TESTS else f"pytest ended with {code}"
        raise ListUnfit(f"{mutation.name}: {reason}\n{output[-2_000:]}")
    if killer and _ask([killer[1]], "", copy)[0] != _PASSED:
        raise ListUnfit(f"{mutation.name}: {killer[1]} fails without it, too")
    return Outcome(mutation=mutation, killer=killer[1] if killer else "", seconds=time.monotonic() - start)


def _write(path: Path, text: str) -> None:
    """Write a module so that Python compiles it anew: by time and size alone, it might look unchanged."""
    path.write_text(text, encoding="utf-8")
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


def _ask(tests: Sequence[str], words: str, copy: Path) -> tuple[int, str]:
    """Return the exit code and the output of pytest, which stops at the first failure."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-m", "not long", *tests]
    # Each start would compile every module again.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(  # noqa: S603 - our own command
        [*command, "-k", words] if words else command,
        cwd=copy,
        env={**kept, "PYTHONPATH": str(copy)},
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutations, and print what finds each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only check that the list fits the code")
    parser.add_argument(
        "word", nargs="*", help="try only mutations of this kind, or with this word in their name"
    )
    options = parser.parse_args(arguments)
    try:
        mutations = read_mutations()
        chosen = [
            each
            for each in mutations
            if not options.word or any(word in (each.kind, *each.name.split()) for word in options.word)
        ]
        lived = 0 if options.check else _try_all(chosen)
    except ListUnfit as error:
        print(error, file=sys.stderr)
        return 2
    return int(lived > 0)


def _try_all(mutations: Sequence[Mutation]) -> int:
    """Try mutations in a copy of the checkout, print a line for each, and return how many lived."""
    lived = 0
    with tempfile.TemporaryDirectory(prefix="wardboard-mutations-") as folder:
        copy = copy_of(ROOT, Path(folder) / "copy")
        for mutation in mutations:
            outcome = try_out(mutation, copy)
            lived += not outcome.killer
            result = f"killed by {outcome.killer}" if outcome.killer else "LIVED"
            print(f"{mutation.kind}: {mutation.name}: {result} ({outcome.seconds:.0f} s)", flush=True)
    print(f"{len(mutations)} mutations, {lived} lived")
    return lived


if __name__ == "__main__":
    sys.exit(main())
