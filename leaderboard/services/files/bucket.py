"""Uploaded files in a bucket of S3-compatible storage. Imported only where one is configured.

A file arrives in a folder of the local disk (the spool) and is sent to the bucket when it is complete. What
is read is copied from the bucket to a file without a name first, which the system removes with the process:
judging may take minutes, and the storage would end a connection that waits so long.
"""

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, IncompleteReadError
from botocore.parsers import ResponseParserError
from django.conf import settings
from django.utils.translation import gettext
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from leaderboard.services.errors import NoRoom, StorageAway
from leaderboard.services.files.arrivals import require_room
from leaderboard.services.files.disk import disk_full_as_no_room
from leaderboard.services.files.folder import FileEntry, Folder
from wardboard.scoring.reading.limits import MIB

logger = logging.getLogger(__name__)

# The libraries let errors of those below them pass, where an answer ends in the middle. Of an answer that was
# cut, the headers so far are an answer, in which some are missing (KeyError) or cut too (ValueError).
_ERRORS = (
    BotoCoreError,
    ClientError,
    ResponseParserError,
    HTTPError,
    ConnectionError,
    TimeoutError,
    KeyError,
    ValueError,
)
_MISSING = ("404", "NoSuchKey")
_EXISTS = ("PreconditionFailed", "ConditionalRequestConflict")
# Answers after which trying again does not help: the operator has to change the settings or the bucket.
_REFUSALS = (400, 401, 403)


