"""Let a revision set tasks aside."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0019_number_designated_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="set_aside_count",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="Tasks that the active revision sets aside; set when one becomes active.",
            ),
        ),
        migrations.AddField(
            model_name="referencerevision",
            name="full",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.referencerevision",
            ),
        ),
        migrations.AddField(
            model_name="referencerevision",
            name="set_aside",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddConstraint(
            model_name="referencerevision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("full__isnull", True), ("set_aside", [])),
                    models.Q(("full__isnull", False), models.Q(("set_aside", []), _negated=True)),
                    _connector="OR",
                ),
                name="revision_sets_aside_of_another",
            ),
        ),
    ]
