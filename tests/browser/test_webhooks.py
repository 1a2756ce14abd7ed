"""An owner adds a webhook on its page, sends a test, and sees that it was delivered."""

import pytest
from django.core.cache import caches

from leaderboard.models import Webhook
from leaderboard.services.webhooks.send import send_calls
from tests.support import factories
from tests.support.loopback import Loopback, ScriptedReply


@pytest.mark.parametrize("width", [1280, 390])
def test_an_owner_adds_a_webhook_tests_it_and_sees_the_delivery(board, open_page, sign_in, settings, width):
    settings.WEBHOOKS_TO_LOOPBACK = True
    page = open_page(viewport={"width": width, "height": 900})
    sign_in(page)
    factories.make_team(factories.get_user("ada@example.org"))
    page.goto("/account/teams/ward-lab/")
    page.get_by_role("link", name="Its webhooks").click()
    with Loopback(ScriptedReply(status=204)) as server:
        page.get_by_label("Webhook of").select_option("ward-lab")
        page.get_by_label("URL").fill(f"{server.origin}/hooks/wardboard")
        page.get_by_role("button", name="Add the webhook").click()
        assert page.locator("#secret").inner_text().startswith("whsec_")
        page.get_by_role("button", name="Send a test to 127.0.0.1").click()
        caches["boards"].delete("webhooks-looked")
        assert send_calls() == 1
        page.reload()
        page.get_by_text("Last calls").click()
        assert page.get_by_text("delivered").is_visible()
    assert Webhook.objects.get().team.handle == "ward-lab"
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
