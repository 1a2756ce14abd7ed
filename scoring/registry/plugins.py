"""Benchmarks of other distributions, found by their entry points in the group `wardboard.benchmarks`."""

import re
from collections.abc import Collection, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from itertools import chain
from typing import NamedTuple

from wardboard.scoring.benchmark import Benchmark

GROUP = "wardboard.benchmarks"

# What addresses, options and the database take.
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_REASONS = 256


class PluginProblem(NamedTuple):
    """Why a benchmark that is installed cannot be used, in a sentence, and how to fix that."""

    message: str
    hint: str = "Update or uninstall its distribution."


class _Unusable(Exception):
    """A plugin has a fault. The text says which, as the end of a sentence that begins with the plugin."""


def load(taken: Collection[str]) -> tuple[Sequence[Benchmark], Sequence[PluginProblem]]:
    """Return the benchmarks that other distributions add, and why others cannot be used.

    Runs the code of these distributions. No fault of theirs is raised: each becomes a problem.
    taken: slugs that a plugin must not have. Of two plugins with one slug, the first by name is used.
    """
    benchmarks: dict[str, Benchmark] = {}
    problems = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, _distribution(point))):
        try:
            benchmark = _made(point)
            if faults := list(_faults(benchmark, [*taken, *benchmarks])):
                raise _Unusable(faults[0])
        except _Unusable as error:
            plugin = f"{point.name} of {_distribution(point)}"
            problems.append(PluginProblem(f"The benchmark plugin {plugin} is left out: it {error}."))
        else:
            benchmarks[benchmark.slug] = benchmark
    return list(benchmarks.values()), problems


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def _made(point: EntryPoint) -> Benchmark:
    """Import what `point` names, and return an instance of it."""
    try:
        named = point.load()
    # A module can raise anything when it is imported; SystemExit would end the service.
    except (Exception, SystemExit) as error:
        raise _Unusable(f"cannot be imported ({_in_words(error)})") from error
    # `issubclass` refuses protocols with attributes.
    if not isinstance(named, type) or Benchmark not in named.__mro__:
        raise _Unusable(f"names {point.value}, which is no subclass of wardboard.scoring.benchmark.Benchmark")
    try:
        benchmark: Benchmark = named()
        # The registry, `--help` and the start of the service ask every benchmark for these.
        cli = benchmark.cli()
        list(chain(cli.commands, cli.boards, benchmark.published_boards, benchmark.demonstrations))
        benchmark.schemas()
    except (Exception, SystemExit) as error:
        raise _Unusable(f"cannot be used ({_in_words(error)})") from error
    return benchmark


def _faults(benchmark: Benchmark, taken: Collection[str]) -> Iterator[str]:
    if absent := [name for name in Benchmark.__annotations__ if not hasattr(benchmark, name)]:
        yield f"lacks {', '.join(absent)}"
    elif len(benchmark.slug) > 40 or not _SLUG.fullmatch(benchmark.slug):
        yield f"has the slug {benchmark.slug!r}"
    elif benchmark.slug in taken:
        yield f"has the slug {benchmark.slug}, which another benchmark has"
    elif not benchmark.metrics:
        yield "has no metric"
    elif benchmark.missing not in benchmark.reasons or len(benchmark.reasons) > _MOST_REASONS:
        yield f"has reasons that cannot be stored: at most {_MOST_REASONS}, with `missing` among them"


def _in_words(error: BaseException) -> str:
    """Return the type and the text of `error` on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
