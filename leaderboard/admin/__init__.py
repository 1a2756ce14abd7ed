"""The organisers' site, at the feedback level of each leaderboard and without references."""

from django.contrib import admin

from leaderboard.admin import approvals, boards, evaluations, people, submissions

__all__ = ["approvals", "boards", "evaluations", "people", "submissions"]

admin.site.site_header = admin.site.site_title = "Wardboard"
