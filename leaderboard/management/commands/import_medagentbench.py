"""Import a ground truth of MedAgentBench and activate it."""

import hashlib
import json
import re
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from leaderboard.models import Benchmark, Feedback
from leaderboard.services.errors import ServiceError
from leaderboard.services.importing import ImportRefused, import_references, load_reported
from scoring.fhir import FhirError, FhirServer, RecordedFhir
from scoring.medagentbench import TasksInvalid, build_references
from scoring.medagentbench.board import PUBLISHED, published_task_ids

QUESTION = (
    "{count} clinical tasks of ten types over a FHIR server: look up, work out, record, order. "
    "A task is right or wrong, by the official graders, against hidden references."
)


_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


class Command(BaseCommand):
    help = "Build every reference of a MedAgentBench task file, then activate them as a new revision."

    def add_arguments(self, parser):
        parser.add_argument("--tasks", required=True, type=Path, metavar="FILE", help="the task file")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--fhir-server", metavar="URL", help="a FHIR R4 server that holds the patients")
        source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="what record_fhir wrote")
        parser.add_argument("--slug", help="the board; medagentbench-v1 or -v2 for the published task files")
        parser.add_argument("--board-version", help="what a file of this board says as its version")
        parser.add_argument("--title", help="the board's name for people")
        parser.add_argument("--feedback", choices=Feedback.values, help="what submitters see (new boards)")
        parser.add_argument(
            "--allow-unusable",
            action="store_true",
            help="go on although some tasks cannot be graded: every answer to them will be wrong",
        )

    def handle(self, *args, **options):
        tasks, digest = _read_tasks(options["tasks"])
        benchmark = _benchmark(tasks, options)
        source, origin = self._source(options)
        try:
            with tqdm(total=len(tasks), unit="task", file=self.stderr, disable=None) as bar:
                references = build_references(tasks, source, progress=bar.update)
            self._refuse_to_ignore(benchmark, options)
            done = import_references(
                benchmark=benchmark,
                references=references,
                origin=f"tasks {options['tasks'].name} sha256 {digest[:12]}; {origin}",
                allow_unusable=options["allow_unusable"],
            )
        except TasksInvalid as error:
            raise CommandError(f"{options['tasks'].name} is no task file: {error}") from error
        except FhirError as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        except ImportRefused as error:
            raise CommandError(_refusal(error)) from error
        except ServiceError as error:
            raise CommandError(error.detail) from error
        self._say(done)

    def _refuse_to_ignore(self, benchmark, options):
        """What is said of a board that is there already is changed in the admin, where it is recorded."""
        known = Benchmark.objects.filter(slug=benchmark.slug).first()
        for name in ("feedback", "title"):
            if known and options[name] and options[name] != getattr(known, name):
                raise CommandError(
                    f"{known.slug} is there already, with {name} “{getattr(known, name)}”. Nothing was "
                    f"imported: change it in /admin/ first, or leave --{name} out."
                )

    def _source(self, options):
        try:
            if options["fhir_server"]:
                server = FhirServer(options["fhir_server"])
                return server, f"FHIR server {server.base_url}"
            path = options["fhir_recording"]
            recording = RecordedFhir(path)
            return recording, f"recording {path.name} sha256 {_sha256(path)[:12]}"
        except (FhirError, OSError, ValueError) as error:
            raise CommandError(str(error)) from error

    def _say(self, done):
        revision, board = done.revision, done.revision.benchmark
        if not done.changed:
            self.stdout.write(
                f"{board.slug}: this is the content of revision {revision.number} "
                f"(sha256 {revision.digest}), which is active. Nothing was changed."
            )
            return
        self.stdout.write(
            self.style.SUCCESS(
                f"{board.slug}: revision {revision.number} is active: {revision.task_count} tasks, "
                f"{revision.unusable_count} of them unusable, sha256 {revision.digest}"
            )
        )
        if reported := load_reported(benchmark=board):
            self.stdout.write(f"{reported} published results are on the board as reported.")
        if done.outdated:
            self.stdout.write(
                f"{done.outdated} submission(s) were scored against another revision. "
                f"To score them again: manage.py rescore {board.slug}"
            )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_tasks(path: Path):
    try:
        raw = path.read_bytes()
        return json.loads(raw), hashlib.sha256(raw).hexdigest()
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{path} cannot be read as a task file: {error}") from error


def _benchmark(tasks, options) -> Benchmark:
    ids = [task.get("id") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    # In order too: a runs.jsonl counts tasks by their place.
    published = next((v for v in PUBLISHED if ids == list(published_task_ids(v))), None)
    slug = options["slug"] or (f"medagentbench-{published}" if published else None)
    if slug is None:
        raise CommandError("These are not the tasks of a published version: name the board with --slug.")
    if not _SLUG.fullmatch(slug):
        raise CommandError(f"--slug {slug}: small letters, digits and hyphens only, at most 60 of them.")
    of_version = slug.removeprefix("medagentbench-")
    if of_version in PUBLISHED and of_version != published:
        raise CommandError(f"These are not the tasks of MedAgentBench {of_version}: choose another --slug.")
    version = options["board_version"] or slug.removeprefix("medagentbench-")
    return Benchmark(
        slug=slug,
        family="medagentbench",
        version=version,
        title=options["title"] or f"MedAgentBench {version}",
        question=QUESTION.format(count=f"{len(ids):,}"),
        feedback=options["feedback"] or Feedback.BY_TYPE,
        position={"v2": 10, "v1": 20}.get(version, 100),
    )


def _refusal(error: ImportRefused) -> str:
    lines = [f"  {task}: {why}" for task, why in error.unusable.items()]
    if not lines:
        return f"{error.detail} Nothing was imported."
    fix = "Mend the source, or go on with --allow-unusable: every answer to these tasks will then be wrong."
    return "\n".join([f"{error.detail} Nothing was imported.", *lines, fix])
