"""Benchmarks of other distributions, found by their entry points in the group `wardboard.benchmarks`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from itertools import chain

from wardboard.scoring.benchmark import Benchmark

GROUP = "wardboard.benchmarks"

# What addresses, options and the database take.
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_SLUG = 40
_MOST_REASONS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginProblem:
    """Why a benchmark that is installed cannot be used.

    - plugin: its entry point and its distribution, such as `exact-match of exact-match-benchmark 1.0`
    - message: a sentence that names the plugin
    - hint: how to fix it, a sentence
    """

    plugin: str
    message: str
    hint: str


class _Unusable(Exception):
    """A plugin has a fault. The text says which, as the end of a sentence that begins with the plugin."""

    def __init__(self, fault: str, hint: str) -> None:
        super().__init__(fault)
        self.hint = hint


def load(taken: Collection[str]) -> tuple[Sequence[Benchmark], Sequence[PluginProblem]]:
    """Return the benchmarks that other distributions add, and why others cannot be used.

    Runs the code of these distributions. No fault of theirs is raised: each becomes a problem.
    taken: slugs that a plugin must not have. Of two plugins with one slug, the first by name is used.
    """
    benchmarks: dict[str, Benchmark] = {}
    problems = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, _distribution(point))):
        plugin = f"{point.name} of {_distribution(point)}"
        try:
            benchmark = _checked(_made(point), [*taken, *benchmarks])
        except _Unusable as error:
            message = f"The benchmark plugin {plugin} is left out: it {error}."
            problems.append(PluginProblem(plugin=plugin, message=message, hint=error.hint))
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
        raise _Unusable(
            f"cannot be imported ({_in_words(error)})", "Update or uninstall its distribution."
        ) from error
    # `issubclass` refuses protocols with attributes.
    if not isinstance(named, type) or Benchmark not in named.__mro__:
        raise _Unusable(
            f"names {point.value}, which is no subclass of wardboard.scoring.benchmark.Benchmark",
            "Name the class of the benchmark in the entry point, as `package.module:Class`.",
        )
    try:
        benchmark: Benchmark = named()
        # The registry, `--help` and the start of the service ask every benchmark for these.
        cli = benchmark.cli()
        list(chain(cli.commands, cli.boards, benchmark.published_boards, benchmark.demonstrations))
        benchmark.schemas()
    except (Exception, SystemExit) as error:
        raise _Unusable(
            f"cannot be used ({_in_words(error)})",
            f"Write all members that wardboard.scoring.benchmark.Benchmark requires in {point.value}.",
        ) from error
    return benchmark


def _checked(benchmark: Benchmark, taken: Collection[str]) -> Benchmark:
    absent = [name for name in Benchmark.__annotations__ if not hasattr(benchmark, name)]
    if absent:
        raise _Unusable(f"lacks {', '.join(absent)}", "Give the class a value for each of them.")
    if len(benchmark.slug) > _LONGEST_SLUG or not _SLUG.fullmatch(benchmark.slug):
        raise _Unusable(
            f"has the slug {benchmark.slug!r}",
            f"Use lower-case letters, digits and single hyphens, {_LONGEST_SLUG} characters at most.",
        )
    if benchmark.slug in taken:
        raise _Unusable(
            f"has the slug {benchmark.slug}, which another benchmark has", "Uninstall one of the two."
        )
    if not benchmark.metrics:
        raise _Unusable("has no metric", "Give it at least one: the first ranks a leaderboard.")
    if benchmark.missing not in benchmark.reasons or len(benchmark.reasons) > _MOST_REASONS:
        raise _Unusable(
            "has reasons that cannot be stored",
            f"List at most {_MOST_REASONS} reasons, with `missing` among them.",
        )
    return benchmark


def _in_words(error: BaseException) -> str:
    """Return the type and the text of `error` on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
