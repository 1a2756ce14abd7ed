"""Number designated files, keep what the rules of leaderboards are about, and those rules."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0017_replay"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="least_runs",
            field=models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="A result of fewer runs is listed without a rank. Run files that repeat another one do not count.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(10),
                ],
                verbose_name="least number of runs to be ranked",
            ),
        ),
        migrations.AddField(
            model_name="board",
            name="most_rounds",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="A result of which a task took more turns of the model, or does not state them, is listed without a rank. Empty for no limit.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="most rounds of a task to be ranked",
            ),
        ),
        migrations.AddField(
            model_name="board",
            name="needs_official_harness",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A result of another harness, or with none stated, is listed without a rank.",
                verbose_name="official harness required to be ranked",
            ),
        ),
        migrations.AddField(
            model_name="board",
            name="needs_traces",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A result whose file lacks the trace of an answer is listed without a rank.",
                verbose_name="trace of every answer required to be ranked",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="designation",
            field=models.PositiveIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="submission",
            name="deterministic",
            field=models.BooleanField(
                blank=True, help_text="Whether every run gives the same answers, as declared.", null=True
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="most_rounds",
            field=models.PositiveIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="submission",
            name="repeated_runs",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
