"""Attacks that learn hidden values, one after the other, and their table.

Import it after Django is set up.
"""

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _attack_world import TYPES, Account, Target, World, make_account, make_world
from _report import report

from leaderboard.models import UNLIMITED
from wardboard.scoring.runs import MOST_RUNS
from wardboard.scoring.statistics.comparisons import mcnemar_mid_p

# Values that the attacker solves at once: more cannot be enumerated.
_BLOCK = 9
_TRIED_QUERIES = 150
_MONTH = 30  # days


@dataclass(slots=True)
class Block:
    """Hidden values that are solved together. hypotheses: each a bit mask of which candidates are right."""

    targets: Sequence[Target]
    hypotheses: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hypotheses = list(range(2 ** len(self.targets)))

    def learnt(self) -> dict[str, str]:
        """Return the answers on which all remaining hypotheses agree."""
        every, some = self.hypotheses[0], self.hypotheses[0]
        for hypothesis in self.hypotheses:
            every, some = every & hypothesis, some | hypothesis
        return {
            target.task_id: target.candidates[every >> n & 1]
            for n, target in enumerate(self.targets)
            if (every >> n & 1) == (some >> n & 1)
        }


# Turns the number of right answers, and of the known ones among them, into what a result displays.
Display = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Runs that test one block.

    - weights: for each target, how many of the runs answer it
    - claimed: bit mask of the candidates that they give
    - known: right answers beside them, over all runs
    """

    weights: tuple[int, ...]
    claimed: int
    known: int

    def right(self, hypothesis: int) -> int:
        """Return the number of right answers of all runs together."""
        agreeing = ~(self.claimed ^ hypothesis)
        return self.known + sum(weight for n, weight in enumerate(self.weights) if agreeing >> n & 1)


def best_query(
    block: Block, display: Display, known: int, chance: random.Random, *, runs: int, is_last: bool
) -> Query:
    """Return the query that teaches most: in bits, or, for the last one, in values that it determines."""
    size = len(block.targets)
    best, best_value = Query(weights=(runs,) + (0,) * (size - 1), claimed=1, known=0), -1.0
    sample = block.hypotheses if len(block.hypotheses) <= 128 else chance.sample(block.hypotheses, 128)
    for attempt in range(_TRIED_QUERIES):
        tested = 1 << attempt % size if attempt < 3 * size else chance.randrange(1, 2**size)
        weights = tuple(
            (chance.randint(1, runs) if attempt % 2 else runs) if tested >> n & 1 else 0 for n in range(size)
        )
        beside = chance.randint(0, known * runs)
        query = Query(weights=weights, claimed=chance.randrange(2**size), known=beside)
        outcomes: dict[object, list[int]] = {}
        for hypothesis in sample:
            outcomes.setdefault(display(query.right(hypothesis), beside), []).append(hypothesis)
        value = _determined(outcomes, size) if is_last else _entropy(outcomes)
        if value > best_value:
            best, best_value = query, value
    return best


def _entropy(outcomes: Mapping[object, Sequence[int]]) -> float:
    total = sum(map(len, outcomes.values()))
    return -sum(len(each) / total * math.log2(len(each) / total) for each in outcomes.values())


def _determined(outcomes: Mapping[object, Sequence[int]], size: int) -> float:
    total = sum(map(len, outcomes.values()))
    determined = 0.0
    for hypotheses in outcomes.values():
        every, some = hypotheses[0], hypotheses[0]
        for hypothesis in hypotheses:
            every, some = every & hypothesis, some | hypothesis
        determined += len(hypotheses) / total * (size - (every ^ some).bit_count())
    return determined


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What an attack learnt: values, with how many files."""

    values: int
    files: int


