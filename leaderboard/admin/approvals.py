"""The organisers' queue of teams that ask for approval."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.text import Truncator

from leaderboard.admin.base import ReadOnlyAdmin, signed_in_user
from leaderboard.models import ApprovalStatus, TeamApproval
from leaderboard.services.publishing import approvals
from leaderboard.services.text import read_key

_SHORT = 100  # characters of a message that the list shows at once


class RefuseForm(ActionForm):
    """Asks beside the actions for the reason of a refusal."""

    answer = forms.CharField(required=False, max_length=300, label="Reason for a refusal (the team sees it)")


@admin.register(TeamApproval)
class ApprovalAdmin(ReadOnlyAdmin[TeamApproval]):
    """Teams that wait come first, the one that has waited longest at the top."""

    list_display = ("team", "decision", "benchmark", "short_message", "email", "files", "requested_at")
    list_select_related = ("team", "benchmark", "requested_by", "decided_by")
    list_filter = ("status", "benchmark")
    search_fields = ("team__name", "requested_by__email", "message")
    date_hierarchy = "requested_at"
    fields = (
        "team",
        "benchmark",
        "status",
        "message",
        "requested_by",
        "requested_at",
        "answer",
        "decided_by",
        "decided_at",
    )
    actions = ("approve", "refuse")
    action_form = RefuseForm

    class Media:
        css = {"all": ["leaderboard/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[TeamApproval]:
        is_of_board = Q(team__submissions__benchmark=F("benchmark"))
        return super().get_queryset(request).annotate(sent=Count("team__submissions", filter=is_of_board))

    def get_ordering(self, request: HttpRequest) -> Any:
        waits = When(status=ApprovalStatus.REQUESTED, then=Value(0))
        return [Case(waits, default=Value(1), output_field=IntegerField()).asc(), "requested_at"]

    @admin.display(description="Message", ordering="message")
    def short_message(self, approval: TeamApproval) -> str:
        if len(approval.message) <= _SHORT:
            return approval.message or "–"
        short = Truncator(approval.message).chars(_SHORT)
        return format_html("<details><summary>{}</summary>{}</details>", short, approval.message)

    def has_steer_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leaderboard.change_teamapproval")

    @admin.display(description="Email", ordering="requested_by__email")
    def email(self, approval: TeamApproval) -> str:
        return approval.requested_by.email if approval.requested_by else "–"

    @admin.display(description="Files sent")
    def files(self, approval: Any) -> int:
        return int(approval.sent)

    @admin.display(description="Decision")
    def decision(self, approval: TeamApproval) -> str:
        if approval.status != ApprovalStatus.REQUESTED:
            return approval.get_status_display()
        return format_html('<button name="approve" value="{}">Approve</button>', approval.pk)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Approve the team whose button was pressed; the buttons are in the form of the list."""
        if "approve" not in request.POST:
            return super().changelist_view(request, extra_context)
        if not self.has_steer_permission(request):
            raise PermissionDenied
        chosen = read_key(request.POST["approve"])
        self.approve(request, self.get_queryset(request).filter(pk=chosen))
        return redirect("admin:leaderboard_teamapproval_changelist")

    @admin.action(description="Approve, and publish what waits for it", permissions=["steer"])
    def approve(self, request: HttpRequest, queryset: QuerySet[TeamApproval]) -> None:
        by = signed_in_user(request)
        for approval in queryset:
            published = approvals.approve(approval=approval, by=by)
            text = f"{approval.team} may submit to {approval.benchmark}; results published: {published}."
            self.message_user(request, text)

    @admin.action(description="Refuse, or take the approval back", permissions=["steer"])
    def refuse(self, request: HttpRequest, queryset: QuerySet[TeamApproval]) -> None:
        by = signed_in_user(request)
        for approval in queryset:
            approvals.refuse(approval=approval, by=by, answer=request.POST.get("answer", ""))
            self.message_user(
                request, f"{approval.team} is refused on {approval.benchmark}.", messages.WARNING
            )
