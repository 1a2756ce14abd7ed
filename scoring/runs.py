"""Read and score several complete runs of one system as one submission."""

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from math import fsum
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast

from wardboard.scoring.answer_forms import MOST_SECONDS as MOST_SECONDS_FOR_FORMS
from wardboard.scoring.answer_forms import join_forms
from wardboard.scoring.benchmark import Benchmark, Progress, Reading, RepeatedRun, Watch
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.reading.archives import run_names
from wardboard.scoring.reading.codes import RulesCode, RunsCode
from wardboard.scoring.reading.formats.attempts import are_attempt_lines
from wardboard.scoring.reading.formats.log_facts import joined
from wardboard.scoring.reading.limits import MIB, MOST_LISTED, Limits
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.places import MOST_SECONDS, SECONDS_FOR_WARNINGS, add_places
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid, quote, quoted_list
from wardboard.scoring.statistics.runs import RunSpread, run_spread
from wardboard.scoring.trace import TraceCollector, TraceExtent
from wardboard.scoring.verdicts import Rate, Scorecard, known_mean

MOST_RUNS = 10
_IN_MEMORY = 8 * MIB
_Spool = AbstractContextManager[BinaryIO]
_LENGTH_BYTES = 4  # bytes of the length before the details of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReading:
    """A file of one of several runs. answers: as `digest_answers` returns it"""

    reading: Reading
    answers: bytes

    @property
    def times(self) -> tuple[int, int] | None:
        """When its first attempt began and its last one ended; None where the file states no time."""
        facts = self.reading.log_facts
        return None if facts.first is None or facts.last is None else (facts.first, facts.last)


_encoder = json.JSONEncoder(sort_keys=True, default=str, ensure_ascii=False)
# What stands between words: escapes of white space, also in JSON in a text, and all but letters and digits.
_BETWEEN = re.compile(r"\\+(?:[bfnrt]|u00[01].)?|[^\w\\]+")


def encode_answer(benchmark: Benchmark, record: Any) -> bytes | None:
    """Return the words of what is graded of a record, without case and punctuation; None for no answer."""
    graded = benchmark.graded_part(record)
    if graded is None:
        return None
    return " ".join(_BETWEEN.sub(" ", _encoder.encode(graded)).casefold().split()).encode()


def public_digest(answer: bytes) -> str:
    """Return four hexadecimal digits, of 65,536 values, of an answer from `encode_answer`."""
    return hashlib.sha256(answer).hexdigest()[:4]


def digest_answers(benchmark: Benchmark, records: Iterable[Any]) -> bytes:
    """Return a SHA-256 of the words of all that is graded of `records`, whatever their order.

    A record without an answer counts as one that is missing, as for the score.
    """
    digests = []
    for record in records:
        answer = encode_answer(benchmark, record)
        if answer is not None:
            task = hashlib.sha256(record.task_id.encode(errors="surrogatepass")).digest()
            digests.append(hashlib.sha256(task + answer).digest())
    return hashlib.sha256(b"".join(sorted(digests))).digest()


def read_with_places(
    benchmark: Benchmark,
    file: BinaryIO,
    *,
    limits: Limits,
    quotes: bool = True,
    keep: BinaryIO | None = None,
    has_forms: bool = False,
    has_trace: bool = False,
    **options: Any,
) -> Reading:
    """Read a seekable file, as `Benchmark.read` does; each remark says where it is in the file.

    quotes: whether remarks quote lines of the file, and forms its answers.
    has_forms: whether to look at the forms of its answers. has_trace: whether to look at its traces.
    """
    began = time.monotonic()

    def place(*lists: Remarks, most_seconds: float) -> None:
        if are_attempt_lines(file):
            # The lines are those of the log, and not of this part of it.
            return
        left = min(most_seconds, limits.seconds - (time.monotonic() - began))
        add_places(lists, file, limits=limits, layout=benchmark.layout, seconds=left, quotes=quotes)

    is_kept = keep is not None or not (has_forms or has_trace)
    with nullcontext(keep) if is_kept else cast(_Spool, SpooledTemporaryFile(max_size=_IN_MEMORY)) as part:
        try:
            reading = benchmark.read(file, limits=limits, keep=part, **options)
        except SubmissionInvalid as invalid:
            place(invalid.problems, invalid.warnings, most_seconds=MOST_SECONDS)
            raise
        place(reading.warnings, most_seconds=SECONDS_FOR_WARNINGS)
        if part is not None and has_trace:
            reading = replace(reading, trace=_trace_of(benchmark, part))
        if part is None or not has_forms:
            return reading
        part.seek(0)
        left = min(MOST_SECONDS_FOR_FORMS, limits.seconds - (time.monotonic() - began))
        forms = benchmark.answer_forms(benchmark.records(part), seconds=left)
    return replace(reading, forms=forms if quotes else forms and forms.without_texts())


