"""Let an order to rescore name the revision that becomes active once every result has its score by it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0027_levels_of_demonstrations"),
    ]

    operations = [
        migrations.AddField(
            model_name="rescoringorder",
            name="revision",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="leaderboard.referencerevision",
            ),
        ),
        migrations.AddField(
            model_name="rescoringorder",
            name="ordered_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
