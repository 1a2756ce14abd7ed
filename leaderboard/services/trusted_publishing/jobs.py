"""Read the facts of a CI job from its ID token, and refuse jobs that do not match their publisher."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from leaderboard.models import TrustedPublisher
from leaderboard.services.errors import CiJobRefused
from leaderboard.services.trusted_publishing.id_tokens import IdToken, problem
from leaderboard.services.trusted_publishing.issuers import Issuer, IssuerKind
from wardboard.scoring.reading.problems import Problem, quote

_LONGEST = 255  # characters of a claim
_COMMIT = re.compile(r"[0-9a-f]{40,64}", re.ASCII)
# What people with write access to the repository start. Others can make a pull request, a comment or a fork,
# and so have a job run with files of theirs; a workflow_run may follow such a job.
EVENTS = {
    IssuerKind.GITHUB: (
        *("push", "release", "schedule", "workflow_dispatch", "repository_dispatch", "deployment"),
    ),
    IssuerKind.GITLAB: ("push", "schedule", "web", "api", "trigger", "pipeline", "parent_pipeline"),
}
REF_OF_REQUEST = re.compile(r"refs/(pull|merge-requests)/", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """What an issuer says about a job, with the fields of `CiJob`.

    called_workflow: the file with the steps of the job, where it is another one than `workflow`; "" else
    head: the branch of a pull request; "" where it is of none
    """

    repository: str
    repository_id: str
    workflow: str
    called_workflow: str
    ref: str
    head: str
    commit: str
    environment: str
    event: str
    run_url: str


# The names of claims; "" for one that an issuer does not have.
_NAMES = {
    # Source: docs.github.com, "OpenID Connect reference".
    IssuerKind.GITHUB: SimpleNamespace(
        repository="repository",
        repository_id="repository_id",
        workflow="workflow_ref",
        called_workflow="job_workflow_ref",
        head="head_ref",
        full_ref="ref",
        event="event_name",
        run="run_id",
    ),
    # Source: docs.gitlab.com, "OpenID Connect (OIDC) Authentication Using ID Tokens".
    IssuerKind.GITLAB: SimpleNamespace(
        repository="project_path",
        repository_id="project_id",
        workflow="ci_config_ref_uri",
        called_workflow="",
        head="",
        full_ref="ref_path",
        event="pipeline_source",
        run="job_id",
    ),
}


class _ClaimReader:
    """Read claims, and keep a problem for each that is missing or not as it should be."""

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self._claims = claims
        self.problems: list[Problem] = []

    def text(self, name: str, *, is_needed: bool = True) -> str:
        value = self._claims.get(name) if name else None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value in (None, ""):
            if is_needed:
                self._add("claim-missing", name, f"The token has no `{name}`.")
            return ""
        if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
            self._add("claim-invalid", name, f"The `{name}` of the token is “{quote(value)}”.")
            return ""
        return value

    def commit(self) -> str:
        text = self.text("sha")
        if text and not _COMMIT.fullmatch(text):
            self._add(
                "claim-invalid", "sha", f"The `sha` of the token is “{quote(text)}”, which is not a commit."
            )
        return text

    def workflow(self, name: str, prefix: str) -> str:
        """Return the path of a file in the repository, from a text such as owner/name/path@ref."""
        text = self.text(name)
        if not text:
            return ""
        path = text.removeprefix(prefix).rpartition("@")[0]
        # What is called may be in another repository, and keeps its name then.
        return path if text.startswith(prefix) else text

    def _add(self, code: str, name: str, message: str) -> None:
        hint = "Jobs without it cannot be verified. docs/ci.md says how a job asks for its token."
        self.problems.append(problem(code, name, message, hint))


def read_job(token: IdToken) -> JobFacts:
    """Return what a verified token says about its job. Raises CiJobRefused with every wrong claim."""
    names, reader = _NAMES[token.issuer.kind], _ClaimReader(token.claims)
    repository = reader.text(names.repository)
    prefix = _prefix(token.issuer, repository)
    workflow = reader.workflow(names.workflow, prefix)
    called = reader.workflow(names.called_workflow, prefix) if names.called_workflow else workflow
    run = reader.text(names.run)
    facts = JobFacts(
        repository=repository,
        repository_id=reader.text(names.repository_id),
        workflow=workflow,
        called_workflow="" if called == workflow else called,
        ref=reader.text(names.full_ref, is_needed=False) or reader.text("ref"),
        head=reader.text(names.head, is_needed=False),
        commit=reader.commit(),
        environment=reader.text("environment", is_needed=False),
        event=reader.text(names.event),
        run_url=_run_url(token.issuer, repository, run),
    )
    if reader.problems:
        raise CiJobRefused(reader.problems)
    return facts


def mismatches(publisher: TrustedPublisher, facts: JobFacts, issuer: Issuer) -> Iterator[Problem]:
    """Yield why a job is not one of the publisher's, without saying what the publisher has."""
    names = _NAMES[issuer.kind]
    if publisher.issuer != issuer.url:
        yield _other("issuer", "iss", issuer.url, "issuer")
    if publisher.repository.casefold() != facts.repository.casefold():
        yield _other("repository", names.repository, facts.repository, "repository")
    elif publisher.is_bound and publisher.repository_id != facts.repository_id:
        yield problem(
            "repository-id",
            names.repository_id,
            f"The repository {facts.repository} has the id {quote(facts.repository_id)}, and the publisher "
            "is bound to another id: a repository of this name was deleted or moved, and this is a new one.",
            "If it is yours, remove the publisher on the page of trusted publishers and add it again.",
        )
    if publisher.workflow != facts.workflow:
        yield _other("workflow", names.workflow, facts.workflow, "workflow file")
    elif facts.called_workflow:
        yield problem(
            "reusable-workflow",
            names.called_workflow,
            f"The steps of the job are in “{quote(facts.called_workflow)}”, which {facts.workflow} calls.",
            "Put the job that exchanges the token into the workflow file of the publisher itself.",
        )
    if publisher.environment and publisher.environment.casefold() != facts.environment.casefold():
        yield _other("environment", "environment", facts.environment or "none", "environment")
    yield from _refusals(facts, issuer, names)


