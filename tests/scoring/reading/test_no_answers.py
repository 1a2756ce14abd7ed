"""What says nothing about a question, and what only says something beside the answer."""

import pytest

from tests.support.scoring.no_answers import texts_of
from wardboard.scoring.reading.no_answers import count_no_answers, fingerprint, says_nothing

HONEST = texts_of("""
I ran into a problem with paging and started over. Answer: 12; The server was slow, but the ward is
Neurology; Warfarin (I could not open the scanned letters); 2151-03-02, although the second request timed
out; As an AI model I read every order: the last one was senna; Although one call failed, the patient was in
the MICU; She could not swallow; The patient was unable to complete the walk; Family declined to answer;
Respiratory failure; Error of refraction; Access to care is limited; The patient did not respond to heparin;
No dose was ever given; No potassium is charted, since one query failed; Yes. Feel free to ask for more; I'm
sorry to say that he died; The maximum number of steps walked was 320; Medication error: insulin overdose;
Unfortunately, none was measured; The date of birth could not be recorded; 病人無法自行進食; Lo siento, no
hay registros; 0; Not a single culture is on file
""")
EMPTY = texts_of("""
I can't give medical information about anyone.; Unfortunately, I wasn't able to complete this.; Upstream
connect error; Sorry, I am unable to provide patient details for legal reasons.; I apologize, but the API
returned an error.; The database is down, so I stopped.; While I tried twice, the request timed out.; 502
Bad Gateway; segmentation fault; Based on the tools given, I cannot answer.; {"message": "Too many
requests"}; 400 error: input is too long; openai.BadRequestError: Error code: 400; JSONDecodeError:
Expecting value; Incorrect API key; tool_use_failed; Hi! How can I help you?; Could you share the chart?; I
don't have access to it, but you can ask the ward.; This cannot be disclosed. Please contact the hospital.;
I searched the records, but the tool failed.; dunno; Final answer: I could not determine this.;
很抱歉，我無法提供病人的資料。; Je suis désolé, je ne peux pas répondre.
""")


@pytest.mark.parametrize(("texts", "is_empty"), [(HONEST, False), (EMPTY, True)])
def test_a_text_is_no_answer_only_if_nothing_else_is_said(texts, is_empty):
    assert [text for text in texts if says_nothing(text) is not is_empty] == []


def test_one_text_for_most_questions_is_no_answer_and_values_that_differ_are():
    def count(texts):
        return count_no_answers([None if text is None else fingerprint(text) for text in texts])

    honest = [f"The last one was measured on 2151-03-{day:02}." for day in range(1, 29)]
    assert count(honest) == count([f"Final answer: {n % 5}" for n in range(40)]) == count(["Yes"] * 3) == 0
    assert count(["I have no key.", "The key is missing."] * 9) == 18
    assert count(["yes", "Yes ", None, *honest[:4]] * 9) == 9
    assert count([f"Job {day:05}-ab gave up" for day in range(20)]) == 20
    assert count([*honest[:14], *["Yes"] * 15, None]) == 1
    assert count([*honest[:14], *["Yes"] * 16]) == 16
