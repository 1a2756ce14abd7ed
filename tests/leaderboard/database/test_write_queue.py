"""Those who want to write to SQLite: their order, how long they wait, and processes that are killed."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from leaderboard.database.sqlite import write_queue
from leaderboard.database.sqlite.write_queue import _NEXT, WriteQueue
from tests.support.processes import wait_for

_SOON = 0.05  # seconds
_LONG = 30

# Another process: it says what it does, line by line, and ends its turn when it is told to.
_TAKES_A_TURN = """
import sys
from leaderboard.database.sqlite.write_queue import WriteQueue
turn = WriteQueue(sys.argv[1]).take(30)
print("writes", flush=True)
sys.stdin.readline()
turn.end()
"""
_WRITES_ON_AND_ON = """
import sys, threading, time
from leaderboard.database.sqlite.write_queue import WriteQueue
queue = WriteQueue(sys.argv[1])

def write():
    while True:
        turn = queue.take(30)
        time.sleep(0.005)
        turn.end()

for _ in range(4):
    threading.Thread(target=write, daemon=True).start()
print("writes", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "database-turns")


@pytest.fixture
def queue(path):
    return WriteQueue(path)


@pytest.fixture
def start(path):
    started = []

    def start_one(program):
        process = subprocess.Popen(
            [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "writes\n"
        return process

    yield start_one
    for process in started:
        process.kill()
        process.communicate()


def wait_in_thread(queue, done, name):
    """Take a turn in a thread, and wait until it is in the queue."""
    before = len(queue._waiting)

    def take():
        turn = queue.take(_LONG)
        done.append(name)
        turn.end()

    thread = threading.Thread(target=take)
    thread.start()
    wait_for(lambda: len(queue._waiting) > before, seconds=10)
    return thread


def test_threads_write_in_the_order_in_which_they_came(queue):
    done = []
    first = queue.take(_SOON)
    threads = [wait_in_thread(queue, done, number) for number in range(8)]
    assert done == []
    first.end()
    for thread in threads:
        thread.join(_LONG)
    assert done == list(range(8))
    queue.take(_SOON).end()


def test_a_thread_that_waited_for_as_long_as_it_may_leaves_the_queue(queue):
    done = []
    first = queue.take(_SOON)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        queue.take(0.2)
    assert 0.2 <= time.monotonic() - began < 30
    after = wait_in_thread(queue, done, "came later")
    first.end()
    after.join(_LONG)
    assert done == ["came later"]


def test_a_turn_ends_once_and_without_its_holder(queue):
    turn = queue.take(_SOON)
    turn.end()
    other = queue.take(_SOON)
    turn.end()
    with pytest.raises(TimeoutError):
        queue.take(0)
    del other
    queue.take(0).end()


def test_another_process_is_waited_for_and_no_longer_than_allowed(queue, start):
    other = start(_TAKES_A_TURN)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        queue.take(0.2)
    assert 0.2 <= time.monotonic() - began < 30
    assert not queue._is_taken
    other.communicate("\n")
    queue.take(_SOON).end()


def test_a_killed_process_holds_nothing(queue, start):
    other = start(_TAKES_A_TURN)
    done = []
    waiting = threading.Thread(target=lambda: done.append(queue.take(_LONG)))
    waiting.start()
    wait_for(lambda: queue._is_taken, seconds=10)
    assert done == []
    os.kill(other.pid, signal.SIGKILL)
    waiting.join(5)
    assert len(done) == 1


def test_a_process_killed_while_it_waits_holds_nothing(queue, path):
    turn = queue.take(_SOON)
    waiting = subprocess.Popen([sys.executable, "-c", _TAKES_A_TURN, path])

    def is_next():
        if queue._try_to_lock(_NEXT):
            queue._unlock(_NEXT)
            return False
        return True

    wait_for(is_next, seconds=20)
    waiting.kill()
    waiting.wait()
    turn.end()
    queue.take(_SOON).end()


def test_a_process_whose_threads_write_on_and_on_lets_another_one_in(queue, start):
    start(_WRITES_ON_AND_ON)
    waits = []
    for _ in range(20):
        began = time.monotonic()
        queue.take(_LONG).end()
        waits.append(time.monotonic() - began)
    # Each waits for the turn that lasts, of 5 ms, and no further one but by chance.
    assert sorted(waits)[len(waits) // 2] < 0.5
    assert max(waits) < 10


def test_a_forked_process_inherits_neither_turns_nor_threads_that_wait(tmp_path):
    queue = write_queue.queue_of(str(tmp_path / "database"))
    turn = queue.take(_SOON)
    waiting = wait_in_thread(queue, [], "thread of the parent")
    child = os.fork()
    if not child:
        # Nothing of pytest may run in here.
        status = 1
        try:
            turn.end()  # the parent's, which it must not end
            try:
                queue.take(0.1)
            except TimeoutError:
                status = 0 if not queue._is_taken and not queue._waiting else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    turn.end()
    waiting.join(_LONG)
    queue.take(_SOON).end()
