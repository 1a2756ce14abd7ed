"""Which texts and calls are HTTP requests."""

import pytest

from wardboard.scoring.traces.conversation import TracedCall
from wardboard.scoring.traces.requests import method_of_call, method_of_text


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("GET http://x/fhir/Patient?name=A", "GET"),
        ("```tool_code\nPOST http://x/fhir/Observation\n{}", "POST"),
        ("FINISH([1])", ""),
        ("I would POST it", ""),
        ("GETTING it", ""),
    ],
)
def test_a_text_of_the_official_protocol_begins_with_its_method(text, method):
    assert method_of_text(text) == method


@pytest.mark.parametrize(
    ("call", "method"),
    [
        (TracedCall(name="http", arguments={"method": "post"}), "POST"),
        (TracedCall(name="search_patients", result={"result": {"method": "GET"}}), "GET"),
        (TracedCall(name="createOrder"), "POST"),
        (TracedCall(name="fhir_search"), "GET"),
        (TracedCall(name="postprocess"), ""),
        (TracedCall(name="python", arguments="print(1)"), ""),
    ],
)
def test_a_call_states_its_method_or_its_name_does(call, method):
    assert method_of_call(call) == method
