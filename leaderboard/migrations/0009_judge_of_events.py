"""Events say which evaluation they tell of, and which judge the board then had.

Of events that are there the judge is that of the newest baseline or result scored until then: nobody wrote
down which the board had. It stays unknown ("") before the first.
"""

import django.db.models.deletion
from django.db import migrations, models

_AT_ONCE = 500


def _batches(events):
    """Yield lists of events by number: SQLite does not read on while it is written to."""
    last = 0
    while batch := list(events.filter(number__gt=last).order_by("number")[:_AT_ONCE]):
        yield batch
        last = batch[-1].number


def _evaluation_of(event, known, row_of):
    """Return which of `known`, the evaluations of its submission, `event` tells of; None where there is none
    with its figures. row_of: the evaluation of the row that it wrote, if it did."""

    def likely(evaluation):
        return (
            evaluation.pk == row_of,
            evaluation.created_at <= event.at,
            evaluation.revision_id == event.revision_id,
            evaluation.created_at,
        )

    same = [one for one in known if (one.right, one.total) == (event.right, event.total)]
    return max(same, key=likely, default=None)


def fill(apps, schema_editor):
    def model(name):
        return apps.get_model("leaderboard", name)

    Event, Evaluation, Past = model("BoardEvent"), model("Evaluation"), model("PastStanding")
    told = ("submission", "revision", "right", "total", "judge", "created_at")
    for benchmark in model("Benchmark").objects.order_by("pk").values_list("pk", flat=True):
        judge, since = "", None
        for batch in _batches(Event.objects.filter(benchmark=benchmark)):
            rows = Past.objects.filter(event__in=batch).exclude(event__action="begun")
            row_of = {row.event_id: row for row in rows.only("event", "evaluation", "judge")}
            known = {}
            for one in Evaluation.objects.filter(submission__in={e.submission_id for e in batch}).only(*told):
                known.setdefault(one.submission_id, []).append(one)
            for event in batch:
                row = row_of.get(event.pk)
                found = _evaluation_of(event, known.get(event.submission_id, ()), row and row.evaluation_id)
                event.evaluation = found
                if event.action == "begun":
                    begun = Evaluation.objects.filter(pk__in=event.rows.values("evaluation"))
                    found = begun.only(*told).order_by("-created_at", "-pk").first()
                if event.action in ("rescored", "baseline"):
                    judge, since = (found or row).judge, event.at
                # A result may be published long after it was scored.
                elif found and (since is None or found.created_at >= since):
                    judge, since = found.judge, found.created_at
                event.judge = judge
            Event.objects.bulk_update(batch, ["evaluation", "judge"])


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0008_board_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="boardevent",
            name="evaluation",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.evaluation",
            ),
        ),
        migrations.AddField(
            model_name="boardevent",
            name="judge",
            field=models.CharField(blank=True, default="", max_length=120),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
