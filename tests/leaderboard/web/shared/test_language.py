"""The language of a page, the switch to the other one, and whole tasks in Chinese."""

import re
from datetime import UTC, date, datetime
from urllib.parse import unquote, urljoin, urlsplit

from django.core import mail
from django.template import Context, Template
from django.test import Client
from django.utils import translation

from leaderboard.models import Submission
from leaderboard.web.templatetags.languages import day, moment, translated
from tests.support import factories
from tests.support.factories import PASSWORD

CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-TW,zh;q=0.9"}


def get_page(client: Client, path: str, **headers) -> str:
    return client.get(path, **headers).content.decode()


def test_only_the_url_determines_the_language(visitor, db):
    visitor.cookies["django_language"] = "zh-hant"
    for path in ("/submit/", "/accounts/login/", "/nothing-here/"):
        for prefix, language in (("", "en"), ("/zh-hant", "zh-Hant")):
            response = visitor.get(f"{prefix}{path}", **CHINESE)
            assert f'<html lang="{language}">' in response.content.decode(), path
            assert response["Content-Language"] == language, path
            assert "Accept-Language" not in response.get("Vary", ""), path


def test_the_api_and_the_admin_have_one_language(visitor, db):
    for path in ("/api/v1/benchmarks/", "/admin/", "/healthz"):
        assert visitor.get(f"/zh-hant{path}").status_code == 404, path
        response = visitor.get(path, **CHINESE)
        assert response.status_code in (200, 302), path
        assert response["Content-Language"] == "en", path
    error = visitor.get("/api/v1/submissions/00000000-0000-4000-8000-000000000000/", **CHINESE)
    assert error.json()["detail"] == "This submission does not exist, or it is not published."


def test_every_page_has_a_link_to_itself_in_the_other_language(visitor, demo):
    link = '<a href="{}" lang="{}" hreflang="{}" rel="alternate">{}</a>'
    for path in ("/", "/submit/?benchmark=medagentbench-demo&x=a%26b", "/nothing-here/?q=1"):
        query = path.replace("&", "&amp;")
        english, chinese = get_page(visitor, path), get_page(visitor, f"/zh-hant{path}")
        assert link.format(f"/zh-hant{query}", "zh-Hant", "zh-Hant", "繁體中文") in english
        assert link.format(query, "en", "en", "English") in chinese
        for content in (english, chinese):
            assert f'<link rel="alternate" hreflang="en" href="http://testserver{query}">' in content
            assert f'hreflang="zh-Hant" href="http://testserver/zh-hant{query}">' in content


def test_no_url_makes_the_language_switch_lead_to_another_site(visitor, demo):
    for path in ("//evil.example/", "/%5cevil.example/", "/%5c/%5cevil.example/", "/%09/evil.example/"):
        for prefix in ("", "/zh-hant"):
            # Given as PATH_INFO: the test client would read // as the start of a host.
            content = visitor.generic("GET", "/", PATH_INFO=unquote(prefix + path)).content.decode()
            links = re.findall(r"<(?:a|link) [^>]*hreflang[^>]*>", content)
            addresses = [re.search(r'href="([^"]*)"', link)[1] for link in links]
            assert len(addresses) == 3, path
            for address in addresses:
                assert urlsplit(urljoin("http://testserver/", address)).netloc == "testserver", path


def test_the_language_switch_keeps_url_encoding_and_leads_to_a_readable_page_after_a_form(
    visitor, user, demo, good_file
):
    content = get_page(visitor, "/nothing%3Fa%23b%20%E8%87%A8/")
    assert '<a href="/zh-hant/nothing%3Fa%23b%20%E8%87%A8/"' in content
    sent = visitor.post("/submit/", {"benchmark": demo.slug}).content.decode()
    assert '<a href="/zh-hant/submit/" lang="zh-Hant"' in sent
    pk = factories.make_scored(user, demo, good_file).pk
    stale = Client(enforce_csrf_checks=True)
    stale.force_login(user)
    response = stale.post(f"/submissions/{pk}/publish/")
    assert response.status_code == 403
    assert f'<a href="/zh-hant/submissions/{pk}/" lang="zh-Hant"' in response.content.decode()


def test_links_of_a_chinese_page_stay_in_chinese(ada, demo):
    content = get_page(ada, "/zh-hant/")
    links = set(re.findall(r'(?:href|action)="(/[^"]*)"', content))
    plain = {link for link in links if not link.startswith(("/zh-hant/", "/static/", "/api/"))}
    assert plain == {"/"}, "only the switch leads to English"


def test_signing_in_returns_to_the_chinese_page(visitor, user, demo, upload, good_file):
    form = f"/zh-hant/benchmarks/{demo.slug}/submit/"
    assert visitor.get(form).status_code == 200
    response = visitor.post(form, {"file": upload(good_file)})
    assert response["Location"] == f"/zh-hant/accounts/login/?next={form}"
    credentials = {"login": user.email, "password": PASSWORD, "next": form}
    assert visitor.post("/zh-hant/accounts/login/", credentials)["Location"] == form


def test_emails_are_in_the_language_of_the_page_that_requested_them(visitor, user):
    visitor.post("/zh-hant/accounts/password/reset/", {"email": user.email})
    visitor.post("/zh-hant/accounts/password/reset/", {"email": "nobody@example.org"})
    known, unknown = mail.outbox
    assert known.subject == "Wardboard: 設定新密碼"
    assert "/zh-hant/accounts/password/reset/key/" in known.body
    assert "沒有使用這個信箱的 Wardboard 帳號" in unknown.body


def test_texts_stored_by_a_chinese_request_are_english(ada, demo, upload, malformed_file):
    ada.post(
        f"/zh-hant/benchmarks/{demo.slug}/submit/",
        {**factories.make_facts(system="Xylo"), "file": upload(malformed_file)},
    )
    rejected = Submission.objects.get()
    assert rejected.problems
    assert not re.search(r"[\u4e00-\u9fff]", f"{rejected.problems} {rejected.warnings}")


def test_days_and_moments_are_written_as_each_language_does():
    at = datetime(2026, 11, 21, 14, 5, 9, tzinfo=UTC)
    assert (day(at), moment(at)) == ("21 Nov 2026", "21 Nov 2026, 14:05:09 UTC")
    with translation.override("zh-hant"):
        assert day(date(2026, 11, 21)) == "2026 年 11 月 21 日"
        assert moment(at) == "2026 年 11 月 21 日 14:05:09 UTC"
    assert (day(None), moment(None)) == ("", "")


def test_numbers_are_grouped_by_three_in_both_languages():
    template = Template("{% load humanize %}{{ n|intcomma }} {{ x|floatformat:'2g' }}")
    for language in ("en", "zh-hant"):
        with translation.override(language):
            assert template.render(Context({"n": 1234567, "x": 12345.678})) == "1,234,567 12,345.68"


def test_the_question_of_a_benchmark_is_translated_for_any_number_of_tasks():
    from wardboard.scoring.medagentbench.boards import BOARDS

    with translation.override("zh-hant"):
        assert translated(BOARDS.question.format(count="1,234")).startswith(
            "FHIR 伺服器上的 1,234 項臨床任務"
        )
        assert translated("Its 5 own words.") == "Its 5 own words."
        assert translated("") == ""
