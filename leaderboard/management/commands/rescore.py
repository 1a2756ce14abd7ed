"""Score a board's submissions again, against its active revision."""

from django.core.management.base import BaseCommand, CommandError

from leaderboard.models import Benchmark
from leaderboard.services.submissions.rescore import rescore


class Command(BaseCommand):
    help = "Score every scored submission of a board that was scored against another revision or scorer."

    def add_arguments(self, parser):
        parser.add_argument("slug")

    def handle(self, *args, **options):
        benchmark = Benchmark.objects.filter(slug=options["slug"]).select_related("active_revision").first()
        if benchmark is None or not benchmark.is_open:
            raise CommandError(f"There is no board {options['slug']} with a ground truth.")
        done = rescore(benchmark=benchmark)
        self.stdout.write(f"{benchmark.slug}: {done.changed} submission(s) scored again")
        for submission, why in done.left.items():
            self.stderr.write(f"  {submission} was left as it is: {why}")
        if done.left:
            raise CommandError(f"{len(done.left)} submission(s) could not be scored again.")
