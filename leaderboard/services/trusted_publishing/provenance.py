"""Decide the provenance level of a submission, and refuse requests that contradict what is signed."""

from collections.abc import Iterator, Mapping

from leaderboard.models import CiJob, ProvenanceLevel
from leaderboard.services.errors import FactsInvalid
from wardboard.scoring.reading.problems import Problem, pointer, quote


def provenance_of(job: CiJob | None) -> ProvenanceLevel:
    """Return the level of a submission. job: None if an account submits."""
    if job is None:
        return ProvenanceLevel.ACCOUNT
    return ProvenanceLevel.CI_ATTESTED if job.artifact_sha256 else ProvenanceLevel.CI


def verified_release(job: CiJob | None) -> dict[str, str]:
    """Return the fields of `Release` that the job proves."""
    return {"commit": job.commit, "run_url": job.run_url} if job else {}


def refuse_contradictions(job: CiJob | None, *, stated: Mapping[str, str], sha256: str) -> None:
    """Raise FactsInvalid with every stated fact that differs from what the job proves.

    stated: fields of `Release`, without those that are not stated. sha256: of the file, or of several files
    """
    problems = list(_contradictions(verified_release(job), stated))
    if job is not None:
        problems += _other_file(job, sha256)
    if problems:
        raise FactsInvalid(problems)


def _contradictions(verified: Mapping[str, str], stated: Mapping[str, str]) -> Iterator[Problem]:
    if not verified:
        return
    commit, run_url = stated.get("commit", ""), stated.get("run_url", "")
    if not verified["commit"].startswith(commit):
        yield _contradiction("commit", commit, verified["commit"])
    # The page of an attempt or of a job is below that of the run.
    if run_url and run_url != verified["run_url"] and not run_url.startswith(f"{verified['run_url']}/"):
        yield _contradiction("run_url", run_url, verified["run_url"])


def _other_file(job: CiJob, sha256: str) -> Iterator[Problem]:
    if job.artifact_sha256 and job.artifact_sha256 != sha256:
        yield Problem(
            code="facts.not-attested",
            pointer=pointer("file"),
            message=f"The digest of the file is {sha256}; the CI system signed {job.artifact_sha256}.",
            hint="Ask for the ID token once the file is complete, or without a digest in its audience.",
        )


def _contradiction(name: str, stated: str, verified: str) -> Problem:
    return Problem(
        code="facts.contradict-ci",
        pointer=pointer(name),
        message=f"The request states {quote(stated)}; the CI system signed {quote(verified)}.",
        hint=f"Leave `{name}` out: the service fills it in.",
    )
