"""Django's admin: for superusers, to read, and to change accounts."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission
from django.db.models import ForeignObjectRel
from django.urls import reverse

from leaderboard.models import CommitmentKey, Notification, ReferenceRevision, User
from leaderboard.services.accounts import create_token
from tests.support.factories import make_user

ACCOUNTS = {User, Group, Authenticator, SocialAccount}
OURS = [model for model in site._registry if model._meta.app_label == "leaderboard"]


def address_of(model, page, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_superusers_list_search_and_read_every_table(admin_client, demo, user, published):
    Notification.objects.create(user=user, event="one", kind="decision")
    for model in OURS:
        listed = admin_client.get(address_of(model, "changelist"), {"q": "zebra"})
        assert listed.status_code == 200, model
        row = model._default_manager.first()
        if row is not None:
            assert admin_client.get(address_of(model, "change", row.pk)).status_code == 200, model


def test_only_accounts_can_be_changed(admin_client, published):
    for model in set(OURS) - ACCOUNTS:
        assert admin_client.get(address_of(model, "add")).status_code == 403, model
        row = model._default_manager.first()
        for page in ("change", "delete") if row else ():
            assert admin_client.post(address_of(model, page, row.pk), {"post": "yes"}).status_code == 403
        assert not site._registry[model].get_actions(admin_client.get("/admin/").wsgi_request)


def test_hidden_references_have_no_page_and_no_filter(admin_client, published):
    assert not {ReferenceRevision, CommitmentKey} & set(site._registry)
    for query in (
        "submission/?board__active_revision__content__startswith=a",
        "submission/?problems__contains=a",
        "submission/?progress__contains=a",
        "auditevent/?data__contains=a",
        "notification/?data__contains=a",
        "notification/?user__password__startswith=a",
        *(f"user/?auth_token_set{lookup}=0" for lookup in ("__gte", "", "__digest__startswith", "__in")),
    ):
        assert admin_client.get(f"/admin/leaderboard/{query}").status_code == 400, query
    assert admin_client.get("/admin/leaderboard/user/?is_staff__exact=1").status_code == 200


def test_no_list_reads_a_column_that_it_does_not_offer_as_a_filter(admin_client, published):
    for model in OURS:
        filters = site._registry[model].list_filter
        offered = {item if isinstance(item, str) else item[0] for item in filters}
        for field in model._meta.get_fields():
            if isinstance(field, ForeignObjectRel) or field.name not in offered:
                response = admin_client.get(address_of(model, "changelist"), {f"{field.name}__gte": "a"})
                assert response.status_code == 400, (model, field)


def test_staff_who_are_no_superusers_and_strangers_do_not_enter(client, published):
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")
    for user in (
        make_user("staff@example.org", is_staff=True),
        make_user("grace@example.org"),
    ):
        user.user_permissions.set(Permission.objects.all())
        client.force_login(user)
        for path in ("/admin/", "/admin/leaderboard/user/", "/admin/login/"):
            assert client.get(path, follow=True).status_code == 403, (user, path)


def test_superusers_unlink_an_account_elsewhere(admin_client, user):
    linked = SocialAccount.objects.create(user=user, provider="github", uid="17")
    assert "17" in admin_client.get(address_of(SocialAccount, "changelist")).text
    assert admin_client.get(address_of(SocialAccount, "add")).status_code == 403
    admin_client.post(address_of(SocialAccount, "delete", linked.pk), {"post": "yes"})
    assert not SocialAccount.objects.exists()


def test_staff_see_no_digest_of_a_token(admin_client, user):
    digest = create_token(user=user, name="CI", days=30)[0].digest
    for page in ("", f"{user.pk}/change/", f"{user.pk}/delete/"):
        assert digest not in admin_client.get(f"/admin/leaderboard/user/{page}").text, page
    assert "0 users" in admin_client.get(f"/admin/leaderboard/user/?q={digest}").text
