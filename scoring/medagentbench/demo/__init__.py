"""The demonstration: fifty tasks on invented patients, which need no ground truth.

`tools/demo/medagentbench/` writes the files named here; see README.md.
"""

from pathlib import Path

FOLDER = Path(__file__).parent

VERSION = "demo"

TASKS = FOLDER / "tasks.json"
RECORDING = FOLDER / "fhir.ndjson"

PERFECT = FOLDER / "perfect.json"
GOOD = FOLDER / "good.json"
MIDDLING = FOLDER / "middling.json"
MALFORMED = FOLDER / "malformed.json"
RUNS = FOLDER / "runs.jsonl"
