"""What a family of benchmarks provides. The leaderboard knows a family by this and by nothing else."""

import argparse
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any, BinaryIO, Protocol

from scoring.command_line import CommandLine
from scoring.ground_truth import (
    BoardPlan,
    Demonstration,
    GroundTruth,
    HiddenReference,
    ShowProgress,
    add_dump_arguments,
    read_dump,
)
from scoring.judging import AgreementStudy, Judge, Ledger
from scoring.reading.limits import Limits
from scoring.reading.problems import Remarks
from scoring.verdicts import Rate, Scorecard, Share


class Unit(StrEnum):
    """What a metric counts in. SHARE: 0..1. COUNT: a number of things, 0 or more. USD: US dollars."""

    SHARE = "share"
    COUNT = "count"
    USD = "usd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One figure of a board; `public` ones may be shown at every feedback level, the others only where
    figures by type may be. stands_for: what it is, in a sentence, for who reads the head of its column.
    column: whether it is a column of the board, or only stands with all other figures of a system.
    formula: how it is worked out, in a line of plain text. source: where that is from, as one cites it."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A publication, a data set or a program that a benchmark comes from. url: "" where it has no address."""

    title: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a benchmark is, for who has not heard of it: English paragraphs of plain text.

    asks: what it asks of a system. graded: how an answer comes to be right or wrong. caveats: what its
    figures do not show. works: where all this is from. All of it is public at every feedback level.
    """

    asks: tuple[str, ...]
    graded: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    works: tuple[Work, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One way to group the tasks: group keys in order, with what to call each.

    fixed: a task is in the same group whatever was submitted, so the sizes are the benchmark's own.
    ordered: the groups are steps of a quantity (a number of resources, say), in order.
    metrics: keys of the figures, beside the rate, that Scorecard.group_metrics has for its groups.
    """

    key: str
    label: str
    groups: Mapping[str, str]
    fixed: bool = True
    ordered: bool = False
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is said of a file that can be scored. count: its records."""

    version: str | None
    format: str
    count: int
    warnings: Remarks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRow:
    """A published result that nobody rescored.

    metrics: in 0..1. overall, breakdowns: a Rate where the count is known, a Share where only the printed
    figure is. interaction, retrieval, reasoning: the traits,
    as leaderboard.models.systems names them, "" where not known. breakdowns, group_metrics: as in a
    Scorecard, as far as they were published. judge: what judged it, "" for none. is_baseline: it is what a
    baseline comes to on the published tasks, which is worked out from what is known of them.
    """

    system: str
    model: str
    open_weights: bool | None
    size: str
    overall: Rate | Share
    metrics: Mapping[str, float | None]
    source: str
    source_url: str
    published_on: date
    interaction: str = ""
    retrieval: str = ""
    reasoning: str = ""
    breakdowns: Mapping[str, Mapping[str, Rate | Share]] = field(default_factory=dict)
    group_metrics: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)
    judge: str = ""
    is_baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """An agent that needs no model, whose records everybody can write down: what a system has to beat."""

    system: str
    explains: str
    records: Callable[[Sequence[str]], Iterable[Any]]  # from the task ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far scoring has come. total: tasks of the benchmark; read: records graded so far; to_judge: answers
    that a judge has to decide, once they are all found; judged and undecided (given up): of those."""

    total: int
    read: int
    to_judge: int = 0
    judged: int = 0
    undecided: int = 0


# Called now and then while scoring works; False asks it to stop (the card then has undecided verdicts).
Watch = Callable[[Progress], bool]


