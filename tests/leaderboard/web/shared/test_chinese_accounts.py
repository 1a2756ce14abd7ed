"""Pages and emails of accounts in Chinese use our terms, in texts of Django and allauth too."""

import re
from importlib.resources import files

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from tests.support.factories import PASSWORD
from tests.support.pages.words import english_in, ill_set_in

ACCOUNTS = "/zh-hant/accounts"
# We address readers as 您, and write 電子郵件信箱 for an email address.
AVOIDED_WORDS = re.compile(r"你|電子信箱|電子郵件(?!信箱)|和／或|必需|令牌|金鑰")
SIGN_UP = {"email": "zelda@example.org", "name": "王實驗室", "password1": PASSWORD}


def check_page(response) -> str:
    content = response.content.decode()
    assert '<html lang="zh-Hant">' in content
    assert AVOIDED_WORDS.findall(content) == []
    assert ill_set_in(content) == []
    # The team of one person is named after the address, up to the @.
    assert english_in(content, given=["ada"]) == {}
    return content


@pytest.mark.parametrize(
    ("path", "form", "expected_texts"),
    [
        ("/signup/", {}, ["此欄位為必填。", "電子郵件信箱", "密碼至少須有 8 個字元。"]),
        ("/signup/", SIGN_UP | {"email": "nonsense"}, ["請輸入有效的電子郵件信箱。"]),
        ("/signup/", SIGN_UP | {"email": "ada@example.org"}, ["已有帳號使用這個電子郵件信箱。"]),
        ("/signup/", SIGN_UP | {"password1": "abc"}, ["密碼太短，至少須有 8 個字元。"]),
        ("/signup/", SIGN_UP | {"password1": "password"}, ["這個密碼太常見。"]),
        ("/signup/", SIGN_UP | {"password1": "zelda@example.org"}, ["密碼與電子郵件信箱太相似。"]),
        ("/signup/", SIGN_UP | {"name": "王" * 121}, ["最多 120 個字元（目前有 121 個）。"]),
        ("/signup/", SIGN_UP | {"name": "王\0"}, ["不可含有空字元（null）。"]),
        ("/login/", {}, ["此欄位為必填。", "保持登入", "忘記密碼？"]),
        (
            "/login/",
            {"login": "ada@example.org", "password": "wrong"},
            ["電子郵件信箱或密碼不正確。"],
        ),
        ("/password/reset/", {}, ["此欄位為必填。", "電子郵件信箱"]),
        ("/password/reset/", {"email": "nonsense"}, ["請輸入有效的電子郵件信箱。"]),
    ],
)
def test_a_refused_form_of_a_visitor_uses_our_own_translations(visitor, user, path, form, expected_texts):
    content = check_page(visitor.post(f"{ACCOUNTS}{path}", form))
    assert [text for text in expected_texts if text not in content] == []


@pytest.mark.parametrize(
    ("path", "form", "expected_texts"),
    [
        ("/password/change/", {}, ["此欄位為必填。", "目前的密碼", "再次輸入新密碼"]),
        ("/password/change/", {"oldpassword": "x", "password1": "y"}, ["請輸入您目前的密碼。"]),
        (
            "/password/change/",
            {"oldpassword": PASSWORD, "password1": "violet-otter-91", "password2": "z"},
            ["兩次輸入的密碼須相同。"],
        ),
        ("/email/", {"email": "ada@example.org", "action_add": ""}, ["這個電子郵件信箱已在此帳號中。"]),
        ("/email/", {"email": "nonsense", "action_add": ""}, ["請輸入有效的電子郵件信箱。"]),
        ("/reauthenticate/", {"password": "wrong"}, ["確認您的身分", "密碼不正確。"]),
    ],
)
def test_a_refused_account_form_uses_our_own_translations(ada, user, path, form, expected_texts):
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    content = check_page(ada.post(f"{ACCOUNTS}{path}", form))
    assert [text for text in expected_texts if text not in content] == []


def test_messages_about_accounts_use_our_own_translations(ada, user, settings):
    settings.NOTIFIES = True
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    ada.post(f"{ACCOUNTS}/reauthenticate/", {"password": PASSWORD})
    new = {"email": "second@example.org"}
    password_form = {"oldpassword": PASSWORD, "password1": "violet-otter-91", "password2": "violet-otter-91"}
    for path, form, expected_text in (
        ("/email/", new | {"action_add": ""}, "確認信已寄至 second@example.org。"),
        ("/email/", new | {"action_primary": ""}, "您的主要電子郵件信箱須先確認。"),
        ("/email/", {"email": user.email, "action_remove": ""}, "無法移除您的主要電子郵件信箱（ada@"),
        ("/email/", new | {"action_remove": ""}, "已移除電子郵件信箱 second@example.org。"),
        ("/email/", {"email": user.email, "action_primary": ""}, "已設為主要電子郵件信箱。"),
        ("/password/change/", password_form, "密碼已變更。"),
        ("/logout/", {}, "您已登出。"),
        # A successful sign-in shows no message: the header names the account.
        ("/login/", {"login": user.email, "password": "violet-otter-91"}, "ada@example.org"),
    ):
        assert expected_text in check_page(ada.post(f"{ACCOUNTS}{path}", form, follow=True))


def test_the_form_for_a_new_password_uses_our_own_translations(visitor, user):
    visitor.post(f"{ACCOUNTS}/password/reset/", {"email": user.email})
    address = re.search(r"http://testserver(\S+)", mail.outbox[0].body)[1]
    page = visitor.get(address, follow=True)
    check_page(page)
    form = page.redirect_chain[-1][0]
    content = check_page(visitor.post(form, {"password1": "abc", "password2": "abd"}))
    assert "密碼太短，至少須有 8 個字元。" in content
    assert "再次輸入新密碼" in content


@pytest.mark.parametrize("path", ["/inactive/", "/email/", "/logout/"])
def test_account_pages_use_our_own_translations(ada, path):
    check_page(ada.get(f"{ACCOUNTS}{path}"))


def test_emails_use_our_own_translations(visitor, user, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    for path, form in (
        ("/signup/", SIGN_UP),
        ("/signup/", SIGN_UP | {"email": user.email}),
        ("/password/reset/", {"email": user.email}),
        ("/password/reset/", {"email": "nobody@example.org"}),
    ):
        visitor.post(f"{ACCOUNTS}{path}", form)
        visitor.post(f"{ACCOUNTS}/logout/")
    assert [letter.subject for letter in mail.outbox] == [
        "Wardboard: 確認您的電子郵件信箱",
        "Wardboard: 帳號已存在",
        "Wardboard: 設定新密碼",
        "Wardboard: 沒有這個帳號",
    ]
    for letter in mail.outbox:
        assert AVOIDED_WORDS.findall(letter.body) == []
        assert english_in(letter.body, given=["testserver"]) == {}


def test_every_listed_library_text_still_exists_in_its_library():
    pofile = pytest.importorskip("babel.messages.pofile", reason="Babel is not installed")
    from tools.messages.library_texts import TEXTS

    package_texts = set()
    for package, folder in (("django", "conf"), ("django", "contrib/auth"), ("allauth", "")):
        with files(package).joinpath(folder, "locale/en/LC_MESSAGES/django.po").open("rb") as file:
            package_texts |= {message.id for message in pofile.read_po(file)}
    assert {text for texts in TEXTS.values() for text in texts} - package_texts == set()
