"""A team makes the traces of a result public, and private again."""

import pytest

from leaderboard.models import AuditEvent, Board, DataClass
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_settings import change_settings
from tests.support.factories import make_published, make_scored, with_history

KEY = "sk-proj-abcdefghij1234567890"


@pytest.fixture
def offering(demo):
    Board.objects.filter(pk=demo.pk).update(public_traces=True)
    demo.refresh_from_db()
    return demo


@pytest.fixture
def scored(offering, user, good_file):
    return make_scored(user, offering, good_file)


def traces_of(submission, path="task3_1/"):
    return f"/submissions/{submission.pk}/traces/{path}"


def share(client, submission, **fields):
    path = f"/submissions/{submission.pk}/publish/"
    return client.post(path, {"public_traces": "yes", **fields}, follow=True)


def test_a_board_offers_public_traces_only_where_its_organisers_say_so(ada, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    assert "public_traces" not in ada.get(f"/submissions/{submission.pk}/").content.decode()
    page = share(ada, submission).content.decode()
    assert "This leaderboard does not offer public traces." in page
    submission.refresh_from_db()
    assert not submission.is_published


def test_everyone_reads_traces_that_the_team_made_public_with_the_result(ada, visitor, scored):
    assert 'name="public_traces"' in ada.get(f"/submissions/{scored.pk}/").content.decode()
    share(ada, scored)
    assert visitor.get(traces_of(scored)).status_code == 200
    assert "The team made these traces public." in visitor.get(traces_of(scored, "")).content.decode()
    page = visitor.get(f"/submissions/{scored.pk}/").content.decode()
    assert f"/submissions/{scored.pk}/traces/" in page
    assert AuditEvent.objects.filter(submission=scored, action="submission.traces-changed").count() == 1


def test_no_key_in_a_trace_is_read_by_anybody(ada, visitor, offering, user, good_file):
    raw = with_history(good_file, "task1_1", f"GET Patient?key={KEY}", f"denied for {KEY} by ada@ward.test")
    leaking = make_scored(user, offering, raw)
    share(ada, leaking)
    for client in (ada, visitor):
        page = client.get(traces_of(leaking, "task1_1/")).content.decode()
        assert KEY not in page
        assert "GET Patient?key=[redacted]" in page
        assert "denied for [redacted] by ada@ward.test" in page


def test_a_team_shows_and_hides_the_traces_of_a_published_result(ada, visitor, offering, user, good_file):
    submission = make_published(user, offering, good_file)
    assert "Make the traces public" in ada.get(traces_of(submission, "")).content.decode()
    share(ada, submission)
    assert visitor.get(traces_of(submission)).status_code == 200
    ada.post(f"/submissions/{submission.pk}/publish/", {"public_traces": "no"})
    assert visitor.get(traces_of(submission)).status_code == 404
    submission.refresh_from_db()
    assert submission.is_published
    # Published again, they are private until the team makes them public anew.
    share(ada, submission)
    ada.post(f"/submissions/{submission.pk}/withdraw/")
    ada.post(f"/submissions/{submission.pk}/publish/")
    assert visitor.get(f"/submissions/{submission.pk}/").status_code == 200
    assert visitor.get(traces_of(submission)).status_code == 404
    system = visitor.get(f"/systems/{submission.system_id}/").content.decode()
    assert traces_of(submission, "") not in system


def test_they_end_where_the_board_offers_them_no_longer(ada, visitor, scored):
    share(ada, scored)
    for ending in (
        {"public_traces": False},
        {"keep_originals": False},
        {"data_class": DataClass.CREDENTIALED},
    ):
        Board.objects.update(public_traces=True, keep_originals=True, data_class=DataClass.OPEN)
        assert visitor.get(traces_of(scored)).status_code == 200
        Board.objects.update(**ending)
        assert visitor.get(traces_of(scored)).status_code == 404, ending


def test_a_board_with_credentialed_data_never_offers_public_traces(offering, admin_client):
    with pytest.raises(WrongState, match="never public"):
        change_settings(board=offering, values={"data_class": DataClass.CREDENTIALED})
    change_settings(board=offering, values={"data_class": DataClass.CREDENTIALED, "public_traces": False})
    with pytest.raises(WrongState, match="never public"):
        change_settings(board=offering, values={"public_traces": True})
