"""Readers who ask for pages while something else happens: how long each of them waits."""

import itertools
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import requests

EVERY = 0.2  # seconds between two readers, who do not wait for one another
# The last one is new each time, so it has to be made.
PATHS = ("/", "/status/", "/benchmarks/{board}/", "/api/v1/benchmarks/{board}/leaderboard/")
PATHS += ("/benchmarks/{board}/?sort=-date&v={number}",)


@dataclass
class PageReader:
    """Asks for pages of the service at `url` until the block ends, each over a new connection.

    seconds: how long each answer took, whatever it was.
    missing: pages that were not shown, such as those of a server that was killed; whether they took long is
        in `seconds` all the same.
    """

    url: str
    board: str
    seconds: list[float] = field(default_factory=list)
    missing: int = 0

    def __enter__(self) -> "PageReader":
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _send(self) -> None:
        with ThreadPoolExecutor(100) as readers:
            for number in itertools.count():
                path = PATHS[number % len(PATHS)].format(board=self.board, number=number)
                readers.submit(self._read, path)
                if self._ended.wait(EVERY):
                    return

    def _read(self, path: str) -> None:
        began = time.monotonic()
        try:
            is_shown = requests.get(f"{self.url}{path}", timeout=60).ok
        except requests.RequestException:
            is_shown = False
        self.seconds.append(time.monotonic() - began)
        self.missing += not is_shown

    @property
    def p95(self) -> float:
        return statistics.quantiles([0.0, *self.seconds], n=20, method="inclusive")[-1]

    @property
    def worst(self) -> float:
        return max(self.seconds, default=0.0)
