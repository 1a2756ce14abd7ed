"""Measure the rules on made-up answers and print a table for each half: python -m tools.judge_study [--write]

`--answers held-out` prints the answers instead. On these, `manage.py judge_agreement` measures any judge.
"""

import argparse
import json
from typing import Any

from tools.judge_study.make import Half, make_pairs
from tools.judge_study.styled import ENGLISH, Set, count, count_by, judge_answers, read_answers
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.agreement import Pair, measure
from wardboard.scoring.fhir_agentbench.judge.agreement_text import MEASURED
from wardboard.scoring.fhir_agentbench.judge.study import AgreementTable


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
        "styles": len(count_by(judged, "full_style")),
        "right": outcomes.right,
        "decided_right": outcomes.decided_right,
        "decided_right_95": [round(end, 3) for end in outcomes.decided_right_95],
        "called_wrong": outcomes.wrongly_rejected,
        "wrong": outcomes.wrong,
        "wrong_accepted": outcomes.wrongly_accepted,
    }


def as_line(pair: Pair) -> str:
    """Return a made-up answer as a line of the file that `judge_agreement` reads."""
    return json.dumps(
        {
            "question": pair.question,
            "true_answer": pair.true_answer,
            "agent_answer": pair.answer,
            "verdict": int(pair.right),
            "form": pair.form,
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store what leaderboards state")
    parser.add_argument("--answers", type=Half, metavar="|".join(Half), help="print the answers of a half")
    options = parser.parse_args()
    if options.answers:
        print(*map(as_line, make_pairs(options.answers)), sep="\n")
        return
    for half in Half:
        print(AgreementTable(measure(make_pairs(half), RulesJudge())).as_table(half))
    if options.write:
        MEASURED.write_text(json.dumps(stated(), indent=1) + "\n")


if __name__ == "__main__":
    main()
