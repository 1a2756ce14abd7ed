"""Load the demonstration: boards, example systems, published results, an account."""

import json
import secrets
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from leaderboard.management.service_command import ServiceCommand
from leaderboard.models import UNLIMITED, Board, Feedback, Kind, User
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.errors import NoRoom
from leaderboard.services.files import installation
from leaderboard.services.files.store import store_file
from leaderboard.services.publishing.import_references import import_references, new_board
from leaderboard.services.publishing.reported.results import load_reported
from leaderboard.services.submissions.request import SubmissionRequest
from leaderboard.services.submissions.submit import submit
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.ground_truth import Demonstration

_EXAMPLES = "examples@wardboard.invalid"
_EMAIL = "demo@wardboard.invalid"


class Command(ServiceCommand):
    help = (
        "Load the demonstration leaderboards, the published results and a demonstration account. Repeatable."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="what to say it is served on")
        parser.add_argument(
            "--if-local",
            action="store_true",
            help="load nothing where others may reach the service, or a leaderboard has hidden reference "
            "answers",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        installation.check_at_start()
        address = options["address"].rstrip("/")
        if options["if_local"] and (reason := _why_not_here()):
            self.stdout.write(f"\nWardboard   {address}/   (without the demonstration: {reason})")
            return
        try:
            for benchmark in registry.BENCHMARKS.values():
                for demo in benchmark.demonstrations:
                    _load(benchmark, demo)
            for benchmark in registry.BENCHMARKS.values():
                for plan in benchmark.published_boards:
                    board = new_board(benchmark.slug, plan)
                    # Unless it exists. It cannot take files yet.
                    known = Board.objects.filter(slug=board.slug).first()
                    if known is None:
                        board.save()
                    if not (known or board).standings.filter(kind=Kind.REPORTED).exists():
                        load_reported(board=known or board)
        except NoRoom as error:
            if not options["if_local"]:
                raise CommandError(f"The demonstration was not loaded: {error.detail}") from error
            # The pages can be read all the same.
            self.stderr.write(f"\nWardboard   {address}/   no demonstration was loaded: {error.detail}")
            return
        self.stdout.write(_welcome(address, _make_account()))


def _why_not_here() -> str:
    """Return why this is no place for an account whose password is printed; "" if it is one."""
    if Board.objects.filter(is_demo=False, active_revision__isnull=False).exists():
        return "a leaderboard has hidden reference answers"
    if settings.HTTPS or settings.BEHIND_PROXY:
        return "HTTPS or BEHIND_PROXY is set"
    if others := [host for host in settings.ALLOWED_HOSTS if not _is_loopback(host)]:
        return f"ALLOWED_HOSTS has {others[0]}"
    return ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _load(benchmark: Benchmark, demo: Demonstration) -> None:
    board = new_board(benchmark.slug, demo.board)
    board.feedback, board.is_demo = Feedback.ANSWERS, True
    for name, value in UNLIMITED.items():
        setattr(board, name, value)
    imported = import_references(
        board=board, references=demo.references(), origin="demonstration, invented", texts=demo.texts()
    )
    user = User.objects.filter(email=_EXAMPLES).first()
    # Without a password nobody can sign in as this person.
    user = user or User.objects.create_user(_EXAMPLES, first_name="Wardboard examples")
    for path, facts in demo.examples:
        submit(
            SubmissionRequest(
                user=user,
                team=personal_team(user),
                board=imported.revision.board,
                file=store_file([path.read_bytes()]),
                facts=facts,
                filename=path.name,
                publish=True,
            )
        )


def _make_account() -> dict[str, str] | None:
    """Create the demonstration account with a random password and a token, and return both.

    None if an earlier start made it: what is printed at each start ends in logs. Both are kept in a file
    that only its owner can read.
    """
    account_file = _account_file()
    user = User.objects.filter(email=_EMAIL).first()
    if user and account_file.exists():
        return None
    user = user or User.objects.create_user(_EMAIL, first_name="Demo person")
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    _, token = create_token(user=user, name="demonstration", days=365)
    account = {"email": _EMAIL, "password": password, "token": token}
    # Write under another name first, so that an interrupted start leaves no incomplete file.
    new = account_file.with_suffix(".new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_text(json.dumps(account, indent=1) + "\n")
    new.replace(account_file)
    return account


def _account_file() -> Path:
    return settings.DATA / "demo-account.json"


def _welcome(address: str, account: dict[str, str] | None) -> str:
    lines = [f"Wardboard   {address}/", f"Sign in     {address}/accounts/login/   {_EMAIL}"]
    if account:
        lines += [f"Password    {account['password']}", f"Token       {account['token']}"]
    lines.append(f"            {_account_file()} keeps the password and the token.")
    for benchmark in registry.BENCHMARKS.values():
        for demo in benchmark.demonstrations:
            names = ", ".join(str(path) for path in demo.to_upload)
            lines.append(f"Upload      {address}/benchmarks/{demo.board.slug}/submit/   {names}")
    return "\n".join(["", *lines])
