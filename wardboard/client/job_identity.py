"""The identity of a CI job: the ID token of its CI system, exchanged for a token of the service.

No secret is stored. GitHub Actions lets a job ask for ID tokens; GitLab CI puts one into a variable.
"""

import os
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from wardboard.client.ci_systems import is_of_fork, variable
from wardboard.client.connection import ServiceConnection, ServiceOptions
from wardboard.client.credentials import TOKEN_VARIABLE, kept_token
from wardboard.client.documents import shown
from wardboard.client.upload import UploadForm
from wardboard.errors import ForeignAnswer, ForkJob, NotReached, RequestRefused, WardboardError, WrongUse

PUBLISHER_VARIABLE = "WARDBOARD_PUBLISHER"
ID_TOKEN_VARIABLE = "WARDBOARD_ID_TOKEN"
# Set by GitHub Actions in jobs with `permissions: {id-token: write}`.
_REQUEST_URL, _REQUEST_TOKEN = "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
_SECONDS = 20.0  # for which the CI system may be silent
_FORK = (
    "this job is of a pull request from a fork, which has no secret and no ID token: nothing was sent. "
    "`wardboard validate` checks its files without either"
)
_DEPENDABOT = (
    "Dependabot started this job, and its jobs have no secret of GitHub Actions: nothing was sent. "
    "`wardboard validate` checks its files without one, and a secret of Dependabot may hold the token"
)
_HOW = (
    f"this job has {PUBLISHER_VARIABLE} and no ID token: give it `permissions: {{id-token: write}}` (GitHub "
    f"Actions), or {ID_TOKEN_VARIABLE} under `id_tokens:` (GitLab CI)"
)


def authorized(options: ServiceOptions, *, artifact: str = "") -> ServiceOptions:
    """Return the options with a token: their own, that of the environment, of the job, or a kept one.

    artifact: SHA-256 of what the job submits, to be signed by its CI system; "" for nothing
    Raises WrongUse where the environment names an empty one, whatever else it names, and ForkJob where a
    pull request from a fork left the job without any.
    """
    if options.token:
        return options
    without = _without_secrets()
    if not without:
        refuse_blank_secret()
    if token := variable(os.environ, TOKEN_VARIABLE):
        return replace(options, token=token)
    publisher = variable(os.environ, PUBLISHER_VARIABLE)
    if publisher:
        identity = JobIdentity(options, publisher=publisher, artifact=artifact)
        return replace(options, identity=identity.token, gets_token=True)
    token = kept_token(options.url)[0]
    if without and (not token or _blank_secrets()):
        raise ForkJob(without)
    return replace(options, token=token)


def refuse_blank_secret() -> None:
    """Raise WrongUse where the environment names an empty token or publisher: another one would count.

    A job whose secret is empty must not submit as the person who signed in on its machine, nor a job that
    names both by the other one.
    """
    for name in _blank_secrets():
        raise WrongUse(
            f"{name} is empty, as of a secret that is not set or misspelt: give it a value or unset it"
        )


def _blank_secrets() -> list[str]:
    names = (TOKEN_VARIABLE, PUBLISHER_VARIABLE)
    return [name for name in names if name in os.environ and not variable(os.environ, name)]


def _without_secrets() -> str:
    """Return why this job has no secrets, whatever it names; "" where it may have some."""
    if is_of_fork(os.environ):
        return _FORK
    return _DEPENDABOT if variable(os.environ, "GITHUB_ACTOR") == "dependabot[bot]" else ""


class JobIdentity:
    """The identity of the job that runs this command.

    publisher: id of the trusted publisher that it is a job of
    artifact: SHA-256 of what it submits; "" for nothing
    """

    def __init__(self, options: ServiceOptions, *, publisher: str, artifact: str = "") -> None:
        self._options, self._publisher = options, publisher
        # The service is not asked for the audience: a false service could name another one and get its token.
        self._audience = variable(os.environ, "WARDBOARD_AUDIENCE") or options.url.rstrip("/")
        self._artifact = f"#sha256:{artifact}" if artifact else ""

    def token(self) -> str:
        """Return a new token of the service for this job. Raises WardboardError."""
        try:
            return self._exchange(self._id_token())
        except RequestRefused as refused:
            # The answer to the first attempt was lost, and an ID token is good for one exchange.
            codes = {problem["code"] for problem in refused.document.get("problems") or ()}
            if codes != {"id-token.replayed"} or not self._can_ask:
                raise
        return self._exchange(self._id_token())

    @property
    def _can_ask(self) -> bool:
        return bool(variable(os.environ, _REQUEST_URL) and variable(os.environ, _REQUEST_TOKEN))

    def _id_token(self) -> str:
        """Return an ID token of the job. Raises WrongUse where it has none, NotReached, ForeignAnswer."""
        if given := variable(os.environ, ID_TOKEN_VARIABLE):
            return given
        if not self._can_ask:
            raise ForkJob(without) if (without := _without_secrets()) else WrongUse(_HOW)
        address = urlsplit(variable(os.environ, _REQUEST_URL))
        options = replace(
            self._options,
            url=urlunsplit((*address[:3], "", "")),
            token=variable(os.environ, _REQUEST_TOKEN),
            seconds=_SECONDS,
            # It is the address of the runner itself, which has a certificate that everyone knows.
            allow_http=True,
            identity=None,
        )
        query = dict(parse_qsl(address.query, keep_blank_values=True)) | {
            "audience": self._audience + self._artifact
        }
        try:
            value = ServiceConnection(options).get("", **query).document.get("value")
        except WardboardError as error:
            kind = NotReached if isinstance(error, NotReached) else ForeignAnswer
            raise kind(f"the CI system gave no ID token: {error}") from None
        if not isinstance(value, str) or not value:
            raise ForeignAnswer("the CI system answered without an ID token")
        return value

    def _exchange(self, id_token: str) -> str:
        connection = ServiceConnection(replace(self._options, token="", gets_token=True), secrets=(id_token,))
        form = UploadForm([("token", id_token), ("publisher", self._publisher)], [])
        answer = connection.post("/api/v1/trusted-publishing/token/", form)
        with shown():
            return str(answer.document["token"])