def _trace_of(benchmark: Benchmark, keep: BinaryIO) -> TraceExtent | None:
    keep.seek(0)
    collector = TraceCollector(benchmark.trace)
    for _ in collector.pass_on(benchmark.records(keep)):
        pass
    return collector.extent


def read_run(benchmark: Benchmark, file: BinaryIO, keep: BinaryIO, **options: Any) -> RunReading:
    """Read the file of one of several runs. Raises SubmissionInvalid.

    keep: an empty file to read and write, for what scoring needs; left at its start.
    options: of `read_with_places`.
    """
    reading = read_with_places(benchmark, file, keep=keep, **options)
    keep.seek(0)
    answers = digest_answers(benchmark, benchmark.records(keep))
    keep.seek(0)
    return RunReading(reading=reading, answers=answers)


def read_runs(
    names: Sequence[str], read: Callable[[int], RunReading], *, listed: int = MOST_LISTED
) -> Reading:
    """Read every run and return what they hold together.

    - names: of the files, for people, in the order of the runs
    - read: returns the reading of the run with an index from 0, or raises SubmissionInvalid
    - listed: remarks listed of each sort

    Raises SubmissionInvalid with the problems of all runs, each with its run and file.
    """
    problems, warnings = Remarks(keep=listed), Remarks(keep=listed)
    runs: list[tuple[int, RunReading]] = []
    for index, name in enumerate(names):
        try:
            run = read(index)
        except SubmissionInvalid as invalid:
            _extend(problems, invalid.problems, index, name)
            _extend(warnings, invalid.warnings, index, name)
        else:
            runs.append((index, run))
            _extend(warnings, run.reading.warnings, index, name)
    for index, run in runs[1:]:
        problems.extend(_differing(names, runs[0][1].reading, index, run.reading))
    repeats = tuple(_repeats(runs))
    warnings.extend(_identical(names, repeat) for repeat in repeats)
    if problems:
        raise SubmissionInvalid(problems, warnings)
    readings = [run.reading for _, run in runs]
    counts = tuple(reading.count for reading in readings)
    return replace(
        readings[0],
        count=sum(counts),
        counts=counts,
        seconds=sum(reading.seconds for reading in readings),
        log_facts=joined(reading.log_facts for reading in readings),
        forms=join_forms(reading.forms for reading in readings),
        repeats=repeats,
        # Of several files, each has to hold the traces of its own run.
        runs=len(readings),
        no_answers=sum(reading.no_answers for reading in readings),
        trace=next((run.trace for run in readings if run.trace is not TraceExtent.WHOLE), readings[0].trace),
        warnings=warnings,
    )


def accept_repeats(reading: Reading) -> None:
    """Drop the warnings of repeated runs of a system that is stated to always answer the same.

    Runs whose logs state the same times stay reported: they are one run, sent twice.
    """
    copies = {repeat.run for repeat in reading.repeats if repeat.is_copy}
    warnings = reading.warnings
    warnings.listed = [
        warning for warning in warnings.listed if warning.code != RunsCode.IDENTICAL or warning.run in copies
    ]
    if accepted := len(reading.repeats) - len(copies):
        warnings.count(RunsCode.IDENTICAL, -accepted)


def too_many_runs(names: Sequence[str]) -> Problem:
    """Return the problem of more files than MOST_RUNS."""
    message = phrase(
        "more than {most} files could be runs: {names}", most=MOST_RUNS, names=quoted_list(names)
    )
    return _problem(RunsCode.TOO_MANY, message)


