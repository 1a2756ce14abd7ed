

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0003_open'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='allow_empty',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='submission',
            name='no_answers',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
    ]
