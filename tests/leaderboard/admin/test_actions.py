"""The organiser's actions on a submission and on a board, from their pages."""

import pytest
from django.contrib.auth.models import Permission

from leaderboard.breaker import Breaker
from leaderboard.models import RescoringOrder, Standing
from leaderboard.services import background, broker
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import sweep
from leaderboard.services.submissions.rescore import rescore_board
from tests.support import factories
from tests.support.factories import other_references


@pytest.fixture
def published(demo, user, good_file):
    return factories.make_published(user, demo, good_file)


def test_the_page_of_a_submission_links_to_the_form_that_disqualifies_it(staff, published):
    page = f"/submissions/{published.pk}/"
    form = f"/admin/leaderboard/submission/{published.pk}/disqualify/"
    assert f'href="{form}"' in staff.get(page).content.decode()
    assert "Public. Up to" in staff.get(form).content.decode()
    assert Standing.objects.exists()
    # Without a reason nothing happens.
    assert staff.post(form, {"reason": " "}).status_code == 200
    assert Standing.objects.exists()
    assert staff.post(form, {"reason": "trained on the tasks"})["Location"] == page
    assert not Standing.objects.exists()


def test_the_page_of_a_disqualified_submission_links_to_the_form_that_reinstates_it(staff, published):
    page, admin = f"/submissions/{published.pk}/", f"/admin/leaderboard/submission/{published.pk}/"
    staff.post(f"{admin}disqualify/", {"reason": "trained on the tasks"})
    content = staff.get(page).content.decode()
    assert f'href="{admin}reinstate/"' in content
    assert f'href="{admin}disqualify/"' not in content
    assert "trained on the tasks" in staff.get(f"{admin}reinstate/").content.decode()
    assert not Standing.objects.exists()
    assert staff.post(f"{admin}reinstate/")["Location"] == page
    assert Standing.objects.exists()


def test_staff_with_view_permission_only_have_no_link_and_no_form(client, published):
    viewer = factories.make_user("view@example.org", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(viewer)
    assert "/disqualify/" not in client.get(f"/submissions/{published.pk}/").content.decode()
    for name in ("disqualify", "reinstate"):
        address = f"/admin/leaderboard/submission/{published.pk}/{name}/"
        assert client.get(address).status_code == 403
        assert client.post(address, {"reason": "because"}).status_code == 403
    assert Standing.objects.exists()


def test_an_unknown_submission_is_not_found(staff):
    address = "/admin/leaderboard/submission/00000000-0000-4000-8000-000000000000/disqualify/"
    assert staff.get(address).status_code == 404


def rescore(staff, board) -> str:
    data = {"action": "rescore", "_selected_action": [board.pk]}
    return staff.post("/admin/leaderboard/benchmark/", data, follow=True).content.decode()


def test_without_a_broker_the_page_names_the_command_and_does_nothing(staff, demo, published, settings):
    settings.BROKER_URL = ""
    import_references(benchmark=demo, references=other_references(), origin="corrected")
    assert f"manage.py rescore {demo.slug}" in rescore(staff, demo)
    assert Standing.objects.get().right == 47


def test_with_a_broker_a_worker_rescores(
    staff, demo, published, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.BROKER_URL = "redis://broker"
    messages = []
    monkeypatch.setattr(
        background.celery, "send_task", lambda task, args, queue: messages.append((task, args))
    )
    with django_capture_on_commit_callbacks(execute=True):
        assert "will be rescored in the background" in rescore(staff, demo)
    assert messages == [(background.Task.RESCORE, [str(demo.pk)])]


def test_rescoring_that_was_asked_for_while_the_broker_was_away_is_sent_by_the_sweep(
    staff, demo, published, settings, monkeypatch, django_capture_on_commit_callbacks
):
    settings.BROKER_URL = "redis://broker"

    def fail(*_, **__):
        raise OSError("down")

    monkeypatch.setattr(background.celery, "send_task", fail)
    import_references(benchmark=demo, references=other_references(), origin="corrected")
    with django_capture_on_commit_callbacks(execute=True):
        assert "will be rescored in the background" in rescore(staff, demo)
    monkeypatch.setattr(broker, "breaker", Breaker(rest=0, patience=1))
    monkeypatch.setattr(broker, "count_messages", lambda _: 0)
    monkeypatch.setattr(
        background.celery, "send_task", lambda task, args, queue: rescore_board(benchmark_id=int(args[0]))
    )
    with django_capture_on_commit_callbacks(execute=True):
        sweep.sweep(takes_all=True)
    assert Standing.objects.get().right == 46
    assert not RescoringOrder.objects.exists()


def test_the_task_of_the_worker_rescores_the_board(demo, published):
    import_references(benchmark=demo, references=other_references(), origin="corrected")
    assert rescore_board(benchmark_id=demo.pk) == 1
    assert Standing.objects.get().right == 46
    assert rescore_board(benchmark_id=demo.pk) == 0


def test_a_large_board_is_rescored_in_several_tasks(
    demo, user, good_file, published, settings, monkeypatch, django_capture_on_commit_callbacks
):
    factories.make_published(user, demo, factories.with_wrong(good_file, 3), system="Other")
    import_references(benchmark=demo, references=other_references(), origin="corrected")
    settings.BROKER_URL = "redis://broker"
    messages = []
    monkeypatch.setattr(background.celery, "send_task", lambda task, args, queue: messages.append(task))
    clock = iter([0.0, 1.0, 1000.0])
    with monkeypatch.context() as slow, django_capture_on_commit_callbacks(execute=True):
        slow.setattr("leaderboard.services.submissions.rescore.monotonic", lambda: next(clock))
        assert rescore_board(benchmark_id=demo.pk) == 1
    assert background.Task.RESCORE in messages
    messages.clear()
    assert rescore_board(benchmark_id=demo.pk) == 1
    assert background.Task.RESCORE not in messages
