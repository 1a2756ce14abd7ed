"""Import the questions of FHIR-AgentBench with their references and activate them."""

import hashlib
from collections import Counter
from io import BytesIO
from pathlib import Path

from django.core.management.base import CommandError
from django.utils.translation import gettext_noop

from leaderboard.management.importing import ImportCommand, check_slug, refusal
from leaderboard.models import Benchmark, Feedback
from leaderboard.services.errors import ServiceError
from leaderboard.services.publishing.import_references import ImportRefused, import_references
from scoring.fhir_agentbench import QuestionsInvalid, read_questions
from scoring.fhir_agentbench.grading.breakdowns import BREAKDOWNS, PUBLISHED_SIZES, resource_type

SLUG = "fhir-agentbench"
PUBLISHED_VERSION = "1"

QUESTION = gettext_noop(
    "{count} clinical questions on patients of a FHIR server: find the resources, then work out the answer. "
    "A judge compares the answer with a hidden one; what was retrieved is compared with hidden resources."
)


class Command(ImportCommand):
    help = "Read the questions of FHIR-AgentBench from a CSV file, then activate them as a new revision."

    def add_arguments(self, parser):
        parser.add_argument("--questions", required=True, type=Path, metavar="CSV", help="the questions")
        self.add_board_arguments(
            parser,
            slug=f"the board (default: {SLUG})",
            version=f"the board's version (default: {PUBLISHED_VERSION}, which the paper's results are of)",
        )
        parser.add_argument(
            "--allow-missing-ids",
            action="store_true",
            help="go on although the file has no column true_fhir_ids: only answers will be scored then, "
            "and questions without an answer are not told apart",
        )

    def handle(self, *args, **options):
        path = options["questions"]
        try:
            raw = path.read_bytes()
            references = read_questions(BytesIO(raw), allow_missing_ids=options["allow_missing_ids"])
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}") from error
        except QuestionsInvalid as error:
            lines = "\n".join(f"  {problem}" for problem in error.problems)
            raise CommandError(f"{path.name} cannot be used; nothing was imported.\n{lines}") from error
        benchmark = _benchmark(len(references), options)
        self.refuse_to_ignore(benchmark, options)
        try:
            done = import_references(
                benchmark=benchmark,
                references=references,
                origin=f"questions {path.name} sha256 {hashlib.sha256(raw).hexdigest()[:12]}",
            )
        except ImportRefused as error:
            raise CommandError(refusal(error)) from error
        except ServiceError as error:
            raise CommandError(error.detail) from error
        self.say(done)
        self._say_sizes(references)

    def _say_sizes(self, references):
        found = Counter(map(resource_type, references.values()))
        labels = BREAKDOWNS[0].groups
        rows = [(label, found[key], PUBLISHED_SIZES.get(key, 0)) for key, label in labels.items()]
        rows = [row for row in rows if row[1] or row[2]]
        rows.append(("Total", len(references), sum(PUBLISHED_SIZES.values())))
        self.stdout.write(f"\n{'True resources':<30}{'here':>8}{'paper':>8}")
        for label, here, paper in rows:
            mark = "" if here == paper else f"{here - paper:>+9,}"
            self.stdout.write(f"{label:<30}{here:>8,}{paper:>8,}{mark}")
        differing = sum(here != paper for _, here, paper in rows[:-1])
        if not differing:
            self.stdout.write(self.style.SUCCESS("Complete: all sizes are the paper's."))
            return
        self.stdout.write(
            self.style.WARNING(
                f"{differing} of {len(rows) - 1} sizes differ from the paper's: this is not the published "
                "set, and figures on it cannot be compared with published ones."
            )
        )
        if found["unknown"]:
            self.stdout.write(
                self.style.WARNING("The true resources are not known: retrieval is not scored on this board.")
            )


def _benchmark(count: int, options) -> Benchmark:
    slug = options["slug"] if options["slug"] is not None else SLUG
    check_slug(slug)
    version = options["board_version"] or PUBLISHED_VERSION
    title = "FHIR-AgentBench" if version == PUBLISHED_VERSION else f"FHIR-AgentBench {version}"
    return Benchmark(
        slug=slug,
        family="fhir-agentbench",
        version=version,
        title=options["title"] or title,
        question=QUESTION.format(count=f"{count:,}"),
        feedback=options["feedback"] or Feedback.BY_TYPE,
        # Traces, which are never graded, are most of a file.
        keep_originals=False,
        position=30 if slug == SLUG else 100,
    )
