"""Uploads are written to disk only for those who may, and kept only when they were accepted."""

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.models import Submission
from leaderboard.services.files import store
from tests.support.addresses import SUBMIT
from tests.support.factories import make_fhir_demo, make_form_facts
from wardboard.scoring.reading.limits import MIB

pytestmark = pytest.mark.usefixtures("folder", "demo")


def list_files(folder) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


def test_a_submission_leaves_its_own_file_and_refusals_none(ada, upload, good_file, malformed_file, folder):
    ada.post(SUBMIT, make_form_facts(file=upload(malformed_file)))
    ada.post(SUBMIT, make_form_facts(file=upload(good_file), system=""))
    ada.post(SUBMIT, make_form_facts(file=[upload(malformed_file), upload(malformed_file)]))
    assert list_files(folder) == []
    ada.post(SUBMIT, make_form_facts(file=upload(good_file)))
    files = sorted(list_files(folder))
    ada.post(SUBMIT, make_form_facts(file=upload(good_file)))
    assert sorted(list_files(folder)) == files
    assert {store.file_id_of(path.name) for path in files} == {
        Submission.objects.get(status="scored").stored_as
    }


def test_a_form_without_its_token_or_an_account_leaves_nothing(user, upload, good_file, folder, writers):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    assert strict.post(SUBMIT, make_form_facts(file=upload(good_file))).status_code == 403
    assert list_files(folder) == []
    writers.clear()
    response = Client(enforce_csrf_checks=True).post(SUBMIT, make_form_facts(file=upload(good_file)))
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next={SUBMIT}"
    assert writers == []


def test_a_page_without_uploads_stores_no_file(ada, upload, good_file, writers):
    for path in ("/accounts/login/", "/account/tokens/", "/benchmarks/none/submit/", "/"):
        ada.post(path, {"file": upload(good_file)})
        response = ada.post(path, {"file": upload(b"x" * (6 * MIB))})
        assert response.status_code == 413, path
    assert writers == []


def test_a_visitor_has_a_smaller_limit_for_checks_than_a_signed_in_user(
    visitor, ada, demo, upload, good_file, settings
):
    settings.ANONYMOUS_CHECK_BYTES = 1000
    form = {"benchmark": demo.slug, "file": upload(good_file + b" " * 2 * MIB)}
    response = visitor.post("/submit/", form)
    assert response.status_code == 413
    form["file"].seek(0)
    assert ada.post("/submit/", form).status_code == 302


def test_the_form_shows_and_enforces_the_limit_of_its_board(ada, upload, settings):
    assert "256\xa0MB" in ada.get(SUBMIT).content.decode()
    fhir = make_fhir_demo()
    assert "1\xa0GB" in ada.get(f"/benchmarks/{fhir.slug}/submit/").content.decode()
    # The page for all takes what the most generous of them takes.
    assert f'data-limit="{1024 * MIB}"' in ada.get("/submit/").content.decode()
    settings.UPLOAD_LIMITS = {"body_bytes": 32 * MIB}
    for address in ("/submit/", SUBMIT):
        response = ada.post(address, make_form_facts(file=upload(b"x" * (34 * MIB))))
        assert response.status_code == 413
        assert "The file is too large" in response.content.decode()


def test_a_full_disk_keeps_the_typed_fields_and_says_that_it_is_our_fault(
    ada, upload, good_file, settings, folder
):
    settings.UPLOAD_MIN_FREE_BYTES = 2**62
    response = ada.post(SUBMIT, {"file": upload(good_file), **make_form_facts(system="Typed in")})
    assert response.status_code == 507
    assert "Our disk has no room" in response.content.decode()
    assert 'value="Typed in"' in response.content.decode()
    assert not Submission.objects.exists()
    assert list_files(folder) == []
