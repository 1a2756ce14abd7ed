"""The memory that a server needs to receive a large file, as a body and in a form."""

import sys
from pathlib import Path

import pytest
import requests

from leaderboard.services.accounts import create_token
from leaderboard.services.files import store
from tests.support.processes import overriding
from wardboard.scoring.reading.limits import MIB

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from Linux's /proc"),
]
SIZE = 120


def peak_mib(pid: int) -> float:
    (line,) = [x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def body():
    return (b"x" * MIB for _ in range(SIZE))


def form():
    yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="large"\r\n\r\n'
    yield from body()
    yield b"\r\n--b--\r\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "parts", "kind"),
    [("raw/", body, "application/octet-stream"), ("", form, "multipart/form-data; boundary=b")],
    ids=["as the body", "in a form"],
)
def test_a_large_file_takes_little_memory_and_leaves_nothing(serve, user, address, parts, kind):
    limits = dict.fromkeys(("body_bytes", "document_bytes"), 2 * SIZE * MIB)
    base = serve(WEB_WORKERS="1", **overriding(UPLOAD_LIMITS=limits))
    pid = serve.process.pid
    worker = int(Path(f"/proc/{pid}/task/{pid}/children").read_text())
    _, token = create_token(user=user, name="ci", days=1)
    before, files = peak_mib(worker), set(store.entries())
    # Without a board, the file is received and not checked.
    response = requests.post(
        f"{base}/api/v1/submissions/{address}",
        data=parts(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": kind},
        timeout=240,
    )
    assert (response.status_code, response.json()["code"]) == (422, "request-invalid")
    # Most of this is what the first request of a server loads.
    assert peak_mib(worker) - before < 40
    assert set(store.entries()) == files
