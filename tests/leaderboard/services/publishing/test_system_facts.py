"""Facts of systems: a result that is not published changes nothing public, and a correction is logged."""

import pytest

from leaderboard.models import AuditEvent, BoardEvent, Standing
from leaderboard.services.errors import FactsInvalid, NotFound
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.system_facts import correct_system
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.record.log import changelog
from leaderboard.services.record.recorded_board import RecordedBoard
from tests.support.factories import (
    correct,
    make_facts,
    make_published,
    make_scored,
    make_user,
    parse_facts,
    with_wrong,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_facts_stated_with_another_result_of_a_public_system_are_applied_when_it_is_published(
    demo, user, good_file
):
    system = make_published(user, demo, good_file, organisation="First").system
    events = BoardEvent.objects.count()
    later = make_scored(user, demo, with_wrong(good_file, 2), organisation="Second", system="CAREFUL agent")
    system.refresh_from_db()
    assert (system.name, system.organisation) == ("Careful agent", "First")
    assert Standing.objects.get(system=system).organisation == "First"
    assert BoardEvent.objects.count() == events

    publish(submission_id=later.pk, team=later.team, by=user)
    system.refresh_from_db()
    # The name in another spelling finds the system; it does not rename it.
    assert (system.name, system.organisation) == ("Careful agent", "Second")
    assert Standing.objects.get(system=system).organisation == "Second"
    recorded = list(BoardEvent.objects.order_by("number"))[events:]
    assert [(event.action, words_of(event)) for event in recorded] == [
        ("facts", "organisation"),
        ("published", ""),
    ]
    later.refresh_from_db()
    assert later.stated_facts is None


def test_facts_change_at_once_while_a_system_was_never_public_and_not_once_it_was_withdrawn(
    demo, user, good_file
):
    make_scored(user, demo, good_file, organisation="First")
    later = make_published(user, demo, with_wrong(good_file, 2), organisation="Second")
    assert (later.system.organisation, later.stated_facts) == ("Second", None)
    withdraw(submission_id=later.pk, team=later.team, by=user)
    make_scored(user, demo, with_wrong(good_file, 3), organisation="Third")
    later.system.refresh_from_db()
    assert later.system.organisation == "Second"


def test_a_renamed_system_is_logged_with_its_earlier_name_and_a_correction_outlives_waiting_facts(
    demo, user, good_file
):
    system = make_published(user, demo, good_file, organisation="First").system
    later = make_scored(user, demo, with_wrong(good_file, 2), organisation="Second", models="model-b")
    facts = parse_facts(make_facts(system="A “new”, name", organisation="Third"))
    changed = correct_system(system_id=system.pk, team=system.team, facts=facts, by=user)
    assert set(changed) >= {"name", "organisation"}
    event = BoardEvent.objects.latest("number")
    assert (event.action, event.system_name) == ("facts", "A “new”, name")
    values = {"from": "Careful agent", "changed": ["organisation"], "by_organiser": False}
    assert event.data == {"kind": "renamed", **values}
    words = "renamed from “Careful agent”, organisation"
    assert changelog(RecordedBoard(demo)).object_list[0].first.reason == words
    audited = AuditEvent.objects.filter(action=AuditEvent.Action.SYSTEM_CHANGED).latest("pk")
    assert audited.data["fields"]["name"] == {"was": "Careful agent", "now": "A “new”, name"}
    assert audited.actor == user

    publish(submission_id=later.pk, team=later.team, by=user)
    row = Standing.objects.get(system=system)
    assert (row.name, row.organisation, row.model_names) == ("A “new”, name", "Third", ["model-b"])


def test_a_name_of_another_system_of_the_team_is_refused_and_nothing_is_changed(demo, user, good_file):
    system = make_scored(user, demo, good_file, organisation="First").system
    make_scored(user, demo, with_wrong(good_file, 2), system="Other")
    facts = parse_facts(make_facts(system="OTHER", organisation="Second"))
    with pytest.raises(FactsInvalid):
        correct_system(system_id=system.pk, team=system.team, facts=facts, by=user)
    system.refresh_from_db()
    assert (system.name, system.organisation) == ("Careful agent", "First")


def test_only_its_team_corrects_a_system_and_an_organiser_any(demo, user, good_file):
    system = make_published(user, demo, good_file).system
    organiser = make_user("olga@example.org", is_staff=True)
    bob = make_user("bob@example.org")
    make_scored(bob, demo, with_wrong(good_file, 2))
    other = correct(bob, organisation="Bob's")
    facts = parse_facts(make_facts(organisation="Elsewhere"))
    with pytest.raises(NotFound):
        correct_system(system_id=system.pk, team=other.team, facts=facts, by=bob)
    correct_system(system_id=system.pk, team=None, facts=facts, by=organiser)
    assert Standing.objects.get(system=system).organisation == "Elsewhere"