class Bucket(Folder):
    """The storage of a service on several machines.

    spool: a folder for files that arrive; each machine has its own.
    prefix: of all names in the bucket, such as "wardboard/", or "".
    connect_timeout, read_timeout: in seconds. A request is tried twice.
    boto3 finds the keys and the region: in AWS_ACCESS_KEY_ID and the like, or in the role of the machine.
    """

    def __init__(
        self,
        spool: Path,
        *,
        bucket_name: str,
        prefix: str,
        endpoint_url: str | None,
        connect_timeout: int,
        read_timeout: int,
    ) -> None:
        options: dict[str, Any] = {}
        if endpoint_url:
            # Servers other than Amazon's need not know the names of buckets as hosts, nor new checksums.
            options = {
                "s3": {"addressing_style": "path"},
                "request_checksum_calculation": "when_required",
                "response_checksum_validation": "when_required",
            }
        config = Config(
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            retries={"mode": "standard", "total_max_attempts": 2},
            max_pool_connections=32,
            **options,
        )
        storage = S3Storage(
            bucket_name=bucket_name,
            endpoint_url=endpoint_url,
            client_config=config,
        )
        # Threads may share a client, and one for each of them would take many megabytes.
        self._client = storage.connection.meta.client
        # A connection that ends within the answer to this header would have botocore read it for ever.
        self._client.meta.events.register_last("before-call.s3", _expect_nothing)
        super().__init__(spool)
        self._bucket, self._prefix = bucket_name, prefix
        self._cleared_at = float("-inf")
        self.label = f"s3://{bucket_name}/{prefix}".rstrip("/")

    def arrival(self, name: str) -> Path:
        path = super().arrival(name)
        # What killed processes of this machine left is removed once an hour in each process.
        if time.monotonic() - self._cleared_at >= 3600:
            self._cleared_at = time.monotonic()
            for left in self._root.iterdir():
                with suppress(FileNotFoundError):
                    # Longer than any upload takes.
                    if left.stat().st_mtime < time.time() - 24 * 3600:
                        left.unlink()
        return path

    def arrive_again(self, name: str, to: str) -> None:
        with self.open(name) as source, disk_full_as_no_room(), open(self.arrival(to), "xb") as target:
            shutil.copyfileobj(source, target, MIB)

    def sync(self, names: Iterable[str]) -> None:
        for name in names:
            with open(self._root / name, "rb") as file:
                # An object appears when all of it is there.
                self._put(name, file)

    def release(self, names: Iterable[str]) -> None:
        super().remove(names)

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        try:
            # What has just arrived here, or was made here, need not be fetched.
            source: BinaryIO = open(self._root / name, "rb")  # noqa: SIM115 - closed below
        except FileNotFoundError:
            source = self._fetch(name)
        with source:
            yield source

    def stat(self, name: str) -> FileEntry | None:
        if (entry := super().stat(name)) is not None:
            return entry
        try:
            with self._answering():
                head = self._client.head_object(Bucket=self._bucket, Key=self._key(name))
                return FileEntry(name, head["ContentLength"], head["LastModified"])
        except FileNotFoundError:
            # The answer has no body, which would say so if the bucket were missing.
            with self._answering():
                self._client.list_objects_v2(Bucket=self._bucket, Prefix=self._key(name), MaxKeys=1)
            return None

    def replace(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        with self._nameless_file() as file:
            with disk_full_as_no_room():
                write(file)
                file.seek(0)
            self._put(name, file)

    def create(self, name: str, content: bytes) -> None:
        with suppress(FileExistsError):
            self._put(name, content, IfNoneMatch="*")

    def remove(self, names: Iterable[str]) -> None:
        names = list(names)
        self.release(names)
        # Not raised: nothing depends on it, and the sweep removes what is left.
        with suppress(StorageAway), self._answering():
            for name in names:
                # One by one: servers differ in the checksum that they want for several.
                self._client.delete_object(Bucket=self._bucket, Key=self._key(name))

    def move(self, name: str, to: str) -> None:
        source = {"Bucket": self._bucket, "Key": self._key(name)}
        with suppress(FileNotFoundError), self._answering():
            self._client.copy_object(Bucket=self._bucket, Key=self._key(to), CopySource=source)
            self._client.delete_object(**source)

    def entries(self, folder: str = "") -> Iterator[FileEntry]:
        start = self._key(f"{folder}/" if folder else "")
        with self._answering():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=start, Delimiter="/"
            )
            for page in pages:
                if "IsTruncated" not in page:
                    raise KeyError("an answer without content")
                for item in page.get("Contents", ()):
                    name = item["Key"].removeprefix(self._prefix)
                    yield FileEntry(name, item["Size"], item["LastModified"])

    def _put(self, name: str, body: BinaryIO | bytes, **conditions: str) -> None:
        with self._answering():
            self._client.put_object(
                Bucket=self._bucket,
                Key=self._key(name),
                Body=body,
                ContentType="application/octet-stream",
                **conditions,
            )

    def _key(self, name: str) -> str:
        return f"{self._prefix}{name}"

    def _fetch(self, name: str) -> BinaryIO:
        """Copy a file of the bucket to the spool; return it, open at its beginning."""
        entry = self.stat(name)
        if entry is None:
            raise FileNotFoundError(f"{self.label}/{name}")
        file = self._nameless_file()
        try:
            # A full disk passes, like a storage that does not answer.
            try:
                with disk_full_as_no_room(), self._answering():
                    require_room(self._root, entry.size, settings.UPLOAD_MIN_FREE_BYTES)
                    with self._client.get_object(Bucket=self._bucket, Key=self._key(name))["Body"] as body:
                        shutil.copyfileobj(body, file, MIB)
                    if file.tell() != entry.size:
                        # The header with the length can be cut like everything else.
                        raise IncompleteReadError(actual_bytes=file.tell(), expected_bytes=entry.size)
            except NoRoom as error:
                raise StorageAway(error.detail) from error
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file

    def _nameless_file(self) -> BinaryIO:
        self._root.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=self._root)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raise FileNotFoundError, FileExistsError or StorageAway in the place of the libraries' errors."""
        try:
            yield
        except _ERRORS as error:
            answer = error if isinstance(error, ClientError) else None
            response = answer.response if answer else {}
            code = str(response.get("Error", {}).get("Code", ""))
            status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            if code in _MISSING:
                raise FileNotFoundError(code) from error
            if answer and code in _EXISTS and answer.operation_name == "PutObject":
                raise FileExistsError(code) from error
            is_refusal = code == "NoSuchBucket" or status in _REFUSALS
            # The texts of errors name the bucket, and a trace helps nobody: what fails is on another machine.
            logger.warning(
                "the storage of uploads %s: %s",
                "refuses" if is_refusal else "does not answer as it should",
                f"{code} ({status}) at {answer.operation_name}" if answer else type(error).__name__,
            )
            detail = gettext("Our file storage is not responding at the moment. This costs no quota.")
            raise StorageAway(detail, is_refusal=is_refusal) from error


def _expect_nothing(params: dict[str, Any], **_: object) -> None:
    params["headers"].pop("Expect", None)
