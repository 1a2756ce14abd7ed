"""Each response names the id of its request, and only a trusted proxy chooses it."""

import re

OURS = re.compile(r"[0-9a-f]{32}")


def sent(visitor, given: str) -> str:
    return visitor.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]


def test_an_id_is_taken_from_a_trusted_proxy_alone_and_where_it_is_well_formed(visitor, db, settings):
    given = "0b7a5c3e-1111-4222-8333-444455556666"
    assert OURS.fullmatch(sent(visitor, given))
    settings.BEHIND_PROXY = True
    assert sent(visitor, given) == given
    for wrong in ("", "short", "x" * 65, "two words, both long", 'quote"quote"quote', "Zeile-ä-Zeile"):
        assert OURS.fullmatch(sent(visitor, wrong)), wrong
