"""The interface of a benchmark, by which alone the leaderboard knows it."""

import argparse
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol

import msgspec

from wardboard.scoring.about import About, Work
from wardboard.scoring.answer_forms import AnswerForms
from wardboard.scoring.benchmark_cli import BenchmarkCli
from wardboard.scoring.explanations import ComparedPost, ExpectedWork, OwnWork, as_text
from wardboard.scoring.ground_truth import (
    BoardPlan,
    Demonstration,
    GroundTruth,
    HiddenReference,
    ImportChoice,
    ImportFile,
    add_board_arguments,
    read_dump,
)
from wardboard.scoring.judging import Judge, Ledger
from wardboard.scoring.reading.formats.log_facts import LogFacts
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import Phrase
from wardboard.scoring.reading.places import RecordLayout
from wardboard.scoring.reading.problems import Remarks
from wardboard.scoring.reported import ReportedRow
from wardboard.scoring.statistics import wilson_interval
from wardboard.scoring.trace import RecordTrace, TraceExtent
from wardboard.scoring.traces.trace_file import TraceWriter
from wardboard.scoring.verdicts import Scorecard


class Unit(StrEnum):
    """The unit of a metric. SHARE: 0..1. COUNT: a number of things, 0 or more. USD: US dollars."""

    SHARE = "share"
    COUNT = "count"
    USD = "usd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure of a leaderboard.

    - public: shown at every feedback level; others only where figures by type are
    - column: of the leaderboard; others are only on the page of a system
    - stands_for: its meaning in a sentence, for the head of its column
    - formula: its calculation, in a line of plain text
    - source: the source of the formula, as one cites it
    - upper_key: key of the metric that is the upper end, where a judge may leave tasks open; "" for none
    - over_key: key of the metric that is the share of the tasks that this mean is over; "" where it is all
    - needs_key: key of the metric without which, if it is 0, this mean rests on nothing that the system did
    - needs_note: what then stands in place of the mean, in a few words
    - least_share: of the tasks, in 0..1, below which this mean is not shown
    """

    key: str
    label: str
    short: str
    public: bool = False
    unit: Unit = Unit.SHARE
    higher_is_better: bool = True
    column: bool = True
    stands_for: str = ""
    formula: str = ""
    source: str = ""
    upper_key: str = ""
    over_key: str = ""
    needs_key: str = ""
    needs_note: str = ""
    least_share: float = 0.0

    def shown(self, metrics: Mapping[str, float | None]) -> float | None:
        """Return this figure of `metrics`; None where it rests on nothing, or on too few tasks."""
        share, needed = metrics.get(self.over_key), metrics.get(self.needs_key)
        is_thin = share is not None and share < self.least_share
        return None if is_thin or needed == 0 else metrics.get(self.key)

    @property
    def decimals(self) -> int:
        """How many decimals of it leave the service. Costs have six: they reveal no verdict."""
        return 6 if self.unit == Unit.USD else 3

    def rounded(self, metrics: Mapping[str, float | None]) -> float | None:
        """Return this figure of `metrics` as it leaves the service; None as `shown`."""
        value = self.shown(metrics)
        return None if value is None else round(value, self.decimals)


class _Texts(msgspec.Struct):
    about: About
    metrics: tuple[Metric, ...]


def read_texts(path: Path) -> tuple[About, tuple[Metric, ...]]:
    """Return what a benchmark says of itself, and its metrics, from a JSON file."""
    texts = msgspec.json.decode(path.read_bytes(), type=_Texts)
    return texts.about, texts.metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A way to group the tasks.

    - groups: group key -> label, in order
    - fixed: a task is in the same group whatever was submitted, so the sizes are the benchmark's own
    - is_known: the group of a task follows from its id, and so reveals nothing of a reference
    - ordered: the groups are steps of a quantity, such as a number of resources
    - metrics: keys of the figures, besides the rate, that Scorecard.group_metrics has for the groups
    """

    key: str
    label: str
    groups: Mapping[str, str]
    fixed: bool = True
    is_known: bool = False
    ordered: bool = False
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """A reason for which tasks depend on each other: those of one patient, of one question template.

    - label, singular: what such tasks share, within a sentence: "patients" and "patient"
    """

    key: str
    label: str
    singular: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedClusters:
    """How much clusters of tasks widen the interval of a rate whose results by task are not published.

    - correlation: of the verdicts on two tasks of one cluster, 0..1
    - clusters: effective number of clusters of the benchmark, 1 or more
    - kind: key of the benchmark's Clusters that it is of
    - evidence: whose results it was measured on, as a phrase

    Source: Kish, Survey Sampling (1965), section 5.4: with clusters of b tasks each, the variance of a rate
    is 1 + (b - 1) * correlation times that of independent tasks.
    """

    correlation: float
    clusters: float
    kind: str
    evidence: str

    def design_effect(self, tasks: float) -> float:
        """Return how many times the variance of a rate is that of independent tasks; 1 or more."""
        return max(1.0, 1 + self.correlation * (tasks / self.clusters - 1))

    def tasks_worth(self, effective: float) -> float:
        """Return how many tasks are worth so many independent ones; infinite where no number is."""
        left = 1 - self.correlation * effective / self.clusters
        return max(effective, effective * (1 - self.correlation) / left) if left > 0 else inf

    def interval(self, rate: float, tasks: float) -> tuple[float, float]:
        """Return the 95% interval of a rate over `tasks`: Wilson's, with their effective number."""
        effective = tasks / self.design_effect(tasks)
        return wilson_interval(rate * effective, effective)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRun:
    """A run with the answers of an earlier one, from which no time in their logs tells it apart.

    - run, same_as: numbers of the two, from 1
    - is_copy: whether both logs state the same times, so that they are one run
    """

    run: int
    same_as: int
    is_copy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file that can be scored.

    - seconds: an estimate of how long scoring it takes without a language model
    - counts: of several files, the number of records of each
    - log_facts: what the file states of its runs beside the answers
    - forms: of its answers, where they were asked for and rules judge free text
    - repeats: of several files, the runs that repeat an earlier one
    - trace: what it holds of the traces of its runs; None where that was not looked at, or is not known
    - no_answers: how many of the `count` records are no answer: blank, null, an error, a refusal, or the one
      text of most of them
    - tasks, runs: of the leaderboard, 0 where they are not known; and how many were declared
    """

    version: str | None
    format: str
    count: int
    warnings: Remarks
    seconds: float = 0
    counts: tuple[int, ...] = ()
    log_facts: LogFacts = field(default_factory=LogFacts)
    forms: AnswerForms | None = None
    repeats: tuple[RepeatedRun, ...] = ()
    trace: TraceExtent | None = None
    no_answers: int = 0
    tasks: int = 0
    runs: int = 1

    @property
    def due(self) -> int:
        """How many answers there should be: one for each task and run."""
        return max(self.tasks * self.runs, self.count)

    @property
    def uncounted_runs(self) -> int:
        """How many of the declared runs repeat another one, or have no file."""
        return len(self.repeats) + self.runs - (len(self.counts) or 1)

    @property
    def is_mostly_empty(self) -> bool:
        """Whether more than half of the answers that are due are none, or missing."""
        return 2 * (self.count - self.no_answers) < self.due


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """An agent without a model, whose records anyone can write: the least to beat.

    - explains: what it does, and what it gets right by that
    - records: task ids -> its records
    - published: a sentence with its score in the literature, from `source`; "" if none is known
    """

    system: str
    explains: str
    records: Callable[[Sequence[str]], Iterable[Any]]
    published: str = ""
    source: Work | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far scoring has come: tasks of the board, records graded, and answers for a judge, once known.

    undecided: those that were given up
    """

    total: int
    read: int
    to_judge: int = 0
    judged: int = 0
    undecided: int = 0


