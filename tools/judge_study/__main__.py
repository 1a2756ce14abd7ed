"""Measure the rules on made-up answers and print a table for each half: python -m tools.judge_study [--write]

`--answers held-out` prints the answers instead. On these, `manage.py judge_agreement` measures any judge.
"""

import argparse
import json
from typing import Any

from scoring.fhir_agentbench.judge import RulesJudge
from scoring.fhir_agentbench.judge.agreement import Agreement, Pair, measure
from scoring.fhir_agentbench.judge.agreement_text import MEASURED
from scoring.fhir_agentbench.judge.study import AgreementTable
from tools.judge_study.make import PER_FORM, Half, make_pairs


def stated(agreement: Agreement) -> dict[str, Any]:
    """Return what leaderboards state of the held-out answers, with its source."""
    figures = agreement.judged.as_json()
    return {
        "source": f"python -m tools.judge_study: held-out answers, {PER_FORM} in each form",
        "judge": agreement.judge,
        "forms": len(agreement.by_form),
        **{key: figures[key] for key in ("pairs", "share_decided", "accuracy", "accuracy_95")},
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
        agreement = measure(make_pairs(half), RulesJudge())
        print(AgreementTable(agreement).as_table(half))
        if options.write and half is Half.HELD_OUT:
            MEASURED.write_text(json.dumps(stated(agreement), indent=1) + "\n")


if __name__ == "__main__":
    main()