class Attack:
    """Files that are chosen one after the other, each by the results of those before it.

    block: how many values are solved together; 1 asks for one value with each file.
    published: files that can be published, which shows right answers by type.
    planned: how many files the limits allow; None where that is not known yet.
    runs: of each submission, which weigh the answers in it.
    compares: whether the first file, with all known answers, is published, and every further one compared.
    """

    def __init__(
        self,
        world: World,
        *,
        block: int,
        published: int,
        planned: int | None,
        runs: int = 1,
        compares: bool = False,
    ) -> None:
        self._runs, self._compares, self._fills = runs, compares, compares
        self._world, self._published, self._planned = world, published, planned
        self._chance = random.Random(20261122)
        self._files = self._given = 0
        self._blocks = {
            kind: [
                Block(targets=targets[n : n + block])
                for targets in [[target for target in world.targets if target.type == kind]]
                for n in range(0, len(targets), block)
            ]
            for kind in TYPES
        }

    def run(self, accounts: Sequence[Account], days: int) -> Learnt:
        if self._compares:
            entry = {task: self._world.truth[task] for task in self._world.known}
            published = accounts[0].send([self._filled(entry)], publish=True)
            assert published, "the entry is refused"
            # Tasks that ask for nothing are right whatever the answer.
            self._files, self._given = 1, published["right"] - len(entry)
        for _ in range(days):
            for account in accounts:
                while self._is_open() and self._send(account):
                    pass
            self._world.wait_a_day()
        answers: dict[str, str] = {}
        for blocks in self._blocks.values():
            for block in blocks:
                answers |= block.learnt()
        wrong = [task for task, answer in answers.items() if self._world.truth[task] != answer]
        assert not wrong, f"the attacker is sure of wrong values: {wrong}"
        return Learnt(values=len(answers), files=self._files)

    def _is_open(self) -> bool:
        return any(len(b.hypotheses) > 1 for blocks in self._blocks.values() for b in blocks)

    def _send(self, account: Account) -> bool:
        """Send the next file and learn from it; return False where a limit refuses it."""
        by_type = self._published > 0
        kinds = [kind for kind in TYPES if self._current(kind)]
        queries = {}
        for kind in kinds if by_type else kinds[:1]:
            block = self._current(kind)
            assert block is not None
            display = self._display(by_type)
            known = self._known(kind if by_type else "")
            is_last = self._planned is not None and self._files >= self._planned - 1
            queries[kind] = best_query(
                block, display, len(known), self._chance, runs=self._runs, is_last=is_last
            )
        result = account.send(self._answers(queries, by_type), publish=by_type)
        if result is None:
            return False
        self._files += 1
        self._published -= 1
        self._learn(queries, result, by_type)
        return True

    def _current(self, kind: str) -> Block | None:
        return next((block for block in self._blocks[kind] if len(block.hypotheses) > 1), None)

    def _known(self, kind: str) -> list[str]:
        return [task for task in self._world.known if not kind or task.startswith(f"{kind}_")]

    def _display(self, by_type: bool) -> Display:
        """Return what the result shows of a number of right answers over all runs."""
        runs, world = self._runs, self._world
        if by_type:
            # Of several runs whole tasks, where references are hidden.
            is_exact = runs == 1 or world.board.rounding == 0
            return _exactly if is_exact else lambda right, _known: round(right / runs)
        if self._compares:
            given = self._given
            return lambda right, known: (
                world.displayed_rate(right + given, runs),
                self._outcome(right, known),
            )
        if world.board.rounding == 0:
            return _exactly
        return lambda right, _known: world.displayed_rate(right + self._given, runs)

    def _outcome(self, right: int, known: int) -> str | None:
        """Return the outcome of a paired test against the entry; None once the service runs no such test."""
        if not self._compares:
            return None
        won, lost = right - known, len(self._world.known) - known
        if _P[won, lost] >= 0.05:
            return "not-different"
        return "better" if won > lost else "worse"

    def _answers(self, queries: Mapping[str, Query], by_type: bool) -> list[dict[str, str]]:
        files: list[dict[str, str]] = [{} for _ in range(self._runs)]
        for kind, query in queries.items():
            block = self._current(kind)
            assert block is not None
            known = self._known(kind if by_type else "")
            for run, answers in enumerate(files):
                # As evenly as they go.
                share = query.known // self._runs + (run < query.known % self._runs)
                for task in known[:share]:
                    answers[task] = self._world.truth[task]
                for n, target in enumerate(block.targets):
                    if run < query.weights[n]:
                        answers[target.task_id] = target.candidates[query.claimed >> n & 1]
        if self._fills:
            return [self._filled(answers) for answers in files]
        # A file answers at least one task.
        return [answers or {self._world.known[0]: "[]"} for answers in files]

    def _filled(self, answers: Mapping[str, str]) -> dict[str, str]:
        """Return answers to all tasks: a file that answers few is not compared."""
        return {task["id"]: f'["not {task["id"]}"]' for task in self._world.tasks} | dict(answers)

    def _learn(self, queries: Mapping[str, Query], result: Mapping[str, Any], by_type: bool) -> None:
        groups = result["breakdowns"].get("task_type")
        # Which file shows groups is part of the rules that are attacked.
        assert bool(groups) == by_type, "a result shows groups that it should not, or lacks them"
        for kind, query in queries.items():
            block = self._current(kind)
            assert block is not None
            display = self._display(by_type)
            if groups:
                observed = round(groups[kind]["rate"] * groups[kind]["total"])
            else:
                observed = result["score"] if result["right"] is None else result["right"]
            if self._compares:
                beside = result["comparison"]
                self._compares = beside.get("test", "by-task") == "by-task"
                observed = (observed, beside["outcome"] if self._compares else None)
            block.hypotheses = [
                h for h in block.hypotheses if display(query.right(h), query.known) == observed
            ]


