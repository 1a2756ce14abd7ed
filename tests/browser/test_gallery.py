"""The steps that `make gallery` takes on a form before its picture lead where the picture's caption says."""

import pytest

from tools.pictures.shots import SHOTS

SHOWN = {
    "check": "13 errors of 6 kinds",
    "submit-problems": "13 errors of 6 kinds",
    "submit-facts": "Not submitted yet. 2 fields need correcting",
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_form_is_photographed_with_what_it_answers(open_page, board, sign_in, name):
    [shot] = [shot for shot in SHOTS if shot.name == name]
    page = open_page()
    if shot.account:
        sign_in(page)
    page.goto(shot.path)
    shot.prepare(page)
    assert SHOWN[name] in page.get_by_role("main").inner_text()
