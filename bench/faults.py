"""Play faults against real processes, and count what is lost, doubled, stuck or wrong: `make faults`.

README.md beside this file describes the faults and what is counted.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# The project comes first: a script here would hide the package of the same name.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _faults import FAULTS
from _files_to_send import FHIR, MEDAGENTBENCH, file_of
from _measured_service import create_token, open_database
from _outcomes import Outcome, count, count_wrong, wait_for_end
from _page_reader import PageReader
from _report import report
from _servers_to_kill import Judge, Postgres, Service, manage, memory_group, wait_until
from _stage import ROOT, Stage

from tests.support import s3
from tests.support.mail_server import MailServer
from tests.support.silent_proxy import SilentProxy

AT_ONCE = 6  # clients
PAGE_SECONDS = 1.0  # for which 19 pages of 20 may wait during a fault
# These kill all web servers, so a page comes once one has started again.
NO_PAGES = {"web_servers", "everything", "embedded_web_servers", "log_removed"}
PREVIOUS = "e2ad2b56"  # release, from which `migrate` alone leads to this one
ON_SMALL_DISKS = {"disk_full", "restored_copy", "temporary_full", "splitting", "keeping_traces"}
ON_SMALL_DISKS |= {"database_disk_full"}
KEEPS_ASKING = 60  # seconds for which a client repeats a request, after the end of the fault


def send(stage: Stage, fault: str, number: int, ends: Callable[[], float]) -> None:
    """Send a file, and repeat the request until it is accepted, as a client does."""
    board, raw = file_of(fault, number)
    headers = {"Idempotency-Key": f"{fault}-{number}"}
    while time.monotonic() < ends():
        with suppress(OSError, HTTPException, ValueError):
            status, answer = stage.post(board, f"Agent%20{number}", raw, headers=headers)
            if status in (200, 201):
                stage.accepted.append(answer["id"])
                return
        stage.refused += 1
        time.sleep(1)


def play(name: str, stage: Stage, files: int, seconds: float, limit: float) -> Outcome:
    """Send files while the fault is played; wait until all are final, for `limit` seconds at most.

    Some are on their way when it begins, and the others follow while it lasts.
    """
    fault_ends = [float("inf")]
    begins = threading.Event()

    def send_in_time(number: int) -> None:
        if number >= AT_ONCE:
            begins.wait()
            time.sleep(AT_ONCE * seconds / files)
        send(stage, name, number, lambda: fault_ends[0] + KEEPS_ASKING)

    with ThreadPoolExecutor(AT_ONCE) as clients:
        clients.map(send_in_time, range(files))
        try:
            wait_until(lambda: len(stage.accepted) >= min(files, AT_ONCE), 120)
            begins.set()
            with PageReader(stage.service.url, MEDAGENTBENCH) as reader:
                FAULTS[name][1](stage, seconds)
        except BaseException:
            # Clients end now.
            fault_ends[0] = float("-inf")
            begins.set()
            raise
        ended = fault_ends[0] = time.monotonic()
        early = list(stage.accepted)
        wait_for_end(early, ended + limit)
        seconds_to_final = time.monotonic() - ended
    stuck = wait_for_end(stage.accepted, ended + limit)
    seconds_to_all = time.monotonic() - ended
    lost, doubled = count(stage.accepted, files)
    for promise in stage.broken:
        print(f"{name} breaks a promise: {promise}", file=sys.stderr)
    return Outcome(
        files=files,
        lost=lost,
        doubled=doubled,
        stuck=stuck,
        wrong=count_wrong(stage.accepted) + len(stage.broken),
        seconds=seconds_to_final,
        seconds_all=seconds_to_all,
        refused=stage.refused,
        pages_p95=reader.p95,
        pages_worst=reader.worst,
        pages_missing=reader.missing,
    )


def prepare(root: Path) -> str:
    """Create the tables and the demonstrations by a checkout; return an API token.

    One leaderboard is judged by the stub, and keeps the files with their traces.
    """
    import django  # noqa: PLC0415 - the environment has to be set first

    if root == ROOT:
        open_database()
        from django.core.management import call_command  # noqa: PLC0415

        with open(os.devnull, "w") as silent:
            call_command("load_demo", stdout=silent)
        token = create_token()
    else:
        for command in ("migrate --verbosity 0", "collectstatic --noinput", "load_demo"):
            manage(root, {**os.environ}, *command.split())
        token = manage(root, {**os.environ}, "api_token", "bench@example.org").strip()
        django.setup()
    from leaderboard.models import Board, JudgeMode  # noqa: PLC0415

    Board.objects.filter(slug=FHIR).update(judge_mode=JudgeMode.LLM, keep_originals=True)
    return token


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """Put a file system of 256 MB under `folder`; yield None where that is not allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def why_not(name: str, parts: dict[str, Any]) -> str:
    """Return why a fault cannot be played here; "" if it can."""
    if name == "killed_for_memory":
        with memory_group() as group:
            return "" if group else "the memory of processes cannot be limited here"
    can_mount = name not in ON_SMALL_DISKS or parts["uploads"]
    return "" if can_mount else "no file system can be mounted here"


