"""Keep with a submission how the responses in its traces compare with a recorded FHIR server."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0016_public_traces"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="replay",
            field=models.JSONField(
                editable=False,
                help_text="For its team and organisers: how responses in traces compare with a recorded "
                "FHIR server.",
                null=True,
            ),
        ),
    ]
