"""Django's admin, for superusers: lists, search and details to read, and accounts to change.

What organisers do is at /organise/. References are not registered, so no page of the admin reads them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.mfa import admin as _mfa_admin  # noqa: F401
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as _social_admin  # noqa: F401
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.db import models
from django.http import HttpRequest

from leaderboard.models import (
    AuditEvent,
    Notification,
    Submission,
    Team,
    User,
)
from leaderboard.services.accounts import revoke_all_tokens

# Lookups of a filter that a list offers; others could read a column that no page shows, letter by letter.
_OFFERED = {"exact", "id__exact", "isempty", "isnull"}

admin.site.site_header = admin.site.site_title = "Wardboard"


class OfferedFiltersMixin:
    """Refuse every filter that the list does not offer."""

    list_filter: ClassVar[Any]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        name, _, rest = lookup.partition("__")
        offered = {item if isinstance(item, str) else item[0] for item in self.list_filter}
        return name in offered and rest in _OFFERED


class ReadOnlyAdmin(OfferedFiltersMixin, admin.ModelAdmin):  # type: ignore[type-arg]  # takes none at run time
    """Show the columns of `fields`, in the list too unless a subclass sets `list_display`."""

    fields: ClassVar[tuple[str, ...]] = ()
    actions = None

    def get_list_display(self, request: HttpRequest) -> Any:
        return self.fields if self.list_display == ("__str__",) else self.list_display

    def _refuse(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = _refuse


class NewPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # takes no argument at run time
    """Sets the password of someone else; their tokens end, as when they reset it themselves."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit)
        revoke_all_tokens(user=user)
        return user


@admin.register(User)
class PersonAdmin(OfferedFiltersMixin, UserAdmin):  # type: ignore[type-arg]  # takes no argument at run time
    ordering = ("email",)
    list_display = ("email", "first_name", "is_active", "is_staff", "date_joined")
    search_fields = ("email", "first_name", "last_name")
    fieldsets = (
        (None, {"fields": ("email", "password", "first_name", "last_name")}),
        *(UserAdmin.fieldsets or ())[2:],
    )
    add_fieldsets = ((None, {"fields": ("email", "password1", "password2")}),)
    change_password_form = NewPasswordForm


# allauth's page shows, and lets superusers change, the secrets of authenticator apps. Its modules are
# imported above to be registered first. Environment variables set providers up; their tokens are not stored.
for model in (Authenticator, SocialApp, SocialToken, SocialAccount):
    admin.site.unregister(model)


class OfAccountAdmin(ReadOnlyAdmin):
    """Let superusers delete what someone signs in with, and has lost or lent."""

    search_fields = ("user__email",)
    list_select_related = ("user",)

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(Authenticator)
class SecondFactorAdmin(OfAccountAdmin):
    fields = ("user", "type", "created_at", "last_used_at")


@admin.register(SocialAccount)
class LinkedAccountAdmin(OfAccountAdmin):
    fields = ("user", "provider", "uid", "date_joined", "last_login")


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    fields = ("name", "handle", "owner_alone", "created_at")
    list_select_related = ("owner_alone",)
    search_fields = ("name", "handle", "members__email")


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("id", "system", "team", "board", "status", "received_at", "published_at")
    fields = (
        *list_display,
        *("submitted_by", "failure", "waits_for", "resume_at", "work", "moved_at", "scored_at"),
        *("filename", "sha256", "size_bytes", "kept_bytes", "format", "problem_count", "warning_count"),
        *("withdrawn_at", "withdrawal_reason", "disqualified_at", "disqualification_reason"),
    )
    list_filter = ("status", "board")
    list_select_related = ("system", "team", "board")
    search_fields = ("id", "sha256", "system__name", "team__name", "submitted_by__email")


@admin.register(AuditEvent)
class AuditAdmin(ReadOnlyAdmin):
    list_display = ("at", "action", "actor", "board", "submission")
    fields = (*list_display, "data")
    list_select_related = ("actor", "board", "submission__system", "submission__board")
    list_filter = ("action", "board")
    search_fields = ("actor__email", "submission__system__name", "submission__team__name")


@admin.register(Notification)
class EmailAdmin(ReadOnlyAdmin):
    """Emails about events, without their texts. Those given up are neither due nor sent."""

    fields = ("user", "kind", "board", "created_at", "attempts", "due_at", "sent_at")
    list_select_related = ("user", "board")
    list_filter = (
        "kind",
        ("due_at", admin.EmptyFieldListFilter),
        ("sent_at", admin.EmptyFieldListFilter),
    )
    search_fields = ("user__email",)
    ordering = ("-created_at", "-pk")
