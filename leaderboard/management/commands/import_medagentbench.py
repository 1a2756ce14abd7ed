"""Import a ground truth of MedAgentBench and activate it."""

import hashlib
import json
from pathlib import Path

from django.core.management.base import CommandError
from django.utils.translation import gettext_noop
from tqdm import tqdm

from leaderboard.management.importing import ImportCommand, check_slug, refusal
from leaderboard.models import Benchmark, Feedback
from leaderboard.services.errors import ServiceError
from leaderboard.services.publishing.import_references import ImportRefused, import_references
from scoring.fhir import FhirError, FhirServer, RecordedFhir
from scoring.medagentbench import TasksInvalid, build_references
from scoring.medagentbench.reading.tasks import PUBLISHED, published_task_ids

QUESTION = gettext_noop(
    "{count} clinical tasks of ten types over a FHIR server: look up, work out, record, order. "
    "A task is right or wrong, by the official graders, against hidden references."
)

# Published version -> address of its board, and the title. Neither says "v2": the literature calls another
# benchmark that, so they go by the task file.
_BOARDS = {"v2": ("medagentbench-300", "MedAgentBench"), "v1": ("medagentbench-100", "MedAgentBench pilot")}


class Command(ImportCommand):
    help = "Build every reference of a MedAgentBench task file, then activate them as a new revision."

    def add_arguments(self, parser):
        parser.add_argument("--tasks", required=True, type=Path, metavar="FILE", help="the task file")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--fhir-server", metavar="URL", help="a FHIR R4 server that holds the patients")
        source.add_argument("--fhir-recording", type=Path, metavar="FILE", help="what record_fhir wrote")
        self.add_board_arguments(
            parser,
            slug="the board; medagentbench-300 or medagentbench-100 for the published task files",
            version="what a file of this board says as its version",
        )
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
            self.refuse_to_ignore(benchmark, options)
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
            raise CommandError(refusal(error)) from error
        except ServiceError as error:
            raise CommandError(error.detail) from error
        self.say(done)

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
    slug = options["slug"] or (_BOARDS[published][0] if published else None)
    if slug is None:
        raise CommandError("These are not the tasks of a published version: name the board with --slug.")
    check_slug(slug)
    stated = {address: version for version, (address, _) in _BOARDS.items()}.get(slug)
    stated = stated or slug.removeprefix("medagentbench-")
    if stated in PUBLISHED and stated != published:
        title = _BOARDS[stated][1]
        raise CommandError(f"These are not the tasks of {title} (test_data_{stated}): choose another --slug.")
    version = options["board_version"] or stated
    _, title = _BOARDS.get(version, (slug, f"MedAgentBench {version}"))
    return Benchmark(
        slug=slug,
        family="medagentbench",
        version=version,
        title=options["title"] or title,
        question=QUESTION.format(count=f"{len(ids):,}"),
        feedback=options["feedback"] or Feedback.BY_TYPE,
        position={"v2": 10, "v1": 20}.get(version, 100),
    )
