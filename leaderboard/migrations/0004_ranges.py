"""Let the interval beside a score that is a range go on to the upper limit of its high end.

Rows of earlier releases have the interval of the low end alone. Its spread is taken for that of the high end
too: an interval of Wilson's kind follows from a rate and z**2 over the effective number of tasks, so this
number follows from a rate and its interval. The next scoring works it out of the answers. Rows of the record
stay as they were shown.
"""

from typing import Any

from django.db import migrations

_UPPER = "answer_correctness_upper"
_Z_95 = 1.959963984540054


def widen(apps: Any, schema_editor: Any) -> None:
    evaluations = apps.get_model("leaderboard", "Evaluation").objects.filter(metrics__left_open__gt=0)
    standings = apps.get_model("leaderboard", "Standing").objects
    for evaluation in evaluations.defer("verdicts", "details").iterator():
        stored = evaluation.clustered_interval
        rate, tasks = evaluation.right / evaluation.total, evaluation.total / evaluation.runs
        if stored is None:
            spread = _Z_95**2 / tasks
            stored = {"low": _interval(rate, spread)[0], "by": []}
        else:
            spread = _spread(rate, stored["high"] - stored["low"])
        ends = {**stored, "high": _interval(evaluation.metrics[_UPPER], spread)[1]}
        evaluations.filter(pk=evaluation.pk).update(clustered_interval=ends)
        rows = standings.filter(evaluation=evaluation.pk, kind="rescored")
        rows.update(low=ends["low"], high=ends["high"])


def _interval(rate: float, spread: float) -> tuple[float, float]:
    """Return Wilson's interval of a rate, z**2 over its number of tasks being the spread."""
    half = (rate * (1 - rate) * spread + spread**2 / 4) ** 0.5
    low, high = ((rate + spread / 2 + side * half) / (1 + spread) for side in (-1, 1))
    return max(0.0, low), min(1.0, high)


def _spread(rate: float, width: float) -> float:
    """Return the spread with which the interval of a rate is so wide."""
    # Half the width is sqrt(rate * (1 - rate) * k + k**2 / 4) / (1 + k); one root of its square is positive.
    square = (width / 2) ** 2
    a, b = square - 0.25, 2 * square - rate * (1 - rate)
    return float((-b - (b * b - 4 * a * square) ** 0.5) / (2 * a))


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_claims")]

    operations = [migrations.RunPython(widen, migrations.RunPython.noop)]
