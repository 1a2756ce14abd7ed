"""Demand a value that this release does not write, as a later release might."""

from pkgutil import iter_modules

from django.db import migrations, models

from leaderboard import migrations as of_this_release


class Migration(migrations.Migration):
    code_level = 3
    dependencies = [("leaderboard", max(module.name for module in iter_modules(of_this_release.__path__)))]
    operations = [
        # Django removes the default from the table again, so every INSERT without the column fails.
        migrations.AddField("submission", "colour", models.CharField(default="grey", max_length=10)),
    ]
