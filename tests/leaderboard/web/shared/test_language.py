"""The language of a page, the switch to the other one, and whole tasks in Chinese."""

import re
from urllib.parse import unquote, urljoin, urlsplit

from django.test import Client

from leaderboard.models import Submission
from tests.support import factories

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


def test_texts_stored_by_a_chinese_request_are_english(ada, demo, upload, malformed_file):
    ada.post(
        f"/zh-hant/benchmarks/{demo.slug}/submit/",
        {**factories.make_facts(system="Xylo"), "file": upload(malformed_file)},
    )
    rejected = Submission.objects.get()
    assert rejected.problems
    assert not re.search(r"[\u4e00-\u9fff]", f"{rejected.problems} {rejected.warnings}")
