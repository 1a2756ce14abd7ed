"""Record a FHIR server's answers to the queries of a task file."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from wardboard.scoring import registry
from wardboard.scoring.fhir import FhirError, record


class Command(BaseCommand):
    help = "Write a recording that import_references --fhir-recording reads; gzip when OUT ends in .gz."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tasks", required=True, type=Path, metavar="FILE")
        parser.add_argument("--fhir-server", required=True, metavar="URL")
        parser.add_argument("out", type=Path, metavar="OUT")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tasks = json.loads(options["tasks"].read_bytes())
            benchmarks = registry.BENCHMARKS.values()
            queries = [query for benchmark in benchmarks for query in benchmark.fhir_queries(tasks)]
        except (OSError, ValueError, RecursionError, TypeError, AttributeError) as error:
            raise CommandError(f"{options['tasks']} cannot be read as a task file: {error}") from error
        try:
            with tqdm(total=len(queries), unit="query", file=self.stderr, disable=None) as bar:
                record(options["fhir_server"], queries, options["out"], progress=bar.update)
        except (FhirError, OSError, ValueError) as error:
            raise CommandError(f"{error}\nNothing was written.") from error
        self.stdout.write(self.style.SUCCESS(f"{options['out']}: answers to {len(queries)} queries"))
