"""Write result files of invented systems that find the same tasks hard. For pictures only."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bench._fhir_submission import BenchQuestion
from tools.demo.medagentbench.build import result_file
from wardboard.scoring.medagentbench.grading.references import Reference

# How much luck each system has with a task, where the spread of difficulty is 1. On real leaderboards too,
# neighbours agree on most tasks.
_LUCK = 0.6


def medagentbench_file(tasks: list[dict[str, Any]], *, version: str, wrong: int, seed: int) -> bytes:
    """Return a result file in which `wrong` of the `tasks` have a wrong answer."""
    document = result_file(tasks, {}, version=version)
    document["run"] = seed
    for index in _hardest(len(tasks), wrong, seed):
        document["results"][index].update(answer="[0]", post_history=[])
    return json.dumps(document).encode()


def flawed_references(references: dict[str, Reference]) -> dict[str, Reference]:
    """Return `references` with an error that is corrected later: six daily means of another day."""
    means = [task for task in references if task.startswith("task6_")][:6]
    return references | {
        task: replace(references[task], value=(references[task].value or 100) + 21.5) for task in means
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Describe how a system answers questions about a record.

    correct: share of right answers.
    recall: how often it retrieves all true resources of a type; otherwise it retrieves some.
    noise: how many other resources it retrieves beside each true one.
    cost: US dollars per million tokens.
    """

    correct: float
    recall: float
    noise: float
    cost: float


def fhir_agentbench_file(questions: Sequence[BenchQuestion], style: Style, seed: int) -> bytes:
    """Return a run of FHIR-AgentBench as its runner writes it."""
    wrong = set(_hardest(len(questions), round(len(questions) * (1 - style.correct)), seed))
    return json.dumps(list(_records(questions, style, wrong, Random(seed)))).encode()  # noqa: S311 - a picture


def _records(
    questions: Sequence[BenchQuestion], style: Style, wrong: set[int], rng: Random
) -> Iterator[dict[str, Any]]:
    for index, question in enumerate(questions):
        reference = question.reference
        # A wrong answer often comes from resources that were not retrieved.
        recall = style.recall * (0.72 if index in wrong else 1.0)
        resources = {}
        for resource_type, ids in (reference.true_ids or {}).items():
            retrieved = ids if rng.random() < recall else rng.sample(ids, rng.randrange(len(ids)))
            others = sum(rng.random() < style.noise / 3 for _ in range(3 * len(ids)))
            resources[resource_type] = [*retrieved, *(_uuid(rng) for _ in range(others))]
        if not resources and rng.random() < style.noise / 4:
            resources["Observation"] = [_uuid(rng)]
        tokens = int(rng.lognormvariate(8.4, 0.5))
        yield {
            "question_id": reference.task_id,
            "agent_answer": rng.choice(question.wrong_answers if index in wrong else question.right_answers),
            "agent_fhir_resources": resources,
            "error": None,
            "usage": {
                "prompt_tokens": tokens,
                "completion_tokens": tokens // 12,
                "total_tokens": tokens + tokens // 12,
                "cost": round(tokens * style.cost / 1_000_000, 5),
            },
        }


def _hardest(count: int, wrong: int, seed: int) -> list[int]:
    """Return the indices of the `wrong` tasks that are hardest to the system with this seed."""
    difficulty, luck = Random(0), Random(seed)  # noqa: S311 - a picture
    hardness = [difficulty.gauss() + _LUCK * luck.gauss() for _ in range(count)]
    return sorted(range(count), key=hardness.__getitem__)[count - wrong :]


def _uuid(rng: Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