def add_left_out(warnings: Remarks, names: Sequence[str]) -> None:
    """Add the warning that names the files of an archive that are no results, if there are any."""
    if names:
        message = phrase_n(
            "{n:,} file of the archive is left out: {names}",
            "{n:,} files of the archive are left out: {names}",
            len(names),
            names=quoted_list(run_names(names)),
        )
        warnings.add(_problem(RunsCode.LEFT_OUT, message))


def warn_if_empty(reading: Reading, hint: str = RulesCode.ANSWERS.fix) -> None:
    """Say first if more than half of the answers, of all runs together, are no answers."""
    if reading.is_mostly_empty:
        reading.warnings.add_first(replace(empty_problem(reading), hint=hint))


def empty_problem(reading: Reading, pointer: str = "") -> Problem:
    """Return the remark on a file that is mostly empty. pointer: to the field that would allow it."""
    message = phrase_n(
        "{n:,} of {total:,} tasks has no answer (blank, an error, a refusal, one text for most, or missing)",
        "{n:,} of {total:,} tasks have no answer (blank, an error, a refusal, one text for most, or missing)",
        reading.due - reading.count + reading.no_answers,
        total=reading.due,
    )
    # What is in the file may be right all the same, such as null where there is nothing to find.
    if 2 * reading.count < reading.due:
        message = phrase_n(
            "{n:,} of {total:,} tasks is in the file: at most {most}%",
            "{n:,} of {total:,} tasks are in the file: at most {most}%",
            reading.count,
            total=reading.due,
            most=f"{100 * reading.count / reading.due:.3g}",
        )
    code = RulesCode.ANSWERS
    return Problem(code=code, pointer=pointer, message=message, hint=code.fix)


def _problem(code: RunsCode, message: Phrase, run: int | None = None, file: str = "") -> Problem:
    return Problem(code=code, pointer="", message=message, hint=code.fix, run=run, file=file)


def _extend(remarks: Remarks, more: Remarks, index: int, name: str) -> None:
    remarks.absorb(more, lambda remark: replace(remark, run=index + 1, file=name))


def _differing(names: Sequence[str], first: Reading, index: int, reading: Reading) -> Iterator[Problem]:
    if (reading.format, reading.version) != (first.format, first.version):
        message = phrase(
            "this run has the format “{format}”, and an earlier one “{other}”",
            format=_format(reading),
            other=_format(first),
        )
        yield _problem(RunsCode.FORMATS_DIFFER, message, index + 1, names[index])
    models, earlier = (each.log_facts.names.get("model", ()) for each in (reading, first))
    if models and earlier and not {*models} & {*earlier}:
        message = phrase(
            "the log states the model {model}, and an earlier one {other}",
            model=quoted_list(models),
            other=quoted_list(earlier),
        )
        yield _problem(RunsCode.SEVERAL_SYSTEMS, message, index + 1, names[index])


def _repeats(runs: Iterable[tuple[int, RunReading]]) -> Iterator[RepeatedRun]:
    """Yield each run whose answers an earlier one has too, unless the times in their logs differ."""
    seen: dict[bytes, list[tuple[int, RunReading]]] = {}
    for index, run in runs:
        others = seen.setdefault(run.answers, [])
        copied = (at for at, other in others if run.times is not None and other.times == run.times)
        untimed = (at for at, other in others if run.times is None or other.times is None)
        if (first := next(copied, None)) is not None:
            yield RepeatedRun(run=index + 1, same_as=first + 1, is_copy=True)
        elif (first := next(untimed, None)) is not None:
            yield RepeatedRun(run=index + 1, same_as=first + 1, is_copy=False)
        others.append((index, run))


def _identical(names: Sequence[str], repeat: RepeatedRun) -> Problem:
    message = phrase(
        "the answers are the same as those of run {run} (“{name}”), and no time in the logs tells them apart",
        run=repeat.same_as,
        name=quote(names[repeat.same_as - 1]),
    )
    return _problem(RunsCode.IDENTICAL, message, repeat.run, names[repeat.run - 1])


