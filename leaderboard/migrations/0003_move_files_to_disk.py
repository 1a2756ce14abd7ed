"""Uploads go from the database to the disk, and rows of published results are marked as such."""

import gzip
import uuid

from django.db import migrations


def move(apps, schema_editor):
    # The store as it is today: a file has a name and holds the bytes as they came.
    from leaderboard.services.files import store

    Submission = apps.get_model('leaderboard', 'Submission')
    Upload = apps.get_model('leaderboard', 'Upload')
    for pk in Submission.objects.filter(stored_as=None).values_list('pk', flat=True):
        upload = Upload.objects.filter(submission_id=pk).first()
        stored_as = uuid.uuid4()
        if upload is not None:
            stored_as = store.arrive([gzip.decompress(bytes(upload.gzipped))]).id
        Submission.objects.filter(pk=pk).update(stored_as=stored_as)
    apps.get_model('leaderboard', 'Standing').objects.filter(evaluation=None).update(kind='reported')


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0002_files_on_disk_and_judges'),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
    ]
