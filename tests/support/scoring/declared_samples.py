"""Declarations, and what they make of files."""

from io import BytesIO

import yaml

from wardboard.scoring.declared import Declared
from wardboard.scoring.grade import grade_all, read_answers

HEAD = {
    "declaration": 1,
    "slug": "small-set",
    "title": "Small set",
    "description": "Answer it.\n\nIn a word.",
}
# By topic, with several metrics.
TOPICS = yaml.safe_load("""
match: {kind: normalised}
references: {format: csv, id: nr, gold: truth}
breakdowns: [{key: topic, field: area, label: Topic, groups: {h: Heart, k: Kidney}}]
clusters: [{key: patient, label: patients, singular: patient}]
metrics:
  - {kind: exact-match, label: Accuracy}
  - {kind: token-f1}
  - {kind: mean, key: cost, field: cost_usd, label: Cost, unit: usd}
""")
GOLD = b"nr,truth,area,patient,question\n1,left atrium,h,p1,Q1\n2,nephron,k,p1,Q2\n3,aorta,h,,Q3\n"
ROWS = (
    b'{"id":1,"answer":"Left atrium","cost_usd":0.5}\n{"id":2,"answer":"a neuron"}\n{"id":3,"error":"late"}\n'
)


class Upload(BytesIO):
    name = "gold"
    read_bytes = BytesIO.getvalue


def declared(**parts):
    return Declared(yaml.safe_dump(HEAD | parts).encode())


def truth(benchmark, data):
    """Return the ground truth in a file of references."""
    options = {"references": Upload(data), "slug": None, "board_version": None}
    return benchmark.read_ground_truth(options)


def graded(benchmark, data, references, judge=None):
    return grade_all(benchmark, read_answers(benchmark, data, references), references, judge=judge)
