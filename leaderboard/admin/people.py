"""People, their teams and their systems."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db import models

from leaderboard.models import Membership, System, Team, User
from leaderboard.services.publishing.standing_facts import update_standings


@admin.register(User)
class PersonAdmin(UserAdmin):
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


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "owner_alone", "created_at")
    search_fields = ("name", "owner_alone__email")
    inlines = (MembershipInline,)

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        if form.changed_data:
            update_standings(team=obj)


@admin.register(System)
class SystemAdmin(admin.ModelAdmin):
    list_display = ("name", "team", "organisation", "source", "created_at")
    list_select_related = ("team",)
    search_fields = ("name", "organisation", "team__name")
    # What a team states, and whose a system is, changes by submitting only.
    readonly_fields = ("model_names",)
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        # The team is disabled, not in readonly_fields: those are left out when constraints are checked,
        # and a name that the team has already would be an error of the database.
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        field.disabled = True
        return field

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        if form.changed_data:
            update_standings(pk=obj.pk)
