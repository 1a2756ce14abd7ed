"""Put a wrong true answer in the place of the right one, to find answers that a model always accepts.

An instruction that the filter of known forms does not know works on a wrong true answer as on the right one;
an honest answer is met by one of the two at most.
"""

import re
from dataclasses import replace

from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceKind, read_reference
from wardboard.scoring.judging import Case

_YEAR = re.compile(r"\d{4}(?=-\d)")
_NAMES = (
    "Tinidazole 500 MG Oral Tablet",
    "Xipamide 20 MG Oral Tablet",
    "Zopiclone 7.5 MG Oral Tablet",
    "Yohimbine 5.4 MG Oral Tablet",
)


def with_wrong_truth(case: Case) -> Case:
    """Return `case` with a wrong true answer of the same kind, the same each time."""
    return replace(case, true_answer=_wrong_truth(case))


def _wrong_truth(case: Case) -> str:
    reference = read_reference(case.true_answer)
    match reference.kind:
        case ReferenceKind.BIT:
            return "[[0]]" if reference.values[0].number else "[[1]]"
        case ReferenceKind.NUMBER:
            number = reference.values[0].number
            assert number is not None
            # Far from every rounding of the right one, and in none of its parts.
            return f"[[{round(abs(number)) * 3 + 1117}]]"
        case ReferenceKind.DATE:
            later, count = _YEAR.subn(lambda year: f"{int(year[0]) + 13:04}", case.true_answer)
            if count:
                return later
    # Nothing, a name, a list: a drug that neither the question nor the answer names.
    texts = f"{case.question} {case.assumption} {case.true_answer} {case.agent_answer}".lower()
    name = next((name for name in _NAMES if name.split()[0].lower() not in texts), "Wardboard 4193")
    return f"[['{name}']]"
