"""Commands refuse in words what no table can hold, before they do anything."""

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board, User

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (("--title", "x" * 121), ["--title: Ensure this value has at most 120 characters (it has 121)."]),
        (("--title", "\u202eTitle"), ["--title: It holds control or invisible characters."]),
        (("--title", " "), ["--title: It holds control or invisible characters."]),
        (
            ("--title", "\u200b", "--board-version", "v" * 41),
            [
                "--title: It holds control or invisible characters.",
                "--board-version: Ensure this value has at most 40 characters (it has 41).",
            ],
        ),
    ],
)
def test_an_import_names_every_name_that_does_not_fit(options, wrong):
    # The files are not even opened.
    files = ("--tasks", "missing.json", "--fhir-recording", "missing.ndjson")
    with pytest.raises(CommandError) as refused:
        call_command("import_references", "medagentbench", *files, *options)
    assert str(refused.value).splitlines() == ["Nothing was imported.", *wrong]
    assert not Board.objects.exists()


def test_a_token_lasts_a_day_or_a_century_at_most_and_needs_an_address_that_an_account_can_have():
    for days in (0, 36_501, 10**12):
        with pytest.raises(CommandError, match="--days takes 1 to 36500"):
            call_command("api_token", "ci@example.org", days=days)
    long = f"{'n' * 60}@{'e' * 60}.{'x' * 60}.{'y' * 60}.{'z' * 20}.org"
    for email in (long, "ci", "ſ@example.org"):
        with pytest.raises(CommandError, match=r"Enter a valid|at most 254 characters"):
            call_command("api_token", email)
    assert not User.objects.exists()
