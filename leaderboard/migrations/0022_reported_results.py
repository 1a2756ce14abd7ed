"""Keep the results that were published elsewhere as data, which organisers add, correct and remove."""

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0021_doubts"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReportedResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("source", models.CharField(max_length=200)),
                ("is_ranked", models.BooleanField()),
                ("stated", models.JSONField()),
                ("groups", models.JSONField(default=dict)),
                ("is_of_release", models.BooleanField(default=False)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                ("removal_reason", models.CharField(blank=True, default="", max_length=300)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reported_results",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "changed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "ordering": ["board", "source", "name"],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("board"),
                        django.db.models.functions.text.Lower("source"),
                        django.db.models.functions.text.Lower("name"),
                        name="reported_result_once",
                    ),
                    models.CheckConstraint(
                        condition=~models.Q(name="") & ~models.Q(source=""), name="reported_result_is_named"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(is_ranked=False)
                        | models.Q(removed_at__isnull=False)
                        | models.Q(system__isnull=False),
                        name="reported_result_ranked_has_system",
                    ),
                ],
            },
        ),
    ]
