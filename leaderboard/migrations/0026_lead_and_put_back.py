"""Keep since when the first row has led significantly, and which accepted reports were put back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0025_unranked_lane"),
    ]

    operations = [
        migrations.AddField(
            model_name="boardstatistics",
            name="leads_since",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="boardstatistics",
            name="leads_through",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="doubt",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Not decided yet"),
                    ("accepted", "Accepted: set aside"),
                    ("put-back", "Accepted, and put back since"),
                    ("declined", "Declined"),
                ],
                default="open",
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="doubt", name="doubt_state_known"),
        migrations.AddConstraint(
            model_name="doubt",
            constraint=models.CheckConstraint(
                condition=models.Q(state__in=["open", "accepted", "put-back", "declined"]),
                name="doubt_state_known",
            ),
        ),
    ]