class Family(Protocol):
    """A family of benchmarks, such as all versions of MedAgentBench.

    A family inherits from this class. What has a value or a body here is optional: a family without
    breakdowns, strata, judge, baselines or published results leaves it as it is.

    - scorer_version: raised whenever the same file would be given other verdicts
    - limits: on the files
    - metrics: at least one; the first is the one that a leaderboard is ranked by
    - about: for the About page
    - needs_judge: whether `score` takes a judge
    - breakdowns: ways to group the tasks
    - strata: key of the fixed breakdown within whose groups statistics resample the tasks; "" for none, in
      which case all tasks are one group
    - remarks: grading reason -> text that may be shown at every feedback level, because the file alone
      gives it away
    - baselines: agents that need no model
    """

    slug: str
    title: str
    scorer_version: str
    limits: Limits
    metrics: tuple[Metric, ...]
    about: About
    needs_judge: bool = False
    breakdowns: tuple[Breakdown, ...] = ()
    strata: str = ""
    remarks: Mapping[str, str] = MappingProxyType({})
    baselines: tuple[Baseline, ...] = ()

    @abstractmethod
    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the released JSON Schemas by name, at least one; the first is that of a result file."""

    @abstractmethod
    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        version: str,
        limits: Limits,
        keep: BinaryIO | None = None,
    ) -> Reading:
        """Check `file`, and write what scoring needs of it to `keep`.

        Raises SubmissionInvalid with every problem at once; `keep` is then of no use.
        """

    @abstractmethod
    def records(self, kept: BinaryIO) -> Iterable[Any]:
        """Return the records that `read` wrote to its `keep`, each with a `task_id`, to be read once."""

    @abstractmethod
    def score(
        self,
        records: Iterable[Any],
        references: Mapping[str, HiddenReference],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        """Grade `records` against `references`.

        Every task of `references` counts; a record of another task is ignored. Pure, except for what the
        judge does. judge: given if `needs_judge`.
        """

    @abstractmethod
    def dump_references(self, references: Mapping[str, HiddenReference]) -> bytes:
        """Return `references` as bytes, the same for the same content."""

    @abstractmethod
    def load_references(self, data: bytes) -> Mapping[str, HiddenReference]:
        """Return the references that `dump_references` was given."""

    @abstractmethod
    def reason(self, code: int) -> str:
        """Return the grading reason with the number `code`."""

    @abstractmethod
    def reason_code(self, reason: str) -> int:
        """Return the number of a grading reason, in 0..255, which never changes."""

    @abstractmethod
    def is_correct(self, code: int) -> bool | None:
        """Return whether a verdict with that reason is right; None if it is undecided."""

    def groups(self, references: Mapping[str, HiddenReference]) -> Mapping[str, Mapping[str, str]]:
        """Return breakdown key -> task id -> group key, for every fixed breakdown.

        A task that is in no group of a breakdown is left out there. Keep this as hidden as `references`:
        a group may give a reference away.
        """
        return {}

    def figures(self, details: bytes, count: int) -> Mapping[str, Sequence[float | None]]:
        """Return metric key -> the figure of each of the `count` tasks, in the order of the references.

        Only of metrics beside the verdict that are means over the tasks with a figure; None for a task
        without one. details: of a Scorecard; {} for b"". Raises ValueError for details that do not fit.
        """
        if details:
            raise ValueError(f"{self.title} has no figures of tasks beside the verdict")
        return {}

    def judge(self, mode: str, *, options: Mapping[str, Any], ledger: Ledger) -> Judge | None:
        """Return the judge of `mode` (rules, hybrid or llm); None if nothing has to be judged.

        options: of the language model.
        """
        return None

    def agreement(self, judge: str) -> str:
        """Return in a sentence how far the judge of that identity agrees with others; "" if not measured."""
        return ""

    def agreement_study(self) -> AgreementStudy | None:
        """Return what measures the agreement of judges; None if nothing has to be judged."""
        return None

    def reported(self, version: str) -> Sequence[ReportedRow]:
        """Return the published results of `version` that are listed beside rescored ones."""
        return ()

    def published_boards(self) -> Sequence[BoardPlan]:
        """Return the boards that have published results to show before there is a ground truth."""
        return ()

    def demonstrations(self) -> Sequence[Demonstration]:
        """Return the boards for trying Wardboard."""
        return ()

    def add_import_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `read_ground_truth`, --slug and --board-version among them."""
        add_dump_arguments(parser)

    def read_ground_truth(self, options: Mapping[str, Any], *, progress: ShowProgress) -> GroundTruth:
        """Return the ground truth that `options` name. Raises GroundTruthInvalid."""
        return read_dump(options, self.load_references, self.title)

    def fhir_queries(self, tasks: Any) -> Sequence[tuple[str, Mapping[str, str]]]:
        """Return the FHIR queries, (resource type, parameters), that references are built from; () for none.

        tasks: the JSON of the file. Raises TypeError or AttributeError if it is no task file.
        """
        return ()

    def command_line(self) -> CommandLine:
        """Return the family's part of the `wardboard` command."""
        return CommandLine(self.load_references)
