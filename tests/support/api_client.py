"""An API client for tests, and a check of problem documents."""

from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.addresses import SUBMISSIONS


@dataclass
class Api:
    """Send requests to the API with a token."""

    token: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def headers(self, **more: str) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self.token}"} if self.token else {}), **more}

    def get(self, path: str, data=None, **headers: str):
        return self.client.get(path, data, headers=self.headers(**headers))

    def post(self, path: str, data: Any = None, content_type: str | None = None, **headers: str):
        kind = {"content_type": content_type} if content_type else {}
        return self.client.post(path, data, headers=self.headers(**headers), **kind)

    def send(self, raw: bytes, facts: dict, *, path: str = SUBMISSIONS, key: str = "", **fields: str):
        """POST `raw` as a form, to the demonstration board by default."""
        data = {"benchmark": "medagentbench-demo", "file": as_file(raw), **facts, **fields}
        return self.post(path, data, **({"Idempotency-Key": key} if key else {}))

    def send_body(self, raw: bytes, query: dict, *, path: str = SUBMISSIONS, kind: str = "application/json"):
        """POST `raw` as the request body."""
        query = {"benchmark": "medagentbench-demo", **query}
        return self.client.post(
            f"{path}raw/", raw, content_type=kind, headers=self.headers(), query_params=query
        )


def as_file(raw: bytes, name: str = "results.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, raw, content_type="application/json")


def assert_problem(response, status: int, code: str) -> dict:
    """Check that the response is a complete problem document, and return it."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    document = response.json()
    assert (document["status"], document["code"]) == (status, code)
    assert document["type"] == f"/api/problems/{code}/"
    assert {"title", "detail", "instance", "hint"} <= document.keys()
    return document
