"""Let a leaderboard offer public traces, and a team make those of a result public."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0012_left_out"),
    ]

    operations = [
        migrations.AddField(
            model_name="board",
            name="public_traces",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A team may let everyone read what its agent did at each task, once the result is "
                "published. Only where files are kept as they came, and never with credentialed data.",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="public_traces",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="Whether its team lets everyone read its traces while it is published.",
            ),
        ),
        migrations.AddConstraint(
            model_name="board",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("public_traces", False),
                    models.Q(("data_class", "credentialed"), _negated=True),
                    _connector="OR",
                ),
                name="benchmark_credentialed_traces_hidden",
                violation_error_message="Traces of credentialed data are never public.",
            ),
        ),
    ]
