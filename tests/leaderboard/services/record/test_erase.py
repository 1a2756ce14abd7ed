"""A name is erased from the public record, and the chain of events still verifies."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from leaderboard.models import AuditEvent, BoardEvent, PastStanding
from leaderboard.services.publishing.announcements import announce, end_announcement
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.publishing.system_facts import correct_system
from leaderboard.services.record.chain import read_heads, sign_heads
from leaderboard.services.teams.members import change_names
from tests.support.factories import make_facts, make_published, parse_facts, with_wrong
from tests.support.record import verify_log, whole_log

pytestmark = pytest.mark.both_databases

NAME = "Grace Hopper"
# Pages of the past, by the number of an event.
BOARD = "/benchmarks/medagentbench-demo/"


@pytest.fixture
def named(demo, user, good_file):
    """Publish a system that is named after a person, then rename it and its team."""
    change_names(user=user, name=NAME, team_name=f"Team of {NAME}")
    submission = make_published(user, demo, good_file, system=f"{NAME}’s agent", organisation=NAME)
    facts = parse_facts(make_facts(system="An agent", organisation=""))
    correct_system(system_id=submission.system_id, team=submission.team, facts=facts, by=user)
    user.refresh_from_db()
    change_names(user=user, name="", team_name="A team")
    make_published(user, demo, with_wrong(good_file, 3), system="Another agent")
    return submission


def shown(client) -> str:
    addresses = [f"{BOARD}?as_of={number}" for number in range(1, 6)]
    addresses += [f"{BOARD}changes/", f"{BOARD}board.json?as_of=2", f"{BOARD}records.atom", "/api/v1/log/"]
    addresses += [
        f"/systems/{pk}/" for pk in PastStanding.objects.values_list("system", flat=True).distinct()
    ]
    texts = []
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200, address
        texts.append(response.getvalue().decode())
    return "\n".join(texts)


def test_a_name_is_erased_from_the_log_and_from_past_tables_and_the_chain_verifies(visitor, named, capsys):
    before, kept = whole_log(), sign_heads(read_heads())
    call_command("erase_name", NAME)
    assert "would be erased; run it again with --yes" in capsys.readouterr().out
    assert whole_log() == before
    assert NAME in shown(visitor)
    call_command("erase_name", NAME.lower(), yes=True)
    assert NAME not in shown(visitor)
    assert "[erased]" in shown(visitor)
    log = whole_log()
    assert any(re.search(r"whole; [1-9]\d* texts withheld", text) for text in verify_log(kept, before))
    assert "Another agent" in log.decode()
    (event,) = AuditEvent.objects.filter(action=AuditEvent.Action.NAME_ERASED)
    assert event.data["boards"] == ["medagentbench-demo"]
    assert NAME not in str(event.data)


def test_no_column_of_the_record_holds_the_name_afterwards_and_the_record_is_closed_again(named):
    call_command("erase_name", NAME, yes=True)
    for model in (BoardEvent, PastStanding):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {model._meta.db_table} WHERE number IS NOT NULL")
            assert NAME.lower() not in str(cursor.fetchall()).lower()
        with pytest.raises(IntegrityError, match="are written once"), transaction.atomic():
            QuerySet(model).update(number=1)


def test_a_name_that_is_shown_today_has_to_be_changed_first(named, user):
    with pytest.raises(CommandError, match="The text is shown today") as caught:
        call_command("erase_name", "Another agent", yes=True)
    assert "row of system" in str(caught.value)
    announced = announce(board=named.board, text=f"{NAME} has won.", text_zh="", by=user)
    with pytest.raises(CommandError, match="announcement on medagentbench-demo"):
        call_command("erase_name", NAME, yes=True)
    end_announcement(announcement=announced, by=user)
    call_command("erase_name", NAME, yes=True)
    with pytest.raises(CommandError, match="at least 3 characters"):
        call_command("erase_name", "Al", yes=True)


@pytest.mark.parametrize("act", ["disqualify", "withdraw"])
def test_the_reason_of_a_removal_is_erased_wherever_it_is_shown_and_stays_one(
    visitor, named, user, act, capsys
):
    reason = f"{NAME} asked for it"
    if act == "disqualify":
        disqualify(submission_id=named.pk, by=user, reason=reason)
    else:
        withdraw(submission_id=named.pk, team=named.team, by=user, reason=reason)
    own_page = f"/submissions/{named.pk}/"
    assert reason in shown(visitor)
    call_command("erase_name", NAME, yes=True)
    assert "reasons of 1 results, on: medagentbench-demo: erased" in capsys.readouterr().out
    assert NAME not in shown(visitor) + visitor.get(own_page).content.decode()
    assert BoardEvent.objects.order_by("number").last().reason == "[erased]"
    named.refresh_from_db()
    assert "[erased]" in (named.disqualification_reason, named.withdrawal_reason)
    assert verify_log()
