"""Let people watch a leaderboard by email; say of an account that it attests no origin."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0006_one_publication"),
    ]

    operations = [
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="leaderboard.board"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("board", "user"), name="watch_once")],
            },
        ),
        migrations.AlterField(
            model_name="submission",
            name="provenance",
            field=models.CharField(
                choices=[
                    ("account", "Account (origin not attested)"),
                    ("ci-attested", "CI job, attested file"),
                ],
                default="account",
                max_length=12,
            ),
        ),
    ]
