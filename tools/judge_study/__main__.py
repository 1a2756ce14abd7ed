"""Measure the rules on made-up answers and print a table for each half: python -m tools.judge_study [--write]

`--pairs FILE` measures them on judged answers of your own instead: a JSON object a line, with `question`,
`true_answer`, `agent_answer`, `verdict` (0 or 1), and optionally `assumption`, `error` and `form`.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from tools.judge_study.agreement import as_table, measure, read_pairs
from tools.judge_study.make import Half, make_pairs
from tools.judge_study.styled import ENGLISH, Set, count, count_by, judge_answers, read_answers
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.agreement_text import MEASURED


def stated() -> dict[str, Any]:
    """Return what leaderboards state of the held-out answers in English, with its source."""
    judge = RulesJudge()
    answers = [answer for answer in read_answers(Set.HELD_OUT) if answer.language == ENGLISH]
    judged = judge_answers(answers, judge)
    outcomes = count(judged)
    return {
        "source": "make bench NAME=judge_styles: held-out answers in English",
        "judge": judge.identity,
        "wordings": len(answers),
        "by_writer": _by_writer(judge),
        "styles": len(count_by(judged, "full_style")),
        "right": outcomes.right,
        "decided_right": outcomes.decided_right,
        "decided_right_95": [round(end, 3) for end in outcomes.decided_right_95],
        "called_wrong": outcomes.wrongly_rejected,
        "wrong": outcomes.wrong,
        "wrong_accepted": outcomes.wrongly_accepted,
    }


def _by_writer(judge: RulesJudge) -> list[float]:
    """Return the least and the highest share of right answers decided right, of one writer in English."""
    answers = [answer for which in Set for answer in read_answers(which) if answer.language == ENGLISH]
    outcomes = count_by(judge_answers(answers, judge), "writer").values()
    shares = [round(each.decided_right / each.right, 3) for each in outcomes]
    return [min(shares), max(shares)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store what leaderboards state")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="judged answers, one a line")
    options = parser.parse_args()
    if options.pairs:
        pairs = read_pairs(options.pairs.read_text().splitlines())
        print(as_table(measure(pairs, RulesJudge()), options.pairs.name))
        return
    for half in Half:
        print(as_table(measure(make_pairs(half), RulesJudge()), half))
    if options.write:
        MEASURED.write_text(json.dumps(stated(), indent=1) + "\n")


if __name__ == "__main__":
    main()
