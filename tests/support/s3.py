"""S3-compatible storage for tests: moto's server on loopback, started once a session."""

import socket
import socketserver
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.loopback import Loopback, ScriptedReply

KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}


def _error(status: int, code: str) -> ScriptedReply:
    body = f"<Error><Code>{code}</Code><Message>of wardboard-bucket</Message></Error>".encode()
    return ScriptedReply(status=status, body=body, headers={"Content-Type": "application/xml"})


# What a storage that is reached may answer to everything.
FAULTS = {
    "SlowDown": _error(503, "SlowDown"),
    "ServiceUnavailable": _error(503, "ServiceUnavailable"),
    "InternalError": _error(500, "InternalError"),
    "Throttling": _error(400, "Throttling"),
    "ExpiredToken": _error(400, "ExpiredToken"),
    "AccessDenied": _error(403, "AccessDenied"),
    "NoSuchBucket": _error(404, "NoSuchBucket"),
    # A HEAD of it is answered in full.
    "cut": ScriptedReply(
        body=b"0" * 1000, cut=500, headers={"Last-Modified": "Thu, 26 Nov 2026 12:00:00 GMT"}
    ),
}


@dataclass(frozen=True)
class TestBucket:
    """A bucket of a test's own. options: as settings.UPLOADS_S3."""

    client: Any
    options: dict[str, Any]

    __test__ = False

    def names(self) -> list[str]:
        return sorted(self.sizes())

    def sizes(self) -> dict[str, int]:
        listing = self.client.list_objects_v2(Bucket=self.options["bucket_name"])
        return {item["Key"].removeprefix("wardboard/"): item["Size"] for item in listing.get("Contents", ())}


@contextmanager
def serve() -> Iterator[str]:
    """Serve S3; yield its URL. All requests have to carry a signature, and any key will do."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def make_bucket(endpoint: str) -> TestBucket:
    """Make a bucket; KEYS must be in the environment."""
    import boto3

    client = boto3.client("s3", endpoint_url=endpoint)
    name = f"wardboard-{uuid.uuid4().hex}"
    client.create_bucket(Bucket=name)
    options = {
        "bucket_name": name,
        "prefix": "wardboard/",
        "endpoint_url": endpoint,
        "connect_timeout": 1,
        "read_timeout": 20,
    }
    return TestBucket(client, options)


@contextmanager
def away(kind: str) -> Iterator[dict[str, Any]]:
    """Yield options of a storage that refuses connections, is silent, or has one of FAULTS."""
    if kind in FAULTS:
        with Loopback(FAULTS[kind]) as server:
            yield {"endpoint_url": server.origin}
        return
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if kind == "silent":
            server.listen(50)
        yield {
            "endpoint_url": f"http://127.0.0.1:{server.getsockname()[1]}",
            "connect_timeout": 0.2,
            "read_timeout": 0.2,
        }


@contextmanager
def cutting(answer: bytes) -> Iterator[dict[str, Any]]:
    """Yield options of a storage that gives this answer to each request, and closes the connection."""

    class Cut(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Cut) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,)).start()
        try:
            yield {"endpoint_url": f"http://127.0.0.1:{server.server_address[1]}"}
        finally:
            server.shutdown()


def settings_environment(bucket: TestBucket, folder: Path) -> dict[str, str]:
    """Return the environment of a process that uses the bucket. folder: for the key that signs receipts"""
    file = folder / "signing-key.pem"
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return {
        **KEYS,
        "UPLOADS_S3_BUCKET": bucket.options["bucket_name"],
        "UPLOADS_S3_ENDPOINT": bucket.options["endpoint_url"],
        "SIGNING_KEY_FILE": str(file),
    }
