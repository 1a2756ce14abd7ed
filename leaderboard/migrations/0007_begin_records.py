"""Rows get the facts of their systems, and the record of each board begins with its rows as they are."""

from django.db import migrations
from django.utils import timezone

_AT_ONCE = 500
_FACTS = (
    'name',
    'model_names',
    'organisation',
    'interaction',
    'retrieval',
    'reasoning',
    'open_weights',
    'source',
    'source_url',
)
_MOST_SEARCHED = 2000  # bytes
_TEXTS = ('team_name', 'models_text', 'search')
_GROUPS = ('breakdowns', 'group_metrics')


def _batches(rows):
    """Yield lists of rows by key: SQLite does not read on while it is written to."""
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by('pk')[:_AT_ONCE]):
        yield batch
        last = batch[-1].pk


def _fill(row):
    system = row.system
    for name in _FACTS:
        setattr(row, name, getattr(system, name))
    row.team_name = system.team.name if system.team else ''
    lines = '\n'.join(' '.join(model.split('\n')) for model in system.model_names)
    row.models_text = f'\n{lines}\n' if lines else ''
    names = (system.name, system.organisation, row.team_name, *system.model_names)
    search = '\n'.join(' '.join(name.casefold().split()) for name in names if name)
    row.search = search.encode()[:_MOST_SEARCHED].decode(errors='ignore')
    if row.evaluation_id:
        # Those of its evaluation are shown.
        row.breakdowns, row.group_metrics = {}, {}


def begin(apps, schema_editor):
    def model(name):
        return apps.get_model('leaderboard', name)

    Standing, Past = model('Standing'), model('PastStanding')
    for rows in _batches(Standing.objects.select_related('system__team')):
        for row in rows:
            _fill(row)
        Standing.objects.bulk_update(rows, [*_FACTS, *_TEXTS, *_GROUPS])
    held = [field.attname for field in Standing._meta.concrete_fields if not field.primary_key]
    for benchmark in model('Benchmark').objects.all():
        if model('BoardEvent').objects.filter(benchmark=benchmark).exists():
            # Gone back and come again: it has begun.
            continue
        now = timezone.now()
        event = model('BoardEvent').objects.create(
            benchmark=benchmark,
            number=1,
            rows_number=1,
            at=now,
            action='begun',
            revision_id=benchmark.active_revision_id,
            mixes_judges=benchmark.mixes_judges,
            feedback=benchmark.feedback,
        )
        counters = {'revision': 1, 'changed_at': now, 'number': 1, 'rows_number': 1}
        model('BoardState').objects.update_or_create(benchmark=benchmark, defaults=counters)
        for rows in _batches(Standing.objects.filter(benchmark=benchmark)):
            Past.objects.bulk_create(
                Past(**{name: getattr(row, name) for name in held}, event=event, number=1) for row in rows
            )


def give_groups_back(apps, schema_editor):
    """Rows of the release before have the groups of their evaluations themselves."""
    Standing = apps.get_model('leaderboard', 'Standing')
    for rows in _batches(Standing.objects.filter(evaluation__isnull=False).select_related('evaluation')):
        for row in rows:
            row.breakdowns, row.group_metrics = row.evaluation.breakdowns, row.evaluation.group_metrics
        Standing.objects.bulk_update(rows, _GROUPS)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0006_boards_to_believe'),
    ]

    operations = [
        migrations.RunPython(begin, give_groups_back),
    ]
