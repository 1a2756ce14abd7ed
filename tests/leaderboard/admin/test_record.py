"""The events that the organiser's pages write to the record of a board."""

import pytest

from leaderboard.models import BoardAction, BoardEvent, Standing, User
from leaderboard.services.publishing.publish import publish
from leaderboard.services.publishing.standing_facts import update_standings
from leaderboard.services.record.as_of import state_of
from leaderboard.services.record.event_kinds import words_of
from tests.support.factories import make_scored, with_wrong
from tests.support.pages.admin_forms import filled_form

SUBMISSIONS = "/admin/leaderboard/submission/"


@pytest.fixture
def published(demo, user, team, good_file):
    results = [make_scored(user, demo, with_wrong(good_file, n), system=name) for n, name in enumerate("AB")]
    return [publish(submission_id=result.pk, team=team, by=user) for result in results]


def act(client, action, submissions, **fields):
    keys = [str(submission.pk) for submission in submissions]
    return client.post(SUBMISSIONS, {"action": action, "_selected_action": keys, **fields}, follow=True)


def test_several_results_are_disqualified_at_once_with_a_required_reason(staff, published):
    form = act(staff, "disqualify", published)
    assert form.status_code == 200
    assert form.content.decode().count('name="_selected_action"') == 2
    for bad in ("", " \n ", "x" * 301, "a\u202eb"):
        assert "errorlist" in act(staff, "disqualify", published, reason=bad).content.decode()
    assert Standing.objects.count() == 2
    response = act(staff, "disqualify", published, reason="trained on the tasks")
    assert "2 disqualified." in response.content.decode()
    assert not Standing.objects.exists()
    events = BoardEvent.objects.filter(action=BoardAction.DISQUALIFIED)
    assert [event.reason for event in events] == ["trained on the tasks"] * 2
    assert "2 reinstated." in act(staff, "reinstate", published).content.decode()
    assert Standing.objects.count() == 2


def test_staff_with_view_permission_only_cannot_disqualify(client, published):
    from django.contrib.auth.models import Permission

    looker = User.objects.create_user("looks@example.org", "correct-horse-battery", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(looker)
    act(client, "disqualify", published, reason="trained on the tasks")
    assert Standing.objects.count() == 2


def fields_of(page):
    return {
        name: value for name, value in page.context["adminform"].form.initial.items() if value is not None
    }


def test_a_change_of_a_visible_setting_makes_an_event(staff, demo):
    address = f"/admin/leaderboard/benchmark/{demo.pk}/change/"
    before = state_of(demo)
    data = filled_form(staff.get(address), feedback="overall")
    assert staff.post(address, data).status_code == 302
    event = BoardEvent.objects.get(number=before.number + 1)
    assert (event.action, words_of(event), event.feedback) == ("settings", "feedback level", "overall")
    staff.post(address, data)
    assert state_of(demo).number == before.number + 1


def test_a_system_and_a_team_that_are_renamed_are_renamed_on_the_board(staff, demo, team, published):
    system = published[0].system
    address = f"/admin/leaderboard/system/{system.pk}/change/"
    data = fields_of(staff.get(address)) | {"name": "Renamed"}
    assert staff.post(address, data).status_code == 302
    assert Standing.objects.get(system=system).name == "Renamed"
    address = f"/admin/leaderboard/team/{team.pk}/change/"
    inline = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    data = fields_of(staff.get(address)) | {"name": "New team"} | inline
    assert staff.post(address, data).status_code == 302
    assert {row.team_name for row in Standing.objects.all()} == {"New team"}
    facts = BoardEvent.objects.filter(action=BoardAction.FACTS).order_by("number")
    assert [(event.system_name, words_of(event)) for event in facts] == [
        ("Renamed", "renamed from “A”"),
        ("Renamed", "team renamed from “ada”"),
        ("B", "team renamed from “ada”"),
    ]


def test_the_record_is_read_only(staff, published):
    event = BoardEvent.objects.first()
    assert staff.get("/admin/leaderboard/boardevent/").status_code == 200
    address = f"/admin/leaderboard/boardevent/{event.pk}/"
    assert staff.get(f"{address}change/").status_code == 200
    for action in ("change", "delete"):
        assert staff.post(f"{address}{action}/", {}).status_code == 403


def test_an_event_is_found_by_the_earlier_name_in_it(staff, published):
    system = published[0].system
    earlier, system.name = system.name, "Renamed"
    system.save()
    update_standings(pk=system.pk)
    found = staff.get("/admin/leaderboard/boardevent/", {"q": earlier.lower(), "action": "facts"})
    assert [event.data["from"] for event in found.context["cl"].result_list] == [earlier]


def test_disqualified_results_can_be_listed_alone(staff, published):
    first, second = published
    act(staff, "disqualify", [first], reason="trained on the tasks")
    path = "/admin/leaderboard/submission/"
    assert "By disqualified" in staff.get(path).content.decode()
    listed = {n: staff.get(f"{path}?disqualified_at__isempty={n}").context["cl"].result_list for n in (0, 1)}
    assert ([one.pk for one in listed[0]], [one.pk for one in listed[1]]) == ([first.pk], [second.pk])