@contextmanager
def checkout_of(commit: str) -> Iterator[Path]:
    """Give a folder with the files of a commit of this repository. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="wardboard-faults-") as folder:
        files = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE
        ).stdout
        subprocess.run(["tar", "--extract"], cwd=folder, input=files, check=True)
        yield Path(folder)


def set_up(group: str, folder: Path, ending: ExitStack) -> tuple[dict[str, str], dict[str, Any]]:
    """Start what stands beside the service; return the settings of the service, and parts of the stage."""
    data, temporary = (ending.enter_context(small_disk(folder / name)) for name in ("data", "temporary"))
    judge = Judge(latency=0.2)
    ending.callback(judge.end)
    parts: dict[str, Any] = {"judge": judge, "uploads": data and data / "uploads", "temporary": temporary}
    settings = {
        "WARDBOARD_DATA": str(folder / "data"),
        "TMPDIR": str(folder / "temporary"),
        "SECRET_KEY": uuid.uuid4().hex + uuid.uuid4().hex,
        "DJANGO_SETTINGS_MODULE": "bench._faults_settings",
        "METRICS_TOKEN": uuid.uuid4().hex,
        "RATE_SUBMISSIONS": "100000/min",
        "JUDGE_BASE_URL": judge.url,
        "JUDGE_MODEL": "stub",
        "JUDGE_CONCURRENCY": "8",
        "JUDGE_DAY_CALLS": "none",
        "LOG_LEVEL": "INFO",
    }
    if group == "embedded":
        parts["sqlite"] = folder / "wardboard.sqlite3"
        return settings | {"DATABASE_URL": f"sqlite:///{parts['sqlite']}"}, parts
    disk = ending.enter_context(small_disk(folder / "postgres")) if group == "small" else None
    # PostgreSQL, which is of another user, has to reach it.
    folder.chmod(0o711)
    postgres = parts["postgres"] = Postgres(parent=disk)
    ending.callback(postgres.end)
    settings |= {"DATABASE_URL": postgres.url, "WORKERS": "1"}
    if group == "standby":
        standby = parts["standby"] = Postgres(primary=postgres)
        ending.callback(standby.end)
        hosts = f"127.0.0.1:{postgres.port},127.0.0.1:{standby.port}"
        settings["DATABASE_URL"] = f"postgres://postgres@{hosts}/postgres"
    elif group == "beside":
        mail = ending.enter_context(MailServer())
        storage = urlsplit(ending.enter_context(s3.serve()))
        bucket = s3.make_bucket(storage.geturl())
        parts["mail"] = ending.enter_context(SilentProxy(("127.0.0.1", mail.port)))
        parts["storage"] = ending.enter_context(SilentProxy(("127.0.0.1", storage.port)))
        settings |= s3.settings_environment(bucket, folder)
        settings |= {
            "UPLOADS_S3_ENDPOINT": f"http://127.0.0.1:{parts['storage'].port}",
            "EMAIL_HOST": f"127.0.0.1:{parts['mail'].port}",
            "EMAIL_TLS": "0",
            "SIGN_UPS_PER_ADDRESS": "100000/h",
        }
    return settings, parts


def run_group(group: str, names: list[str], options: argparse.Namespace, folder: Path) -> None:
    """Play the faults of one set-up, in a process of its own; print the outcome of each as JSON."""
    with ExitStack() as ending:
        os.environ |= s3.KEYS
        settings, parts = set_up(group, folder, ending)
        for name in ("DATABASE_URL", "WORKERS"):
            os.environ.pop(name, None)
        os.environ |= settings
        # The warnings of this process are not of interest.
        os.environ["LOG_LEVEL"] = "CRITICAL"
        root = ending.enter_context(checkout_of(PREVIOUS)) if group == "previous" else ROOT
        token = prepare(root)
        clock = parts["clock"] = folder / "clock" if group == "clock" else None
        if clock is not None:
            clock.write_text("0")
        service = Service(settings, options.log or folder / "log", clock, root)
        ending.callback(service.end)
        if root == ROOT:
            # The first files of each process take longer: it loads references and libraries.
            play("nothing", Stage(service, token, **parts), 8, 0, 120)
        for name in names:
            if why := why_not(name, parts):
                print(json.dumps({"fault": name, "skipped": why}), flush=True)
                continue
            token = token if name != "nothing" else create_token("other@example.org")
            stage = Stage(service, token, **parts)
            outcome = play(name, stage, options.files, options.seconds, options.limit)
            values = {key: getattr(outcome, key) for key in Outcome.__slots__}
            print(json.dumps({"fault": name, **values}), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", choices=[*FAULTS, []], help="those to play; all by default")
    parser.add_argument("--files", type=int, default=40, help="for each fault (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=15, help="length of a fault (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a file is stuck")
    parser.add_argument("--log", type=Path, help="keep the log of the service in this file")
    parser.add_argument("--group", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.faults or list(FAULTS)
    if options.group:
        # So that everything that was started is ended.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        with tempfile.TemporaryDirectory(prefix="wardboard-faults-", ignore_cleanup_errors=True) as folder:
            run_group(options.group, names, options, Path(folder))
        return 0
    outcomes: dict[str, dict] = {}
    for group in dict.fromkeys(FAULTS[name][0] for name in names):
        of_group = [name for name in names if FAULTS[name][0] == group]
        outcomes |= run_apart(group, of_group, options)
    return show(outcomes, options, names)


def run_apart(group: str, names: list[str], options: argparse.Namespace) -> dict[str, dict]:
    """Run a group in a process of its own, as Django is set up once; return the outcomes by fault."""
    command = [sys.executable, __file__, *names, "--group", group]
    for option in ("files", "seconds", "limit", "log"):
        if (value := getattr(options, option)) is not None:
            command += [f"--{option}", str(value)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    # Bounded, whatever hangs: starting and each fault with what it waits for.
    most = 300 + len(names) * (4 * options.seconds + KEEPS_ASKING + options.limit + 60)
    timer = threading.Timer(most, process.terminate)
    timer.start()
    outcomes = {}
    assert process.stdout
    for line in process.stdout:
        print(line, end="", file=sys.stderr)
        outcome = json.loads(line)
        outcomes[outcome.pop("fault")] = outcome
    timer.cancel()
    process.wait()
    return outcomes


def show(outcomes: dict[str, dict], options: argparse.Namespace, names: list[str]) -> int:
    columns = ("files", "lost", "doubled", "stuck", "wrong", "seconds", "seconds_all", "refused")
    waits = ("pages_p95", "pages_worst")
    rows, figures, is_bad = [], {}, False
    for name in names:
        outcome = outcomes.get(name)
        if outcome is None:
            rows.append([name, *["?"] * (len(columns) + 3)])
            is_bad = True
        elif "skipped" in outcome:
            rows.append([f"{name}: {outcome['skipped']}", *["-"] * (len(columns) + 3)])
        else:
            cells = [f"{outcome[column]:.0f}" for column in columns]
            cells += [f"{outcome[column]:.2f}" for column in waits]
            rows.append([name, *cells, str(outcome["pages_missing"])])
            figures[name] = {column: outcome[column] for column in (*columns, *waits, "pages_missing")}
            is_bad = is_bad or any(outcome[column] for column in ("lost", "doubled", "stuck", "wrong"))
            is_bad = is_bad or (outcome["pages_p95"] > PAGE_SECONDS and name not in NO_PAGES)
    report(
        f"{options.files} files for each fault, a quarter of them judged by a stub\nseconds: from the end of "
        "the fault until every file that was accepted by then had its result, and until all had\n"
        "refused: requests that had to be repeated\n"
        "pages: seconds that readers waited for one during the fault, and how many were not shown",
        ["fault", *columns, *waits, "pages_missing"],
        rows,
        figures,
    )
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
