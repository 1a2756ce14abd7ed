"""Hypothesis strategies for almost valid FHIR-AgentBench records."""

import json

from hypothesis import strategies as st

from tests.support.scoring.fhir_submissions import IDS
from tests.support.scoring.odd_values import texts, values

resources = st.dictionaries(
    st.sampled_from(["Patient", "error", "patients"]) | texts,
    values | st.lists(texts, max_size=3),
    max_size=3,
)
odd_records = values | st.fixed_dictionaries(
    {},
    optional={
        "question_id": st.sampled_from(IDS) | values,
        "agent_answer": values,
        "agent_fhir_resources": resources | resources.map(json.dumps) | resources.map(repr) | values,
        "error": values,
        "usage": values | st.dictionaries(st.sampled_from(["cost", "prompt_tokens"]), values),
        "more": values,
    },
)