def _refusals(facts: JobFacts, issuer: Issuer, names: SimpleNamespace) -> Iterator[Problem]:
    """Yield the reasons why a job is refused for every publisher."""
    events = EVENTS[issuer.kind]
    if facts.head or REF_OF_REQUEST.match(facts.ref):
        yield problem(
            "pull-request",
            names.event,
            f"The job is of a pull request ({facts.ref}), which people without rights to the repository "
            "can make.",
            "Submit from a branch or a tag; `wardboard validate` checks files in pull requests.",
        )
    elif facts.event not in events:
        yield problem(
            "event",
            names.event,
            f"The job was started by “{quote(facts.event)}”, which others than those with rights to the "
            "repository may cause.",
            f"Start the workflow by one of: {', '.join(events)}.",
        )


def _other(code: str, claim: str, value: str, noun: str) -> Problem:
    return problem(
        code,
        claim,
        f"The job’s {noun} is “{quote(value)}”, and the publisher has another one.",
        "Compare it with the page of trusted publishers, and add a publisher for it if it is right.",
    )


def _prefix(issuer: Issuer, repository: str) -> str:
    """Return what is before the path of a workflow file in the claims of an issuer."""
    if issuer.kind == IssuerKind.GITHUB:
        return f"{repository}/"
    return f"{issuer.site.partition('://')[2]}/{repository}//"


def _run_url(issuer: Issuer, repository: str, run: str) -> str:
    """Return the page of the run, as `wardboard submit --from-ci` states it too."""
    path = f"actions/runs/{run}" if issuer.kind == IssuerKind.GITHUB else f"-/jobs/{run}"
    return f"{issuer.site}/{repository}/{path}"
