"""The stage on which a fault is played: the service, the servers beside it, and what clients ask of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import requests
from _servers_to_kill import Judge, Postgres, Service

from tests.support.silent_proxy import SilentProxy

ROOT = Path(__file__).resolve().parents[1]


@dataclass(slots=True)
class Stage:
    """What a fault is played on, and what came of it.

    standby: of `postgres`.
    sqlite: the file of the database, where there is no PostgreSQL.
    uploads, temporary: folders on small file systems.
    storage, mail: what the service reaches these servers through.
    clock: the file by which the clock of its processes is set.
    broken: promises that the service did not keep, beside those about files.
    """

    service: Service
    token: str
    judge: Judge
    postgres: Postgres | None = None
    standby: Postgres | None = None
    sqlite: Path | None = None
    uploads: Path | None = None
    temporary: Path | None = None
    storage: SilentProxy | None = None
    mail: SilentProxy | None = None
    clock: Path | None = None
    accepted: list[str] = field(default_factory=list)
    refused: int = 0
    broken: list[str] = field(default_factory=list)

    def expect(self, holds: object, promise: str) -> None:
        if not holds:
            self.broken.append(promise)

    def expect_page(self, path: str) -> None:
        """Ask for a page, which has to be answered."""
        try:
            answer = str(requests.get(f"{self.service.url}{path}", timeout=30).status_code)
        except requests.RequestException as error:
            answer = type(error).__name__
        self.expect(answer == "200", f"{path} is shown, and not: {answer}")

    def readiness(self) -> int:
        """Return the status with which the service says whether it is ready."""
        return requests.get(f"{self.service.url}/readyz", timeout=30).status_code

    def post(
        self,
        board: str,
        system: str,
        raw: bytes,
        *,
        token: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """Send a file once; return the status and the answer. Raises OSError, HTTPException, ValueError."""
        connection = HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        path = f"/api/v1/submissions/raw/?benchmark={board}&system={system}&models=m&allow_empty=true"
        known = {"Content-Type": "application/json", "Authorization": f"Bearer {token or self.token}"}
        try:
            connection.request("POST", path, raw, {**known, **(headers or {})})
            response = connection.getresponse()
            status, answer = response.status, json.loads(response.read())
        finally:
            connection.close()
        self.expect(status != HTTPStatus.INTERNAL_SERVER_ERROR, f"a file is not answered with 500: {answer}")
        return status, answer
