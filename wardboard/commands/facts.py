"""What `wardboard submit` can state about a system and its run: the fields of the API, as options."""

import os
from collections.abc import Mapping
from typing import Any

import click

from wardboard.submitting import field_text

# Name of the field -> help. Those of the service; it explains a value that it refuses.
_TEXTS = {
    "organisation": "who made the system",
    "code_url": "address of its code",
    "paper_url": "address of its paper",
    "version": "version or release that was run",
    "commit": "commit of its code that was run",
    "run_url": "page of the run, such as a job of CI; https alone",
    "note": "a note on the run",
    "interaction": "single-turn or multi-turn",
    "retrieval": "query-generator, retriever, both or none",
    "reasoning": "language or code",
    "harness": "official, own-tools or prefetch",
    "harness_name": "name of another harness",
    "tools": "what it may use",
    "cost_per_task": "mean US dollars per task",
    "seconds_per_task": "mean seconds per task",
    "run_on": "day of the run, such as 2026-11-01",
    "fhir_image": "digest of the FHIR server's image",
    "take_back": "names of facts that are no longer stated, separated by commas",
    "runs": "how many runs were planned, if more than there are files",
    "acknowledgement": "version of the terms that you acknowledge, for credentialed data",
}
_FLAGS = {
    "open_weights": "whether the weights of its models are open",
    "task_memory": "whether it had memory or examples from the benchmark's tasks",
    "trained_on_benchmark": "whether a model was trained or tuned on the benchmark",
}


def fact_parameters() -> list[click.Parameter]:
    """Return an option for each field that states something."""
    return [
        *(
            click.Option([f"--{name.replace('_', '-')}"], metavar="TEXT", help=text)
            for name, text in _TEXTS.items()
        ),
        # `--retries` would be taken for repeated requests.
        click.Option(
            ["--retries-note", "retries"], metavar="TEXT", help="what was run again, and why; public"
        ),
        *(
            click.Option(
                [f"--{name.replace('_', '-')}/--no-{name.replace('_', '-')}"], default=None, help=text
            )
            for name, text in _FLAGS.items()
        ),
        click.Option(
            ["--from-ci"],
            is_flag=True,
            help="state commit, tag and page of the run as GitHub Actions or GitLab CI name them; public",
        ),
    ]


def fields_of(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields that the options state, and with --from-ci what the CI system knows."""
    stated = {name: arguments[name] for name in (*_TEXTS, "retries", *_FLAGS) if arguments[name] is not None}
    from_ci = facts_of_ci(os.environ) if arguments["from_ci"] else {}
    return [(name, field_text(value)) for name, value in (from_ci | stated).items()]


def facts_of_ci(environment: Mapping[str, str]) -> dict[str, str]:
    """Return commit, version and page of the run, as far as the CI system names them."""

    def text(name: str) -> str:
        return environment.get(name, "")

    page = ""
    if text("GITHUB_RUN_ID"):
        page = f"{text('GITHUB_SERVER_URL')}/{text('GITHUB_REPOSITORY')}/actions/runs/{text('GITHUB_RUN_ID')}"
    tag = text("GITHUB_REF_NAME") if text("GITHUB_REF_TYPE") == "tag" else text("CI_COMMIT_TAG")
    facts = {
        "commit": text("GITHUB_SHA") or text("CI_COMMIT_SHA"),
        "version": tag,
        "run_url": page or text("CI_JOB_URL"),
    }
    return {name: value for name, value in facts.items() if value}
