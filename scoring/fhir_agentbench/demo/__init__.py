"""The demonstration: sixty questions about invented patients.

`tools/demo/fhir_agentbench/` writes the files named here; see README.md.
"""

from pathlib import Path

FOLDER = Path(__file__).parent

QUESTIONS = FOLDER / "questions.csv"

GOOD = FOLDER / "good.json"
NOISY = FOLDER / "noisy.json"
MALFORMED = FOLDER / "malformed.json"
