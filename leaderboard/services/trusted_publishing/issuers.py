"""The issuers whose ID tokens are accepted: two that everyone knows, and those that the operator adds."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings


class IssuerKind(StrEnum):
    """What the claims of an issuer's tokens are called, and mean."""

    GITHUB = "github"
    GITLAB = "gitlab"


# An ID token of GitHub is asked for when it is needed. That of GitLab is as old as its job.
_OLDEST = {IssuerKind.GITHUB: timedelta(hours=1), IssuerKind.GITLAB: timedelta(hours=24)}
_GITHUB = "https://token.actions.githubusercontent.com"
_GITLAB = "https://gitlab.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """Who signs the ID tokens of CI jobs.

    url: its `iss`, exactly. site: where its repositories and runs have their pages
    """

    url: str
    kind: IssuerKind
    title: str
    site: str

    @property
    def oldest(self) -> timedelta:
        """How old a token may be, whatever it says of its own end."""
        return _OLDEST[self.kind]


def known_issuers() -> dict[str, Issuer]:
    """Return the accepted issuers by their URLs."""
    issuers = [
        Issuer(url=_GITHUB, kind=IssuerKind.GITHUB, title="GitHub Actions", site="https://github.com"),
        Issuer(url=_GITLAB, kind=IssuerKind.GITLAB, title="GitLab.com", site=_GITLAB),
        *(_added(url, IssuerKind(kind)) for url, kind in settings.TRUSTED_ISSUERS.items()),
    ]
    return {issuer.url: issuer for issuer in issuers}


def _added(url: str, kind: IssuerKind) -> Issuer:
    parts = urlsplit(url)
    # Enterprises on github.com may have an issuer of their own below that of all.
    site = "https://github.com" if url.startswith(f"{_GITHUB}/") else f"{parts.scheme}://{parts.netloc}"
    return Issuer(url=url, kind=kind, title=urlsplit(site).netloc, site=site)
