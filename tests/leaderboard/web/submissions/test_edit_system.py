"""The page on which a team corrects the facts of its system."""

import pytest
from django.urls import reverse

from leaderboard.models import BoardEvent
from leaderboard.services.record.event_kinds import words_of
from tests.support.factories import make_published

pytestmark = [pytest.mark.django_db]


def address(system):
    return reverse("web:edit-system", args=[system.pk])


def test_a_correction_is_shown_before_it_is_made_and_then_logged(client, demo, user, good_file):
    system = make_published(user, demo, good_file, organisation="First").system
    client.force_login(user)
    assert address(system) in client.get(reverse("web:system", args=[system.pk])).text
    assert 'value="First"' in client.get(address(system)).text

    typed = {"system": "New name", "models": "model-a, model-b"}
    preview = client.post(address(system), typed)
    # What was emptied is no longer stated.
    assert [word in preview.text for word in ("First", "not stated", "model-a, model-b")] == [True] * 3
    system.refresh_from_db()
    assert system.organisation == "First"

    done = client.post(address(system), {**typed, "confirmed": "yes"}, follow=True)
    assert "The details of the system are changed." in done.text
    system.refresh_from_db()
    assert (system.name, system.organisation, system.model_names) == ("New name", "", ["model-a", "model-b"])
    event = BoardEvent.objects.latest("number")
    assert words_of(event).startswith("renamed from “Careful agent”")
    log = client.get(reverse("web:changes", args=[demo.slug])).text
    assert "renamed from “Careful agent”" in log
