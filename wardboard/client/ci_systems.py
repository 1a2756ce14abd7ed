"""What CI systems say of a job: its commit, its page, and whether what it runs is merged."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from wardboard.scoring.reading.formats.values import first_text, instant, value_at

Variables = Mapping[str, str]


class CiSystem(NamedTuple):
    """The variables of a CI system. tag: or ref. requests: only of a pull request. page: made of several."""

    name: str
    commit: str
    tag: str
    requests: str
    page: str

    def facts(self, environment: Variables) -> dict[str, str]:
        """Return commit, version and page of a job, as far as named; a page only with TLS and a full host."""
        tag = variable(environment, self.tag).removeprefix("refs/tags/")
        parts = {name: variable(environment, name) for _, name, *_ in Formatter().parse(self.page) if name}
        page = self.page.format_map(parts).replace(" ", "%20") if all(parts.values()) else ""
        facts = {
            "commit": variable(environment, self.commit),
            "version": "" if tag.startswith("refs/") else tag,
            "run_url": page if page.startswith("https://") and "." in urlsplit(page).netloc else "",
        }
        return {key: value for key, value in facts.items() if value}


_TABLE = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]
CI_SYSTEMS = tuple(CiSystem(*line.split("\t")) for line in _TABLE)
_COMMIT = re.compile("[0-9a-fA-F]{7,64}")
_NO_REQUEST = ("", "false")  # as Buildkite and Travis say that there is none
# Jenkins sets one of these too; others have its variable for the commit.
_OF_JENKINS = ("JENKINS_URL", "BUILD_URL", "BUILD_TAG")


def systems_of(environment: Variables) -> list[CiSystem]:
    """Return the CI systems that name the commit of a job."""
    is_jenkins = any(variable(environment, name) for name in _OF_JENKINS)
    # A branch, or HEAD, is no commit.
    named = [each for each in CI_SYSTEMS if _COMMIT.fullmatch(variable(environment, each.commit))]
    return [system for system in named if is_jenkins or system.commit != "GIT_COMMIT"]


def commits_of(environment: Variables) -> list[str]:
    """Return the commits of a job: what its CI system names, then the head of its pull request."""
    if not (named := [variable(environment, system.commit) for system in systems_of(environment)]):
        return []
    event = _event(environment)
    request, run = value_at(event, "pull_request", "head", "sha"), value_at(event, "workflow_run", "head_sha")
    variables = ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "SYSTEM_PULLREQUEST_SOURCECOMMITID")
    heads = (request, run, *map(environment.get, variables))
    return [*named, *(head for head in heads if isinstance(head, str))]


def committed_on(environment: Variables) -> date | None:
    """Return the day, in UTC, on which the commit of a job was made; None where nothing says it."""
    stated = first_text(value_at(_event(environment), "head_commit", "timestamp"))
    at = instant(variable(environment, "CI_COMMIT_TIMESTAMP") or stated)
    return datetime.fromtimestamp(at / 1000, UTC).date() if at else None


def unmerged_work(environment: Variables) -> str:
    """Return what a job runs that is not merged, such as "a pull request"; "" where nothing says so."""
    event = _event(environment)
    of_ref = ("GITHUB_REF", "BUILD_SOURCEBRANCH", "CODEBUILD_SOURCE_VERSION")
    refs = [variable(environment, name) for name in of_ref]
    of_event = ("GITHUB_EVENT_NAME", "CI_PIPELINE_SOURCE", "CODEBUILD_WEBHOOK_EVENT")
    events = [variable(environment, name).lower() for name in of_event]
    # A workflow_run follows another job, and a comment may be one on a pull request.
    events.append(first_text(value_at(event, "workflow_run", "event")))
    if "merge_group" in events or any("/gh-readonly-queue/" in ref for ref in refs):
        return "a merge queue"
    requests = [name for system in CI_SYSTEMS for name in system.requests.split()]
    is_request = (
        any(variable(environment, name).lower() not in _NO_REQUEST for name in requests)
        or any(name.startswith(("pull_request", "merge_request", "external_pull")) for name in events)
        or any(ref.startswith(("refs/pull/", "pr/")) for ref in refs)
        or value_at(event, "issue", "pull_request")
    )
    return "a pull request" if is_request else ""


def is_of_fork(environment: Variables) -> bool:
    """Return whether a pull request from a fork left this job without secrets, as its CI system states it.

    Source: docs.github.com, "Events that trigger workflows" (the payload of `pull_request`).
    """
    # Pipelines of a merge request that run in the parent project have its secrets, as `pull_request_target`.
    source, target = (environment.get(f"CI_MERGE_REQUEST_{side}PROJECT_ID") for side in ("SOURCE_", ""))
    if source and target:
        return source != target and environment.get("CI_PROJECT_ID") == source
    event = variable(environment, "GITHUB_EVENT_NAME")
    if not event.startswith("pull_request") or event == "pull_request_target":
        of_azure = variable(environment, "SYSTEM_PULLREQUEST_ISFORK").lower() == "true"
        return of_azure or any(variable(environment, name) for name in ("CIRCLE_PR_NUMBER", "CHANGE_FORK"))
    request = value_at(_event(environment), "pull_request")
    head, base = (value_at(request, side, "repo", "id") for side in ("head", "base"))
    # A fork that was deleted since is null.
    return base is not None and head != base


def _event(environment: Variables) -> Any:
    """Return the event that started a job of GitHub; None where there is none that can be read."""
    try:
        return json.loads(Path(environment.get("GITHUB_EVENT_PATH", "")).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def variable(environment: Variables, name: str) -> str:
    return environment.get(name, "").strip()
