"""Decide the provenance level of a submission, and refuse requests that contradict what is signed."""

from collections.abc import Mapping

from leaderboard.models import CiJob, ProvenanceLevel
from leaderboard.services.errors import FactsInvalid
from wardboard.scoring.reading.problems import Problem, pointer, quote


def provenance_of(job: CiJob | None) -> ProvenanceLevel:
    """Return the level of a submission. job: None if an account submits."""
    return ProvenanceLevel.CI_ATTESTED if job and job.artifact_sha256 else ProvenanceLevel.ACCOUNT


def verified_release(job: CiJob | None) -> dict[str, str]:
    """Return the fields of `Release` that the job proves."""
    return {"commit": job.commit, "run_url": job.run_url} if job else {}


def refuse_contradictions(job: CiJob | None, *, stated: Mapping[str, str], sha256: str) -> None:
    """Raise FactsInvalid with every stated fact that differs from what the job proves.

    stated: fields of `Release`, without those that are not stated. sha256: of the file, or of several files
    """
    if job is None:
        return
    commit, run_url = stated.get("commit", ""), stated.get("run_url", "")
    # The page of an attempt or of a job is below that of the run.
    is_of_run = run_url in ("", job.run_url) or run_url.startswith(f"{job.run_url}/")
    problems = [
        Problem(
            code="facts.contradict-ci",
            pointer=pointer(name),
            message=f"The request states {quote(said)}; the CI system signed {quote(signed)}.",
            hint=f"Leave `{name}` out: the service fills it in.",
        )
        for name, said, signed, agrees in (
            ("commit", commit, job.commit, job.commit.startswith(commit)),
            ("run_url", run_url, job.run_url, is_of_run),
        )
        if not agrees
    ]
    if job.artifact_sha256 not in ("", sha256):
        message = f"The digest of the file is {sha256}; the CI system signed {job.artifact_sha256}."
        hint = "Ask for the ID token once the file is complete, or without a digest in its audience."
        problems.append(
            Problem(code="facts.not-attested", pointer=pointer("file"), message=message, hint=hint)
        )
    if problems:
        raise FactsInvalid(problems)
