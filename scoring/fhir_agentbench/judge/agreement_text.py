"""The sentence on a leaderboard about how reliable the rules of its judge are."""

from scoring.fhir_agentbench.judge.agreement import MEASURED, measured_agreement
from scoring.reading.messages import phrase

_OUT_OF_SAMPLE = "held-out"


def agreement_sentence(judge: str) -> str:
    """Return the sentence about the judge with the identity `judge`.

    The figures are of answers with wordings that the rules were not written with. "" for a judge without
    rules, with rules of another version than measured, or without a measurement.
    """
    measured = measured_agreement() if MEASURED.exists() else {}
    figures = measured.get(_OUT_OF_SAMPLE)
    if figures is None or not (judge == figures["judge"] or _ends_with_rules(judge, figures["judge"])):
        return ""
    judged = figures["judged"]
    low, high = judged["accuracy_95"]
    return phrase(
        "Of {pairs:,} answers in {forms} forms, worded in ways that the rules were not written for, they "
        "decide {decided}, and {accuracy} of these rightly (95% interval {low} to {high}).",
        pairs=judged["pairs"],
        forms=len(figures["by_form"]),
        decided=_percent(judged["share_decided"]),
        accuracy=_percent(judged["accuracy"]),
        low=_percent(low),
        high=_percent(high),
    )


def _ends_with_rules(judge: str, rules: str) -> bool:
    return judge.startswith("hybrid ") and judge.endswith(f" {rules}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
