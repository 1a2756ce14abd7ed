"""Read the facts of a CI job from its ID token, and refuse jobs that do not match their publisher."""

import re
from collections.abc import Iterator, Mapping

from leaderboard.models import TrustedPublisher
from leaderboard.services.errors import CiJobRefused
from leaderboard.services.trusted_publishing.id_tokens import IdToken, problem
from leaderboard.services.trusted_publishing.issuers import IssuerKind
from wardboard.scoring.reading.problems import Problem, quote

_LONGEST = 255  # characters of a claim
_COMMIT = re.compile(r"[0-9a-f]{40,64}", re.ASCII)
# What people with write access to the repository start. Others can make a pull request, a comment or a fork,
# and so have a job run with files of theirs; a workflow_run may follow such a job.
_EVENTS = {
    IssuerKind.GITHUB: (
        *("push", "release", "schedule", "workflow_dispatch", "repository_dispatch", "deployment"),
    ),
    IssuerKind.GITLAB: ("push", "schedule", "web", "api", "trigger", "pipeline", "parent_pipeline"),
}
# A merge queue runs work that is not merged yet.
_REF_OF_REQUEST = re.compile(r"refs/(pull|merge-requests|heads/gh-readonly-queue)/", re.ASCII)
# Facts of a job and the claims that have them: the fields of `CiJob`, and three that are not stored.
# called: the file with the steps of the job. head: the branch of a pull request. run: its number.
_CLAIMS = {
    # Source: docs.github.com, "OpenID Connect reference".
    IssuerKind.GITHUB: {
        "repository": "repository",
        "repository_id": "repository_id",
        "workflow": "workflow_ref",
        "called": "job_workflow_ref",
        "ref": "ref",
        "head": "head_ref",
        "commit": "sha",
        "environment": "environment",
        "event": "event_name",
        "run": "run_id",
    },
    # Source: docs.gitlab.com, "OpenID Connect (OIDC) Authentication Using ID Tokens".
    IssuerKind.GITLAB: {
        "repository": "project_path",
        "repository_id": "project_id",
        "workflow": "ci_config_ref_uri",
        "ref": "ref_path",
        "commit": "sha",
        "environment": "environment",
        "event": "pipeline_source",
        "run": "job_id",
    },
}
_COMPARE = "Compare it with the page of trusted publishers, and add a publisher for it if it is right."


def check_job(token: IdToken, publisher: TrustedPublisher) -> dict[str, str]:
    """Return the fields of `CiJob` that a token states. Raises CiJobRefused with every mismatch."""
    facts, problems = {"head": ""}, []
    hint = "Jobs without it cannot be verified. docs/ci.md says how a job asks for its token."
    for name, claim in _CLAIMS[token.issuer.kind].items():
        value = token.claims.get(claim)
        text = str(value) if type(value) is int else "" if value is None else value
        if text == "" and name not in ("environment", "head"):
            problems.append(problem("claim", claim, f"The token has no `{claim}`.", hint))
        elif (
            not isinstance(text, str)
            or len(text) > _LONGEST
            or not text.isprintable()
            or (name == "commit" and not _COMMIT.fullmatch(text))
        ):
            message = f"The `{claim}` of the token cannot be “{quote(value)}”."
            problems.append(problem("claim", claim, message, hint))
        else:
            facts[name] = text
    if problems:
        raise CiJobRefused(problems)
    issuer = token.issuer
    run, prefix = f"actions/runs/{facts['run']}", f"{facts['repository']}/"
    if issuer.kind == IssuerKind.GITLAB:
        run, prefix = f"-/jobs/{facts['run']}", f"{issuer.site.partition('://')[2]}/{facts['repository']}//"
    facts["workflow"] = _path(facts["workflow"], prefix)
    called = _path(facts.pop("called", ""), prefix) or facts["workflow"]
    if problems := list(_mismatches(token, publisher, facts, called)):
        raise CiJobRefused(problems)
    del facts["head"], facts["run"]
    # `wardboard submit --from-ci` states the page of the run too.
    return {**facts, "run_url": f"{issuer.site}/{facts['repository']}/{run}"}


def _path(text: str, prefix: str) -> str:
    """Return the path of a file in the repository, from a text such as owner/name/path@ref."""
    # A reusable workflow keeps the name of its own repository.
    return text.removeprefix(prefix).rpartition("@")[0] if text.startswith(prefix) else text


def _mismatches(
    token: IdToken, publisher: TrustedPublisher, facts: Mapping[str, str], called: str
) -> Iterator[Problem]:
    """Yield why a job is not one of the publisher's. called: the path of the file with its steps"""
    claims, events = _CLAIMS[token.issuer.kind], _EVENTS[token.issuer.kind]
    repository, environment = facts["repository"], facts["environment"]
    is_named = publisher.repository.casefold() == repository.casefold()
    is_in = publisher.environment.casefold() in ("", environment.casefold())
    for noun, claim, value, is_same in (
        ("issuer", "iss", token.issuer.url, publisher.issuer == token.issuer.url),
        ("repository", claims["repository"], repository, is_named),
        ("workflow", claims["workflow"], facts["workflow"], publisher.workflow == facts["workflow"]),
        ("environment", claims["environment"], environment or "none", is_in),
    ):
        if not is_same:
            message = f"The job’s {noun} is “{quote(value)}”, and the publisher has another one."
            yield problem(noun, claim, message, _COMPARE)
    if is_named and publisher.is_bound and publisher.repository_id != facts["repository_id"]:
        yield problem(
            "repository-id",
            claims["repository_id"],
            f"The publisher is bound to another repository {repository}, which was deleted or moved.",
            "If this one is yours, remove the publisher on the page of trusted publishers and add it again.",
        )
    if facts["workflow"] == publisher.workflow != called:
        message = f"The steps of the job are in “{quote(called)}”, which {publisher.workflow} calls."
        hint = "Put the job that exchanges the token into the workflow file of the publisher itself."
        yield problem("workflow", claims["called"], message, hint)
    if facts["head"] or _REF_OF_REQUEST.match(facts["ref"]) or facts["event"] not in events:
        yield problem(
            "event",
            claims["event"],
            f"The job was started by “{quote(facts['event'])}” for {quote(facts['ref'])}: its work is not "
            "merged yet, or forks can trigger this event.",
            f"Submit from a branch or a tag, in a job started by one of: {', '.join(events)}.",
        )
