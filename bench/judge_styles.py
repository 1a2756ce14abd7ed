"""Measure the rules on answers in styles that their writers chose: `make bench NAME=judge_styles`.

README.md beside this file describes who wrote them and what is measured.
"""

import sys
from pathlib import Path

from _report import report

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.judge_study.styled import (  # noqa: E402
    ENGLISH,
    Outcomes,
    Set,
    StyledAnswer,
    count,
    count_by,
    judge_answers,
    read_answers,
)
from wardboard.scoring.fhir_agentbench.judge import RulesJudge  # noqa: E402

HEADER = (
    "",
    "wordings",
    "right",
    "decided right",
    "95% interval",
    "called wrong",
    "wrong",
    "accepted",
    "left open",
)
Judged = list[tuple[StyledAnswer, bool | None]]


def main() -> None:
    figures: dict[str, float] = {}
    rows: list[list[str]] = []
    for which in Set:
        judged = judge_answers(read_answers(which), RulesJudge())
        english = [one for one in judged if one[0].language == ENGLISH]
        rows.append([f"{which}, English", *[""] * (len(HEADER) - 1)])
        for style, outcomes in count_by(english, "full_style").items():
            rows.append(row(f"  {style}", outcomes))
            of_style = [one for one in english if one[0].full_style == style]
            rows += [row(f"    {kind}", one) for kind, one in count_by(of_style, "kind").items()]
        rows += [
            row(f"  all of kind {kind}", outcomes) for kind, outcomes in count_by(english, "kind").items()
        ]
        rows.append(row("  all styles", count(english)))
        rows.append([f"{which}, by language", *[""] * (len(HEADER) - 1)])
        rows += [
            row(f"  {language}", outcomes) for language, outcomes in count_by(judged, "language").items()
        ]
        figures |= figures_of(which, english, judged)
    report("The rules on answers in styles that their writers chose", HEADER, rows, figures)


def row(name: str, outcomes: Outcomes) -> list[str]:
    low, high = outcomes.decided_right_95
    share = f"{outcomes.decided_right / outcomes.right:.1%}" if outcomes.right else "-"
    return [
        name,
        str(outcomes.right + outcomes.wrong),
        str(outcomes.right),
        share,
        f"{low:.1%} to {high:.1%}" if outcomes.right else "-",
        str(outcomes.wrongly_rejected),
        str(outcomes.wrong),
        str(outcomes.wrongly_accepted),
        str(outcomes.left_open),
    ]


def figures_of(which: Set, english: Judged, judged: Judged) -> dict[str, float]:
    """Return the figures for programs: counts, and shares of 0..1."""
    outcomes, others = count(english), count(one for one in judged if one[0].language != ENGLISH)
    styles = count_by(english, "full_style").values()
    name = which.replace("-", "_")
    return {
        f"{name}_wordings": len(english),
        f"{name}_decided_right": outcomes.decided_right / outcomes.right,
        f"{name}_styles": len(styles),
        f"{name}_styles_at_90": sum(one.decided_right >= 0.9 * one.right for one in styles),
        f"{name}_called_wrong": outcomes.wrongly_rejected,
        f"{name}_wrong": outcomes.wrong,
        f"{name}_wrong_accepted": outcomes.wrongly_accepted,
        f"{name}_other_languages": others.right + others.wrong,
        f"{name}_other_languages_called_wrong": others.wrongly_rejected,
        f"{name}_other_languages_accepted": others.wrongly_accepted,
    }


if __name__ == "__main__":
    main()
