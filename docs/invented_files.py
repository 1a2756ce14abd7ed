"""Result files of invented systems, in which the same tasks are hard for all. For pictures only."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bench._fhir_submission import Question
from scoring.medagentbench.demo.build import result_file
from scoring.medagentbench.grading.references import Reference

# Of a system with a task, where the spread of difficulty is 1: neighbours on real boards agree on most tasks.
_LUCK = 0.6


def medagentbench_file(tasks: list[dict], *, version: str, wrong: int, seed: int) -> bytes:
    """Return a result file with `wrong` of `tasks` answered wrongly."""
    document = result_file(tasks, {}, version=version)
    document["run"] = seed
    for place in _hardest(len(tasks), wrong, seed):
        document["results"][place].update(answer="[0]", post_history=[])
    return json.dumps(document).encode()


def first_references(references: dict[str, Reference]) -> dict[str, Reference]:
    """Return `references` as they were before an error in them was found: means of a day, of another day."""
    means = [task for task in references if task.startswith("task6_")][:6]
    return references | {
        task: replace(references[task], value=(references[task].value or 100) + 21.5) for task in means
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a system answers questions over a record. right: share of answers that are. found: how often it
    retrieves all true resources of a type, else some. astray: how many others beside each true one. cost:
    US dollars for a million tokens."""

    right: float
    found: float
    astray: float
    cost: float


def fhir_agentbench_file(questions: Sequence[Question], style: Style, seed: int) -> bytes:
    """Return a run of FHIR-AgentBench, as its runner writes it."""
    wrong = set(_hardest(len(questions), round(len(questions) * (1 - style.right)), seed))
    return json.dumps(list(_records(questions, style, wrong, Random(seed)))).encode()  # noqa: S311 - a picture


def _records(questions, style: Style, wrong: set[int], rng: Random) -> Iterator[dict[str, Any]]:
    for place, question in enumerate(questions):
        reference = question.reference
        # Who answers wrongly has often not found what the answer takes.
        found = style.found * (0.72 if place in wrong else 1.0)
        resources = {}
        for kind, ids in (reference.true_ids or {}).items():
            taken = ids if rng.random() < found else rng.sample(ids, rng.randrange(len(ids)))
            others = sum(rng.random() < style.astray / 3 for _ in range(3 * len(ids)))
            resources[kind] = [*taken, *(_uuid(rng) for _ in range(others))]
        if not resources and rng.random() < style.astray / 4:
            resources["Observation"] = [_uuid(rng)]
        tokens = int(rng.lognormvariate(8.4, 0.5))
        yield {
            "question_id": reference.task_id,
            "agent_answer": rng.choice(question.wrong if place in wrong else question.right),
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
    difficulty, luck = Random(0), Random(seed)  # noqa: S311 - a picture
    of = [difficulty.gauss() + _LUCK * luck.gauss() for _ in range(count)]
    return sorted(range(count), key=of.__getitem__)[count - wrong :]


def _uuid(rng: Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
