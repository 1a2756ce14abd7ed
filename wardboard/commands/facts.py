"""What `wardboard submit` can state about a system and its run: the fields of the API, as options."""

import os
from collections.abc import Mapping
from typing import Any

import click

from wardboard.ci.gates import COMMIT_VARIABLES, Gate, judge_stated_commit
from wardboard.errors import WrongUse
from wardboard.scoring.facts import FACTS, Fact, Kind
from wardboard.submitting import field_text

# `wardboard submit` itself has the options for the name of the system and for its models.
_FACTS = tuple(fact for fact in FACTS if fact.key not in ("system", "models"))
# People would take `--retries` for repeated requests.
_OPTIONS = {"retries": "--retries-note"}
# The fields that can be stated beside facts: name -> help.
_OTHERS = {
    "take_back": "names of facts that are no longer stated, separated by commas",
    "runs": "how many runs were planned, if more than there are files",
    "acknowledgement": "version of the terms that you acknowledge, for credentialed data",
}


def fact_parameters() -> list[click.Parameter]:
    """Return an option for each field that states something."""
    return [
        *map(_option_for, _FACTS),
        *(
            click.Option([f"--{name.replace('_', '-')}"], metavar="TEXT", help=text)
            for name, text in _OTHERS.items()
        ),
        click.Option(
            ["--from-ci"],
            is_flag=True,
            help="state commit, tag and page of the run as GitHub Actions or GitLab CI name them; public",
        ),
    ]


def _option_for(fact: Fact) -> click.Option:
    """Return the option of a fact. The service explains a value that it refuses."""
    name = _OPTIONS.get(fact.key, f"--{fact.key.replace('_', '-')}")
    text = fact.explains[0].lower() + fact.explains[1:].removesuffix(".")
    if fact.kind is Kind.YES_NO:
        return click.Option([f"{name}/--no-{name.removeprefix('--')}", fact.key], default=None, help=text)
    return click.Option([name, fact.key], metavar="TEXT", help=text)


def fields_of(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields that the options state, and with --from-ci what the CI system knows."""
    names = (*(fact.key for fact in _FACTS), *_OTHERS)
    stated = {name: arguments[name] for name in names if arguments[name] is not None}
    from_ci = facts_of_ci(os.environ) if arguments["from_ci"] else {}
    return [(name, field_text(value)) for name, value in (from_ci | stated).items()]


def notes_on_commit(arguments: Mapping[str, Any]) -> list[Gate]:
    """Return the doubt about a commit that --commit and the CI system name otherwise.

    Raises WrongUse with --strict, which takes no doubt: nothing is sent then.
    """
    note = judge_stated_commit(arguments["commit"] or "", os.environ) if arguments["from_ci"] else None
    if note and arguments["strict"]:
        raise WrongUse(f"{note.message} --strict takes no such doubt: leave --from-ci or --commit out")
    return [note] if note else []


def facts_of_ci(environment: Mapping[str, str]) -> dict[str, str]:
    """Return commit, version and page of the run, as far as the CI system names them.

    Raises WrongUse where it names no commit: a stale file could not be recognised; and where two are named.
    """

    def text(name: str) -> str:
        return environment.get(name, "").strip()

    commits = {commit for name in COMMIT_VARIABLES if (commit := text(name))}
    if not commits:
        raise WrongUse(
            "--from-ci reads the commit from GITHUB_SHA (GitHub Actions) or CI_COMMIT_SHA (GitLab CI), and "
            "both are missing or empty: set one, or give --commit and --run-url in place of --from-ci"
        )

    if len(commits) > 1:
        raise WrongUse(
            "GITHUB_SHA and CI_COMMIT_SHA name two commits, and --from-ci cannot know which one ran: unset "
            "the one that is not of this CI system"
        )
    # All of one system: variables of another may be left in a container or a runner.
    if text("GITHUB_SHA"):
        page = f"{text('GITHUB_SERVER_URL')}/{text('GITHUB_REPOSITORY')}/actions/runs/{text('GITHUB_RUN_ID')}"
        page = page if text("GITHUB_RUN_ID") else ""
        tag = text("GITHUB_REF_NAME") if text("GITHUB_REF_TYPE") == "tag" else ""
    else:
        page, tag = text("CI_JOB_URL"), text("CI_COMMIT_TAG")
    facts = {"commit": commits.pop(), "version": tag, "run_url": page}
    return {name: value for name, value in facts.items() if value}
