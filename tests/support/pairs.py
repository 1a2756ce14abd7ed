"""Result files that differ in their answers to some tasks, and in nothing else."""

import json

from wardboard.scoring.fhir_agentbench import demo as fhir
from wardboard.scoring.medagentbench import demo as medagentbench

Tasks = frozenset[int]
_SIZE = 100_000  # bytes, of every file
NUMBERS = [
    place
    for place, result in enumerate(json.loads(medagentbench.GOOD.read_bytes())["results"])
    if result["task_id"].partition("_")[0] in ("task2", "task4", "task6", "task7")
]


def with_medagentbench(tasks: Tasks) -> bytes:
    document = json.loads(medagentbench.GOOD.read_bytes())
    for place in tasks:
        # A number where a number is asked for, so that the file alone gives no warning.
        document["results"][place]["answer"] = "[-7]"
    return json.dumps(document).encode().ljust(_SIZE)


def with_fhir(tasks: Tasks) -> bytes:
    records = json.loads(fhir.GOOD.read_bytes())
    for place in tasks:
        records[place]["agent_answer"] = "Nein, vielleicht doch."
    return json.dumps(records).encode().ljust(_SIZE)