# Scoring calls it at intervals; False asks it to stop (the card then has undecided verdicts).
Watch = Callable[[Progress], bool]


class Benchmark(Protocol):
    """A benchmark in all its versions, such as MedAgentBench: each version is a board.

    A benchmark inherits from this class. A member that has a value or a body here is optional: a benchmark
    without breakdowns, strata, clusters, judge, baselines or published results leaves it as it is.

    - scorer_version: the version of the grader; a release that would give a file other verdicts or figures
      raises it
    - metrics: at least one; the first ranks a leaderboard
    - strata: key of the fixed breakdown within whose groups statistics resample the tasks; "" for none, in
      which case all tasks are one group
    - clusters: the reasons for which tasks depend on each other, so that intervals and tests allow for them;
      () where tasks are independent
    - published_clusters: the same for rows whose results by task are not known; None where tasks are
      independent
    - reasons: the grading reasons. A stored verdict is the position of its reason here, in 0..255, so none
      is ever moved or removed, and a new one comes last.
    - missing: the one of them for a task without a record in the file
    - remarks: grading reason -> text that may be shown at every feedback level, because the file alone
      gives it away
    - failures: grading reason -> what is wrong, as a short phrase; reasons with the same phrase are counted
        together. Only reasons of wrong answers have one; a reason without one is never counted by itself
    - elsewhere: codes of the problems of a file that belongs on another leaderboard
    - formats: format of a `Reading` -> what it is called within a sentence; one without is shown as it is
    - published_boards: that have published results to show before there is a ground truth
    - public_files: address of a public result file -> task id -> digest of its answer (`runs.public_digest`);
        organisers learn who sends one
    - has_traces: whether a file can hold the traces of its runs, which `trace` then sums up
    - import_files, import_choices: what an import in a browser asks for, as `read_ground_truth` reads it
    - fields: of a row of a result file, for people; "" where a guide explains them
    - layout: where results are in a file, so that remarks name them; by default, in a list without ids
    """

    slug: str
    title: str
    scorer_version: str
    limits: Limits
    metrics: tuple[Metric, ...]
    about: About
    reasons: tuple[StrEnum, ...]
    missing: StrEnum
    needs_judge: bool = False
    breakdowns: tuple[Breakdown, ...] = ()
    strata: str = ""
    clusters: tuple[Clusters, ...] = ()
    published_clusters: PublishedClusters | None = None
    remarks: Mapping[str, str] = MappingProxyType({})
    failures: Mapping[str, str] = MappingProxyType({})
    elsewhere: tuple[str, ...] = ()
    formats: Mapping[str, str] = MappingProxyType({})
    baselines: tuple[Baseline, ...] = ()
    published_boards: Sequence[BoardPlan] = ()
    public_files: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    demonstrations: Sequence[Demonstration] = ()
    has_traces: bool = False
    fields: str = ""
    layout: RecordLayout = RecordLayout()
    import_files: tuple[ImportFile, ...] = (
        ImportFile(option="references", label="Dumped reference answers"),
    )
    import_choices: tuple[ImportChoice, ...] = ()

    @abstractmethod
    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the released JSON Schemas by name, first that of a result file."""

    @abstractmethod
    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        version: str,
        limits: Limits,
        keep: BinaryIO | None = None,
        patients: Collection[str] = (),
        texts: Mapping[str, str] = MappingProxyType({}),
        traces: TraceWriter | None = None,
    ) -> Reading:
        """Check `file`, and write what scoring needs of it to `keep`.

        patients: what `patients` returns, to warn of others; empty where they are not known.
        texts: task id -> what the task asks for, by which logs without ids name it; {} where not known.
        traces: gets what the agent did at each task, if `has_traces`; never its reasoning, nor a reference or
            a verdict that the file has.
        Raises SubmissionInvalid with every problem at once; `keep` and `traces` are then of no use.
        """

    @abstractmethod
    def records(self, kept: BinaryIO) -> Iterable[Any]:
        """Return the records that `read` wrote to its `keep`, each with a `task_id`; read them once."""

    @abstractmethod
    def plain_file(self, records: Iterable[Any], *, version: str | None) -> str:
        """Return a file in the benchmark's own format with these records, for people to look at.

        version: that the file stated; None if it stated none
        """

    def graded_part(self, record: Any) -> Any:
        """Return the part of a record that can change its verdict or a figure, as JSON; None for no answer.

        Two files with the same parts have the same result.
        """
        return record.answer

    def own_work(self, record: Any) -> OwnWork:
        """Return what a record holds, for people to read: its answer, and the POSTs of its agent."""
        return OwnWork(answer=as_text(record.answer))

    def failed_check(self, record: Any, reason: str, reference: Any | None = None) -> Phrase | None:
        """Return a sentence on the check that a wrong record failed; None where `failures` says all.

        Without the reference it may only say what follows from the file and the reason together; with it, it
        is as exact as the reference allows.
        """
        return None

    def expected_work(self, record: Any | None, reference: Any) -> ExpectedWork | None:
        """Return what a reference asks for, and how the record differs; None where that cannot be shown."""
        return None

    def compared_posts(self, record: Any, reason: str, reference: Any) -> tuple[ComparedPost, ...]:
        """Return the POSTs of a wrong record beside those that were due; () where none of them is wrong."""
        return ()

    def instruction(self, reference: Any) -> str:
        """Return what a task asks for, where its reference holds it; "" elsewhere."""
        return ""

    def trace(self, record: Any) -> RecordTrace | None:
        """Return what a record holds of the trace of its run, and nothing that depends on a reference.

        Returns None unless the benchmark `has_traces`.
        """
        return None

    @abstractmethod
    def score(
        self,
        records: Iterable[Any],
        references: Mapping[str, Any],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        """Grade `records` against `references`.

        Every task of `references` counts; a record of another task is ignored. Only the judge has side
        effects. judge: given if `needs_judge`. Raises Unscorable.
        """

    @abstractmethod
    def dump_references(self, references: Mapping[str, Any]) -> bytes:
        """Return `references` as bytes, the same for the same content."""

    @abstractmethod
    def load_references(self, data: bytes) -> Mapping[str, HiddenReference]:
        """Return the references that `dump_references` was given."""

    @abstractmethod
    def is_correct(self, reason: str) -> bool | None:
        """Return whether a verdict with that grading reason is right; None if it is undecided."""

    def groups(self, references: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
        """Return breakdown key -> task id -> group key, for every fixed breakdown.

        A task that is in no group of a breakdown is left out there. Keep this as hidden as `references`:
        a group may give a reference away.
        """
        return {}

    def cluster_labels(self, references: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
        """Return key of `clusters` -> task id -> label; tasks with the same label depend on each other.

        A task without a label depends on no other in this respect; a key whose tasks have none is left out.
        Keep this as hidden as `references`: only the number of different labels may be shown.
        """
        return {}

    def patients(self, references: Mapping[str, Any]) -> frozenset[str]:
        """Return the ids of all patients that the tasks are about, as files write them; empty if not known.

        A benchmark returns only ids that it publishes: the service warns a sender whose file names others.
        """
        return frozenset()

    def figures(self, details: bytes, count: int) -> Mapping[str, Sequence[float | None]]:
        """Return metric key -> the figure of each of `count` tasks, in the order of the references.

        The metrics are those beside the verdict that are means over the tasks with a figure; None for a task
        without one. details: of a Scorecard; {} for b"". Raises ValueError for details that do not fit.
        """
        if details:
            raise ValueError(f"{self.title} has no figures of tasks beside the verdict")
        return {}

    def derived(self, metrics: Mapping[str, float | None]) -> Mapping[str, float | None]:
        """Return the metrics that follow from other ones; {} for none. metrics: of several runs together."""
        return {}

    def judge(self, mode: str, *, options: Mapping[str, Any], ledger: Ledger | None) -> Judge | None:
        """Return the judge of `mode` (rules, hybrid, llm or official); None if nothing has to be judged.

        options: of the language model. ledger: None for rules that keep nothing. Raises JudgeUnavailable.
        """
        return None

    def answer_forms(self, records: Iterable[Any], *, seconds: float) -> AnswerForms | None:
        """Return how many answers have a form that the rules of the judge can read; None without rules.

        records: of a file. seconds: after which the rest of them is left out.
        """
        return None

    def agreement(self, judge: str) -> str:
        """Return a sentence on how far that judge agrees with others; "" if not measured."""
        return ""

    def reported_rows(self, version: str) -> Sequence[ReportedRow]:
        """Return the published results of `version`, to list beside rescored ones or, without rank, apart."""
        return ()

    def are_published(self, version: str, references: Mapping[str, Any]) -> bool:
        """Return whether these are the tasks that the published results of `version` are about.

        references: task id -> reference, in the order of the tasks, with those that are set aside
        """
        return True

    def add_import_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `read_ground_truth`, --slug and --board-version among them."""
        for file in self.import_files:
            option = f"--{file.option.replace('_', '-')}"
            parser.add_argument(option, required=True, type=Path, metavar="FILE", help=file.label)
        for choice in self.import_choices:
            option = f"--{choice.option.replace('_', '-')}"
            parser.add_argument(option, action="store_true", help=choice.explains)
        add_board_arguments(parser)

    def read_ground_truth(self, options: Mapping[str, Any]) -> GroundTruth:
        """Return the ground truth that `options` name. Raises GroundTruthInvalid.

        options: as the command parses them; from a browser import_files, import_choices, slug, board_version
        """
        return read_dump(options, self.load_references, self.title)

    def fhir_queries(self, tasks: Any) -> Sequence[tuple[str, Mapping[str, str]]]:
        """Return the FHIR queries (type, parameters) behind the references; () for none.

        tasks: the JSON of the file. Raises TypeError or AttributeError if it is not a task file.
        """
        return ()

    def cli(self) -> BenchmarkCli:
        """Return the benchmark's part of the `wardboard` command."""
        return BenchmarkCli(self.load_references)
