"""The files that clients send during a fault; no two are alike."""

import io
import json
import random
import zipfile
from pathlib import Path

SCORING = Path(__file__).resolve().parents[1] / "scoring"
MEDAGENTBENCH, FHIR = "medagentbench-demo", "fhir-agentbench-demo"
_RUNS, _PADDING = 3, 4_000_000
# JSON allows these between values; a quarter of all bytes becomes each of them.
_WHITESPACE = bytes(b" \n\t\r"[byte % 4] for byte in range(256))


def file_of(fault: str, number: int) -> tuple[str, bytes]:
    """Return the leaderboard and the bytes of a file; every fourth asks the judge."""
    match fault:
        case "splitting":
            return MEDAGENTBENCH, _archive(fault, number)
        case "keeping_traces" | "killed_for_memory":
            return FHIR, _answers(fault, number, trace=300_000)
    return (FHIR, _answers(fault, number)) if number % 4 == 3 else (MEDAGENTBENCH, _results(fault, number))


def _results(fault: str, number: int) -> bytes:
    document = json.loads((SCORING / "medagentbench/demo/good.json").read_bytes())
    document["results"][number % 50]["answer"] = f"[{number}.5]"
    # The benchmark does not read what it does not know.
    return json.dumps({**document, "fault": fault}).encode()


def _answers(fault: str, number: int, *, trace: int = 0) -> bytes:
    """Return a file of 20 questions, each with so many more characters in its trace."""
    document = json.loads((SCORING / "fhir_agentbench/demo/good.json").read_bytes())[:20]
    for record in document:
        record["agent_answer"] = f"{record['agent_answer']} ({fault} {number})"
        record["trace"].append({"role": "assistant", "content": "It reads. " * (trace // 10)})
    return json.dumps(document).encode()


def _archive(fault: str, number: int) -> bytes:
    """Return an archive of several runs, large enough that unpacking it can be interrupted."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        padding = random.randbytes(_PADDING).translate(_WHITESPACE)
        for run in range(_RUNS):
            archive.writestr(f"run-{run}.json", _results(fault, number + 13 * run) + padding)
    return packed.getvalue()