def _format(reading: Reading) -> str:
    return f"{reading.format} {reading.version}" if reading.version else reading.format


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRuns:
    """The scorecards of runs, in their order. If any has undecided verdicts, no figure of them is final.

    aside: the scorecards of the same runs over the tasks that are set aside, which count in no figure of
        `cards`; () where none is
    """

    cards: tuple[Scorecard, ...]
    aside: tuple[Scorecard, ...] = ()

    @property
    def undecided(self) -> Mapping[str, int]:
        """Reason -> number of undecided verdicts, over all runs and with the tasks that are set aside."""
        return sum((Counter(card.undecided) for card in (*self.cards, *self.aside)), Counter[str]())

    def answered(self, missing: str) -> int:
        """Return how many verdicts have another reason than `missing`, with the tasks that are set aside."""
        cards = (*self.cards, *self.aside)
        return sum(verdict.reason != missing for card in cards for verdict in card.verdicts.values())

    def over_all_tasks(self, run: int | None = None) -> float | None:
        """Return the ranked rate over all tasks, of a run or of all, in 0..1; None if none is set aside.

        run: index of the run, from 0; None for all runs together
        """
        if not self.aside:
            return None
        runs = slice(None) if run is None else slice(run, run + 1)
        rates = [card.overall for card in (*self.cards[runs], *self.aside[runs])]
        return sum(rate.right for rate in rates) / sum(rate.total for rate in rates)


def score_runs(
    benchmark: Benchmark,
    files: Iterable[Iterable[Any]],
    references: Mapping[str, HiddenReference],
    *,
    runs: int = 1,
    judge: Judge | None = None,
    watch: Watch | None = None,
) -> ScoredRuns:
    """Grade the records of each of `files` against `references`.

    runs: how many were declared; one without a file is scored as a file without records, so all its tasks
    are wrong. It ends after the run during which `watch` asked to stop. Raises Unscorable.
    """
    done = overall = Progress(total=0, read=0)
    is_stopped = False

    def watch_all(progress: Progress) -> bool:
        """Report the progress of this run, added to that of the finished ones."""
        nonlocal overall, is_stopped
        overall = Progress(
            total=progress.total * runs,
            read=done.read + progress.read,
            to_judge=done.to_judge + progress.to_judge,
            judged=done.judged + progress.judged,
            undecided=done.undecided + progress.undecided,
        )
        is_stopped = watch is not None and not watch(overall)
        return not is_stopped

    cards: list[Scorecard] = []
    for records in files:
        cards.append(benchmark.score(records, references, judge=judge, watch=watch and watch_all))
        if is_stopped:
            return ScoredRuns(cards=tuple(cards))
        done = overall
    if len(cards) < runs:
        cards += [benchmark.score((), references, judge=judge)] * (runs - len(cards))
    return ScoredRuns(cards=tuple(cards))


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledCard:
    """The figures of all runs together.

    - overall, breakdowns: of all answers; a task counts once a run
    - metrics: the mean over tasks of the mean over the runs that have a figure of the task, where the
      benchmark keeps the figures of tasks; `Benchmark.derived` of these; else the mean over the runs. None
      if no run has a figure
    - group_metrics: means of groups, weighted by the number of answers behind them
    - group_counts: the tasks behind them, of the run with the fewest
    - details: of the runs; `split_details` takes them apart
    """

    overall: Rate
    metrics: Mapping[str, float | None]
    breakdowns: Mapping[str, Mapping[str, Rate]]
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]]
    group_counts: Mapping[str, Mapping[str, Mapping[str, int]]]
    suspects: tuple[str, ...]
    details: bytes
    spread: RunSpread | None


def pool_runs(benchmark: Benchmark, cards: Sequence[Scorecard]) -> PooledCard:
    """Return the figures of `cards` together, of runs on the same tasks without undecided verdicts."""
    runs, first = len(cards), cards[0]
    group_metrics, group_counts = _pool_group_metrics(cards)
    return PooledCard(
        overall=_pool_rates([card.overall for card in cards], runs),
        metrics=first.metrics if runs == 1 else _pool_metrics(benchmark, cards),
        breakdowns={
            name: {
                group: _pool_rates([card.breakdowns[name].get(group) for card in cards], runs)
                for group in dict.fromkeys(group for card in cards for group in card.breakdowns[name])
            }
            for name in first.breakdowns
        },
        group_metrics=group_metrics,
        group_counts=group_counts,
        suspects=tuple(dict.fromkeys(task for card in cards for task in card.suspects)),
        details=join_details([card.details for card in cards]),
        spread=None if runs == 1 else run_spread([right_of(card) for card in cards]),
    )


