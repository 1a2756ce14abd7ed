"""Texts about MedAgentBench and its metrics, for its pages, as about.json has them.

`coverage` is not a column: nearly all rows have all tasks answered.
"""

from pathlib import Path

from wardboard.scoring.benchmark import read_texts

ABOUT, METRICS = read_texts(Path(__file__).with_name("about.json"))
