"""Admin pages of people, teams and systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from allauth.mfa import admin as _  # noqa: F401
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as __  # noqa: F401
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from leaderboard.admin.base import ModelAdmin, ReadOnlyAdmin, signed_in_user
from leaderboard.models import (
    AuditEvent,
    BoardOrganiser,
    Membership,
    Notification,
    RetiredHandle,
    Role,
    System,
    Team,
    User,
)
from leaderboard.services import audit
from leaderboard.services.accounts import revoke_all_tokens
from leaderboard.services.publishing.standing_facts import update_standings
from leaderboard.services.submissions import quotas
from leaderboard.services.teams.handles import digests_of
from leaderboard.services.text import validate_readable

M = TypeVar("M", bound=models.Model)
_NAMED = 3  # members of a team in the list


class NewPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # takes no argument at run time
    """Sets the password of someone else; their tokens end, as when they reset it themselves."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit)
        revoke_all_tokens(user=user)
        return user


def _readable(db_field: models.Field[Any, Any], field: forms.Field | None) -> forms.Field | None:
    """Return the form field of a column, which refuses what cannot be read if the column is a name."""
    if field and db_field.name in ("name", "organisation", "first_name", "last_name"):
        field.validators.append(validate_readable)
    return field


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # takes no argument at run time
    ordering = ("email",)
    list_display = ("email", "first_name", "is_active", "is_staff", "date_joined")
    search_fields = ("email", "first_name", "last_name")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("Name", {"fields": ("first_name", "last_name")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "password1", "password2")}),)
    change_password_form = NewPasswordForm

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        return _readable(db_field, super().formfield_for_dbfield(db_field, request, **kwargs))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # `?auth_token_set__gte=` would read the digests of tokens, letter by letter.
        own_fields = {field.name for field in self.opts.get_fields() if not field.auto_created}
        return lookup.partition("__")[0] in own_fields and super().lookup_allowed(lookup, value, request)


# allauth's page shows, and lets staff change, the secrets of authenticator apps. Its module is imported above
# to be registered first.
admin.site.unregister(Authenticator)
# Providers are set up by environment variables, and their tokens are not stored.
for model in (SocialApp, SocialToken, SocialAccount):
    admin.site.unregister(model)


@admin.register(Authenticator)
class SecondFactorAdmin(ModelAdmin[Authenticator]):
    """Lets staff remove a second factor that someone has lost."""

    list_display = fields = readonly_fields = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup.partition("__")[0] in self.fields and super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(SocialAccount)
class LinkedAccountAdmin(ModelAdmin[SocialAccount]):
    """Lets staff unlink an account elsewhere that signs in to one here."""

    list_display = fields = readonly_fields = ("user", "provider", "uid", "date_joined", "last_login")
    list_select_related = ("user",)
    search_fields = ("user__email",)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup.partition("__")[0] in self.fields and super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class PersonSelect(AutocompleteSelect):
    """Django's widget for a person, but one that can show again what is the key of nobody."""

    def optgroups(self, name: str, value: Sequence[str], attr: dict[str, Any] | None = None) -> list[Any]:
        try:
            return super().optgroups(name, value, attr)
        except (ValueError, OverflowError):
            # The form says that the value is not one of the choices.
            return super().optgroups(name, [], attr)