def right_of(card: Scorecard) -> list[bool]:
    """Return whether each task is right, in the order of the card."""
    return [verdict.correct is True for verdict in card.verdicts.values()]


def _pool_rates(rates: Sequence[Rate | None], runs: int) -> Rate:
    counted = [rate for rate in rates if rate is not None]
    right, total, left_open = (
        sum(getattr(rate, name) for rate in counted) for name in ("right", "total", "left_open")
    )
    return Rate(right=right, total=total, runs=runs, left_open=left_open)


def _pool_metrics(benchmark: Benchmark, cards: Sequence[Scorecard]) -> dict[str, float | None]:
    by_run = [benchmark.figures(card.details, len(card.verdicts)) for card in cards]
    pooled: dict[str, float | None] = {}
    by_task_known = set.intersection(*map(set, by_run))
    mean_of = {metric.over_key: metric.key for metric in benchmark.metrics if metric.key in by_task_known}
    for key in cards[0].metrics:
        if (mean := mean_of.get(key)) and any(card.metrics[key] is not None for card in cards):
            # A task is in the pooled mean where any run has a figure of it.
            by_task = zip(*(figures[mean] for figures in by_run), strict=True)
            pooled[key] = known_mean(float(any(f is not None for f in figures)) for figures in by_task)
        elif key in by_task_known:
            by_task = zip(*(figures[key] for figures in by_run), strict=True)
            pooled[key] = known_mean(known_mean(figures) for figures in by_task)
        else:
            pooled[key] = known_mean(card.metrics[key] for card in cards)
    return {**pooled, **benchmark.derived(pooled)}


Figures = Mapping[str, Mapping[str, Mapping[str, Any]]]


def _pool_group_metrics(cards: Sequence[Scorecard]) -> tuple[Figures, Figures]:
    if len(cards) == 1:
        return cards[0].group_metrics, cards[0].group_counts
    means: dict[str, dict[str, dict[str, float | None]]] = {}
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for name, group, key in dict.fromkeys(_group_keys(cards)):
        # Answers behind the mean of each run; where a benchmark does not count them, runs weigh the same.
        behind = [card.group_counts.get(name, {}).get(group, {}).get(key, 0) for card in cards]
        found = [card.group_metrics.get(name, {}).get(group, {}).get(key) for card in cards]
        weighted = [(value, count) for value, count in zip(found, behind, strict=True) if value is not None]
        mean: float | None
        if total := sum(count for _, count in weighted):
            mean = fsum(value * count for value, count in weighted) / total
        else:
            mean = known_mean(found)
        means.setdefault(name, {}).setdefault(group, {})[key] = mean
        if any(group in card.group_counts.get(name, {}) for card in cards):
            counts.setdefault(name, {}).setdefault(group, {})[key] = min(behind)
    return means, counts


def _group_keys(cards: Sequence[Scorecard]) -> Iterator[tuple[str, str, str]]:
    for card in cards:
        for name, groups in card.group_metrics.items():
            for group, figures in groups.items():
                for key in figures:
                    yield name, group, key


def join_details(details: Sequence[bytes]) -> bytes:
    """Return the details of runs one after the other; those of one run as they are."""
    if len(details) == 1 or not any(details):
        return details[0] if details else b""
    return b"".join(len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in details)


def split_details(details: bytes, runs: int) -> list[bytes]:
    """Return what `join_details` was given. Raises ValueError for the details of another number of runs."""
    if runs == 1 or not details:
        return [details] * runs
    parts, place = [], 0
    while place < len(details):
        start = place + _LENGTH_BYTES
        end = start + int.from_bytes(details[place:start], "big")
        parts.append(details[start:end])
        place = end
    if len(parts) != runs or place != len(details):
        raise ValueError(f"these are not the details of {runs} runs")
    return parts
