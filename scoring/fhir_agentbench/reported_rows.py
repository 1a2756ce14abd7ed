"""The results published in the FHIR-AgentBench paper, not rescored here."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from wardboard.scoring.fhir_agentbench.grading.baselines import NULL_AGENT
from wardboard.scoring.fhir_agentbench.grading.breakdowns import PUBLISHED_COUNT, PUBLISHED_SIZES
from wardboard.scoring.fhir_agentbench.grading.figures import f1
from wardboard.scoring.reported import ReportedRow, SawTest, read_groups
from wardboard.scoring.verdicts import Rate, Share

BASELINE_SOURCE = "FHIR-AgentBench baseline"
_NOT_PUBLISHED = (
    "precision_all_types",
    "recall_fraction",
    "coverage",
    "tokens_per_question",
    "cost_per_question",
)


@cache
def reported_rows(version: str) -> tuple[ReportedRow, ...]:
    """Return the published rows of `version` in the paper's order, the null agent's, and those without rank.

    Returns none for a version other than the published one.
    """
    text = Path(__file__).with_name("reported_rows.json").read_text(encoding="utf-8")
    document = json.loads(text)
    if version != document["version"]:
        return ()
    others = json.loads(text, parse_float=Decimal)["not_ranked"]
    metrics = ("answer_correctness", "precision", "recall", "f1", *_NOT_PUBLISHED)
    return (
        *(_row(row, document) for row in document["rows"]),
        _null_agent(document),
        *read_groups(others, ranked=metrics[0], metrics=metrics),
    )


def _null_agent(document: Mapping[str, Any]) -> ReportedRow:
    """Return the null agent's row, computed from the sizes of the groups.

    It is right, with precision and recall 1, where there is nothing to find; elsewhere its recall is 0 and
    it has no precision, as by the official evaluator.
    """
    total, empty_answers = PUBLISHED_COUNT, PUBLISHED_SIZES["empty"]
    recall = empty_answers / total
    return ReportedRow(
        system=NULL_AGENT,
        model="",
        open_weights=None,
        overall=Rate(right=empty_answers, total=total),
        metrics={
            "answer_correctness": empty_answers / total,
            "precision": 1.0,
            "recall": recall,
            "f1": f1(1.0, recall),
            # Its precision is over the questions without an answer alone, and it retrieves nothing.
            "precision_share": recall,
            "f1_share": recall,
            "retrieval_rate": 0.0,
            **dict.fromkeys(_NOT_PUBLISHED),
        },
        source=BASELINE_SOURCE,
        source_url="",
        published_on=date.fromisoformat(document["published_on"]),
        breakdowns={
            "resource_type": {
                key: Rate(right=size if key == "empty" else 0, total=size)
                for key, size in PUBLISHED_SIZES.items()
            }
        },
        group_metrics={
            "resource_type": {
                key: _retrieval(1.0, 1.0) if key == "empty" else _retrieval(None, 0.0)
                for key in PUBLISHED_SIZES
            }
        },
        is_baseline=True,
    )


def _row(row: Mapping[str, Any], document: Mapping[str, Any]) -> ReportedRow:
    precision, recall, correctness = row["figures"]
    by_type: Mapping[str, Sequence[float | None]] = row.get("by_type", {})
    return ReportedRow(
        system=f"{row['approach']}, {row['model']}",
        model=row["model"],
        # Take the printed rate: no count of questions gives that of one row, named in reported_rows.json.
        overall=Share(rate=correctness, total=document["questions"]),
        metrics={
            "answer_correctness": correctness,
            **_retrieval(precision, recall),
            **dict.fromkeys(_NOT_PUBLISHED),
        },
        source=document["sources"]["A3" if by_type else "A2"],
        source_url=document["source_url"],
        published_on=date.fromisoformat(document["published_on"]),
        breakdowns={"resource_type": _rates(by_type)} if by_type else {},
        group_metrics={"resource_type": {key: _retrieval(*of[:2]) for key, of in by_type.items()}}
        if by_type
        else {},
        judge=document["judge"],
        scored_by=document["scored_by"],
        saw_test=SawTest.NO,
        **document["models"][row["model"]],
        **document["approaches"][row["approach"]],
    )


def _rates(by_type: Mapping[str, Sequence[float | None]]) -> dict[str, Share]:
    return {
        key: Share(rate=correctness, total=PUBLISHED_SIZES[key])
        for key, (_, _, correctness) in by_type.items()
        if correctness is not None
    }


def _retrieval(precision: float | None, recall: float | None) -> dict[str, float | None]:
    """Return the printed precision and recall, and F1, which was not printed, if both are known."""
    of_both = None if None in (precision, recall) else f1(precision, recall)
    return {"precision": precision, "recall": recall, "f1": of_both}
