"""The demonstration is loaded where it harms nobody, and its account is printed once."""

import json
import re
import stat
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client, override_settings

from leaderboard.models import Board, User
from tests.support.factories import make_demo

pytestmark = pytest.mark.django_db

ACCOUNT = "demo@wardboard.invalid"


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA, settings.UPLOADS = tmp_path, tmp_path / "uploads"
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
    return tmp_path


def load(*options: str) -> str:
    out = StringIO()
    call_command("load_demo", *options, stdout=out)
    return out.getvalue()


@pytest.mark.both_databases
def test_the_password_and_the_token_are_printed_once_and_kept_for_their_owner_alone(data):
    # What an interrupted start may have left, readable by everyone.
    (data / "demo-account.new").write_text("")
    first = load("--if-local")
    assert stat.S_IMODE((data / "demo-account.json").stat().st_mode) == 0o600
    account = json.loads((data / "demo-account.json").read_text())
    assert User.objects.get(email=ACCOUNT).check_password(account["password"])
    assert account["password"] in first
    assert account["token"] in first
    again = load("--if-local")
    assert account["password"] not in again
    assert account["token"] not in again
    assert "demo-account.json keeps the password" in again
    assert ACCOUNT in again
    assert json.loads((data / "demo-account.json").read_text()) == account


def test_nothing_is_loaded_beside_a_leaderboard_with_hidden_references():
    make_demo(slug="real", is_demo=False)
    out = load("--if-local", "--address", "http://127.0.0.1:9000")
    assert "http://127.0.0.1:9000/   (without the demonstration: a leaderboard has hidden" in out
    assert [board.slug for board in Board.objects.all()] == ["real"]
    assert not User.objects.filter(email=ACCOUNT).exists()
    assert "Token" not in out


def test_nothing_is_loaded_where_other_machines_may_reach_the_service():
    for setting, value, reason in (
        ("ALLOWED_HOSTS", ["localhost", "board.example.org"], "ALLOWED_HOSTS has board.example.org"),
        ("ALLOWED_HOSTS", ["*"], "ALLOWED_HOSTS has *"),
        ("BEHIND_PROXY", True, "HTTPS or BEHIND_PROXY is set"),
        ("HTTPS", True, "HTTPS or BEHIND_PROXY is set"),
    ):
        with override_settings(**{setting: value}):
            assert f"without the demonstration: {reason}" in load("--if-local")
    assert not Board.objects.exists()
    assert not User.objects.exists()


def test_a_fresh_installation_shows_published_results_first_and_has_a_sample_to_try():
    load()
    client = Client(SERVER_NAME="localhost")
    page, sample = client.get("/").text, "/docs/medagentbench/files/middling.json"
    assert re.findall(r'id="board-([\w-]+)"', page) == ["medagentbench-300", "fhir-agentbench"]
    assert f'href="{sample}"' in page
    assert client.get(sample).status_code == 200