def _exactly(right: int, _known: int) -> int:
    return right


# Of the numbers of tasks that only one of two files solves.
_P = mcnemar_mid_p(*np.indices((101, 101)))


def play(names: Collection[str] = ()) -> None:
    """Play the attacks of these names, or all, and print a table of what each learnt."""
    before = {name: value for name, value in UNLIMITED.items() if name != "access"} | {"access": "anyone"}
    rows, figures = [], {}
    for name, title, accounts, addresses, days, settings, approved, runs in (
        ("before_overall", "no limits, overall figure", 1, 1, 1, {**before, "feedback": "overall"}, False, 1),
        ("before_by_type", "no limits, figures by type", 1, 1, 1, before, False, 1),
        ("one_day", "one account, a day", 1, 1, 1, {}, False, 1),
        ("one", "one account, a month", 1, 1, _MONTH, {}, False, 1),
        ("ten_day", "ten accounts, a day", 10, 1, 1, {}, False, 1),
        ("ten", "ten accounts, a month", 10, 1, _MONTH, {}, False, 1),
        ("ten_addresses", "ten accounts, ten addresses, a month", 10, 10, _MONTH, {}, False, 1),
        ("approved", "an approved team, a month", 1, 1, _MONTH, {}, True, 1),
        ("unpublished", "an approved team that publishes nothing", 1, 1, _MONTH, {}, True, 1),
        ("comparison", "the same, which compares with an entry", 1, 1, _MONTH, {}, True, 1),
        ("runs", "one account, ten runs each, a month", 1, 1, _MONTH, {}, False, MOST_RUNS),
        ("approved_runs", "an approved team, ten runs each, a month", 1, 1, _MONTH, {}, True, MOST_RUNS),
    ):
        if names and name not in names:
            continue
        learnt = strongest(
            name,
            accounts=accounts,
            addresses=addresses,
            days=days,
            settings=settings,
            approved=approved,
            runs=runs,
        )
        rows.append((title, str(learnt.values), str(learnt.files)))
        figures |= {f"learnt_{name}": learnt.values, f"files_{name}": learnt.files}
    if missing := [name for name in names if f"files_{name}" not in figures]:
        raise SystemExit(f"no attack is called {missing[0]}")
    if "files_ten" in figures:
        figures["files"] = figures["files_ten"]
    if "files_one" in figures:
        # A new result shows one of 101 whole points.
        figures["bits_budget"] = figures["files_one"] * math.log2(101)
    report(
        "Hidden values learnt, of 90 with two candidates each, on a board of 300 tasks",
        ("attack", "values", "files"),
        rows,
        figures,
    )


def strongest(
    name: str,
    *,
    accounts: int,
    addresses: int,
    days: int,
    settings: Mapping[str, Any],
    approved: bool,
    runs: int = 1,
) -> Learnt:
    """Play an attack with single values and with blocks; return the one that learnt more."""
    is_by_type = settings.get("rounding") == 0 and settings.get("feedback") != "overall"
    compares, publishes = name == "comparison", approved and name not in ("unpublished", "comparison")
    played = []
    # Of few values each outcome tells most, of many the files together.
    for number, block in enumerate((1, 3, _BLOCK)):
        planned = None
        # Twice: the first time the attacker learns how many files it can send.
        for round_number in range(2):
            world = make_world(f"{name.replace('_', '-')}-{number}-{round_number}", settings)
            published = 10**6 if is_by_type else world.board.publication_limit if publishes else 0
            owners = [make_account(world, n, addresses, approved=approved) for n in range(accounts)]
            limits = {"published": published, "planned": planned}
            attack = Attack(world, block=block, **limits, runs=runs, compares=compares)
            result = attack.run(owners, days)
            planned = result.files
            played.append(result)
    return max(played, key=lambda each: (each.values, -each.files))
