"""Which strings name one model for certain, and which may."""

import pytest

from leaderboard.services.rows.model_names import name_models


@pytest.mark.parametrize(
    ("stated", "is_joined", "is_proposed"),
    [
        ("gpt-4o", True, False),
        ("openrouter/OpenAI/gpt-4o", True, False),
        ("ＧＰＴ-4o", True, False),
        ("gpt-4o-2024-08-06", False, True),
        ("openai/gpt-4o:free", False, True),
        ("gpt 4o", False, True),
        ("gpt4o", False, True),
        ("a-team/gpt-4o", False, True),
        ("gpt-4o-mini", False, False),
        ("gpt-4", False, False),
    ],
)
def test_case_and_provider_join_names_and_other_likeness_proposes_it(stated, is_joined, is_proposed):
    known = name_models({"GPT-4o", stated}, {})
    assert (known.names[stated] == "GPT-4o", stated in known.proposals) == (is_joined, is_proposed)
    assert known.proposals.get(stated, "GPT-4o") == "GPT-4o"
    assert ("GPT-4o" in known.spellings(stated)) == is_joined
    assert ("GPT-4o" in name_models({"GPT-4o"}, {}).spellings(stated)) == is_joined


@pytest.mark.parametrize("apart", ["gpt-4o", "GPT-4o", "openai/gpt-4o"])
@pytest.mark.parametrize("others", [{}, {"azure/gpt4o": "GPT-4o"}])
def test_a_decision_holds_for_its_string_alone_and_others_stay_joined(apart, others):
    aliases = {apart: "Omni" if apart in others.values() else apart, **others}
    known = name_models({"GPT-4o", "gpt-4o", "openai/gpt-4o", *aliases}, aliases)
    assert aliases.items() <= known.names.items()
    assert known.spellings(aliases[apart]) == [apart]
    assert (len({*known.names.values()}), known.proposals) == (2, {})
