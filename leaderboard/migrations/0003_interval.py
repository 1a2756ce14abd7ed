"""Let the interval beside a score that is a range go on to the upper limit of its high end.

Rows of earlier releases have the interval of the low end alone. Its spread is taken for that of the high end
too: an interval of Wilson's kind follows from a rate and z**2 over the effective number of tasks, so this
number follows from a rate and its interval. The next scoring works it out of the answers. Rows of the record
stay as they were shown.
"""

from typing import Any

from django.db import migrations

from wardboard.scoring.statistics import Z_95, wilson_interval

_UPPER = "answer_correctness_upper"


def widen(apps: Any, schema_editor: Any) -> None:
    evaluations = apps.get_model("leaderboard", "Evaluation").objects.filter(metrics__left_open__gt=0)
    standings = apps.get_model("leaderboard", "Standing").objects
    for evaluation in evaluations.defer("verdicts", "details").iterator():
        stored = evaluation.clustered_interval
        rate, tasks = evaluation.right / evaluation.total, evaluation.total / evaluation.runs
        if stored is None:
            stored = {"low": wilson_interval(rate * tasks, tasks)[0], "by": []}
            spread = Z_95**2 / tasks
        else:
            spread = _spread(rate, stored["high"] - stored["low"])
        high = wilson_interval(evaluation.metrics[_UPPER] / spread, 1 / spread, 1.0)[1]
        ends = {**stored, "high": high}
        evaluations.filter(pk=evaluation.pk).update(clustered_interval=ends)
        rows = standings.filter(evaluation=evaluation.pk, kind="rescored")
        rows.update(low=ends["low"], high=ends["high"])


def _spread(rate: float, width: float) -> float:
    """Return the k with which Wilson's interval of a rate, z**2 over its number of tasks being k, is so wide."""
    # Half the width is sqrt(rate * (1 - rate) * k + k**2 / 4) / (1 + k); one root of its square is positive.
    square = (width / 2) ** 2
    a, b = square - 0.25, 2 * square - rate * (1 - rate)
    return float((-b - (b * b - 4 * a * square) ** 0.5) / (2 * a))


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0002_written_once")]

    operations = [migrations.RunPython(widen, migrations.RunPython.noop)]
