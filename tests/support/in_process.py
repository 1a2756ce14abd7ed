"""Let the client of the command reach the service in this process, within the transaction of the test."""

import io
from typing import Any

import pytest
import requests
from django.test import Client
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from wardboard.client import connection

ORIGIN = "http://localhost"


class InProcess(HTTPAdapter):
    """An adapter that asks the service here for what is below ORIGIN, and the network for anything else.

    cuts: how many of the next answers are lost on their way, after the service has done what was asked
    """

    cuts = 0

    def send(self, request: requests.PreparedRequest, *arguments: Any, **named: Any) -> requests.Response:
        if not (request.url or "").startswith(f"{ORIGIN}/"):
            return super().send(request, *arguments, **named)
        headers = {name: value for name, value in request.headers.items() if name != "Content-Length"}
        answer = Client().generic(
            request.method,
            request.url.removeprefix(ORIGIN),
            b"".join(request.body) if request.body is not None else b"",
            content_type=headers.pop("Content-Type", ""),
            headers=headers | {"Host": "localhost"},
        )
        if InProcess.cuts:
            InProcess.cuts -= 1
            raise requests.ConnectionError("the answer was cut")
        raw = HTTPResponse(
            body=io.BytesIO(answer.getvalue()),
            headers=dict(answer.headers),
            status=answer.status_code,
            preload_content=False,
        )
        return self.build_response(request, raw)


def reach_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client ask the service in this process and thread, whose transaction the test has."""
    monkeypatch.setattr(requests.sessions, "HTTPAdapter", InProcess)
    monkeypatch.setattr(connection, "in_time", lambda work, *_: work())