@admin.register(BoardOrganiser)
class OrganiserAdmin(ModelAdmin[BoardOrganiser]):
    """Who organises which board, beside the staff, and so may use its desk at /organise/."""

    list_display = ("user", "benchmark", "since")
    list_select_related = ("user", "benchmark")
    list_filter = ("benchmark",)
    search_fields = ("user__email",)
    autocomplete_fields = ("user",)

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> Any:
        if db_field.name in self.autocomplete_fields:
            kwargs["widget"] = PersonSelect(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: BoardOrganiser | None = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: BoardOrganiser, form: forms.ModelForm[BoardOrganiser], change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        self._record(AuditEvent.Action.ORGANISER_ADDED, request, obj)

    def delete_model(self, request: HttpRequest, obj: BoardOrganiser) -> None:
        self._record(AuditEvent.Action.ORGANISER_REMOVED, request, obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[BoardOrganiser]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    @staticmethod
    def _record(action: AuditEvent.Action, request: HttpRequest, row: BoardOrganiser) -> None:
        audit.record(action, actor=signed_in_user(request), benchmark=row.benchmark, person=row.user.email)


class EmailStateFilter(admin.SimpleListFilter):
    """Emails that no mail server took, or that wait for one."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Sequence[tuple[str, str]]:
        return [("given-up", "given up"), ("waiting", "waiting")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() == "given-up":
            return queryset.given_up()
        return queryset.filter(due_at__isnull=False) if self.value() == "waiting" else queryset


@admin.register(Notification)
class EmailAdmin(ReadOnlyAdmin[Notification]):
    """Emails about events: which wait, and which no mail server took. Their texts are not shown."""

    list_display = fields = ("user", "kind", "benchmark", "created_at", "attempts", "due_at", "sent_at")
    list_select_related = ("user", "benchmark")
    list_filter = (EmailStateFilter, "kind")
    search_fields = ("user__email",)
    ordering = ("-created_at", "-pk")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup == EmailStateFilter.parameter_name or super().lookup_allowed(lookup, value, request)


class MembershipFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]  # takes none at run time
    """Keeps an owner in each team of several people, and a person in a membership."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if form.instance.pk:
            form.fields["user"].disabled = True

    def clean(self) -> None:
        super().clean()
        kept = [form.cleaned_data for form in self.forms if form.is_valid() and form.cleaned_data]
        roles = [data["role"] for data in kept if not data.get("DELETE")]
        # A team that was closed has nobody.
        if (self.initial_forms or roles) and Role.OWNER not in roles:
            raise ValidationError("A team needs an owner: keep one, or make someone else one.")


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # takes no argument at run time
    """Members of a team of several people. Nobody else is in the team of a single person."""

    model = Membership
    formset = MembershipFormSet
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return obj is not None and obj.is_shared and super().has_add_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return obj is not None and obj.is_shared and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return obj is not None and obj.is_shared and super().has_delete_permission(request)


class ReadableNameAdmin(ModelAdmin[M]):
    """Refuse names that cannot be read, as sign-up and submission do."""

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.Field | None:
        return _readable(db_field, super().formfield_for_dbfield(db_field, request, **kwargs))


@admin.register(Team)
class TeamAdmin(ReadableNameAdmin[Team]):
    list_display = ("name", "handle", "people", "storage", "created_at")
    search_fields = ("name", "handle", "owner_alone__email")
    # A team of one has no short name, and a team of several is nobody's own.
    readonly_fields = ("handle", "owner_alone")
    inlines = (MembershipInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        # A first submission creates the team of a person, and a page those of several, with an owner.
        return False

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Team]:
        kept = Coalesce(models.Sum("submissions__kept_bytes"), 0)
        return super().get_queryset(request).annotate(kept_bytes=kept).prefetch_related("members")

    @admin.display(description="Members")
    def people(self, team: Team) -> str:
        emails = sorted(user.email for user in team.members.all())
        more = [f"{len(emails) - _NAMED} more"] if len(emails) > _NAMED else []
        return ", ".join([*emails[:_NAMED], *more])

    @admin.display(description="Storage", ordering="kept_bytes")
    def storage(self, team: Any) -> str:
        return quotas.describe_bytes(team.kept_bytes, settings.UPLOAD_TEAM_BYTES)

    def save_model(self, request: HttpRequest, obj: Team, form: forms.ModelForm[Team], change: bool) -> None:
        super().save_model(request, obj, form, change)
        if form.changed_data:
            update_standings(team=obj)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        changes = {
            AuditEvent.Action.MEMBER_JOINED: formset.new_objects,
            AuditEvent.Action.ROLE_CHANGED: [row for row, _fields in formset.changed_objects],
            AuditEvent.Action.MEMBER_LEFT: formset.deleted_objects,
        }
        for action, rows in changes.items():
            for row in rows:
                facts = {"team": row.team_id, "user": row.user_id, "role": row.role}
                audit.record(action, actor=signed_in_user(request), **facts)


@admin.register(RetiredHandle)
class RetiredHandleAdmin(ReadOnlyAdmin[RetiredHandle]):
    """Short names that no team may take. To release one, search for the whole of it, and delete the row."""

    list_display = fields = ("digest", "retired_at")
    ordering = ("-retired_at", "pk")
    search_fields = ("digest",)
    search_help_text = "The whole short name, such as ward-lab: only keyed digests of short names are kept."

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[RetiredHandle], search_term: str
    ) -> tuple[models.QuerySet[RetiredHandle], bool]:
        handle = search_term.strip()
        return (queryset.filter(digest__in=digests_of(handle)) if handle else queryset), False

    def has_delete_permission(self, request: HttpRequest, obj: RetiredHandle | None = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(System)
class SystemAdmin(ReadableNameAdmin[System]):
    list_display = ("name", "team", "organisation", "source", "created_at")
    list_select_related = ("team",)
    search_fields = ("name", "organisation", "team__name")
    # Models, like all facts that a team states, and the team itself change by submitting only.
    readonly_fields = ("model_names",)
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> forms.ModelChoiceField[Any] | None:
        # The team is disabled and not in readonly_fields, which are left out when constraints are checked:
        # a name that the team has already would then be a database error.
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field:
            field.disabled = True
        return field

    def save_model(
        self, request: HttpRequest, obj: System, form: forms.ModelForm[System], change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if form.changed_data:
            update_standings(pk=obj.pk)
