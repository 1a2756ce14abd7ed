"""Decide the provenance level of a submission, and refuse requests that contradict its CI job."""

from collections.abc import Iterator, Mapping

from leaderboard.models import CiJob, ProvenanceLevel
from leaderboard.services.errors import FactsInvalid
from wardboard.scoring.reading.problems import Problem, pointer, quote


def provenance_of(job: CiJob | None) -> ProvenanceLevel:
    """Return the level of a job's submissions. job: None if an account submits."""
    if job is None:
        return ProvenanceLevel.ACCOUNT
    return ProvenanceLevel.CI_ATTESTED if job.artifact_sha256 else ProvenanceLevel.CI


def verified_release(job: CiJob | None) -> dict[str, str]:
    """Return the fields of `Release` that the job proves."""
    return {"commit": job.commit, "run_url": job.run_url} if job else {}


def refuse_contradictions(job: CiJob | None, *, stated: Mapping[str, str], sha256: str) -> None:
    """Raise FactsInvalid with every stated fact that differs from the job's.

    stated: fields of `Release`, without those that are not stated. sha256: of the file, or of several files
    """
    if job is not None and (problems := list(_contradictions(job, stated, sha256))):
        raise FactsInvalid(problems)


def _contradictions(job: CiJob, stated: Mapping[str, str], sha256: str) -> Iterator[Problem]:
    commit, run_url = stated.get("commit", ""), stated.get("run_url", "")
    if not job.commit.startswith(commit):
        yield _contradiction("commit", commit, job.commit)
    # The page of an attempt or of a job is below that of the run.
    if run_url and run_url != job.run_url and not run_url.startswith(f"{job.run_url}/"):
        yield _contradiction("run_url", run_url, job.run_url)
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
        hint=f"Leave `{name}` out: it is filled in from the token.",
    )
