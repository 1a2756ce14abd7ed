"""Addresses of the organiser's desk."""

from django.urls import path

from leaderboard.web.organise import (
    announcements,
    as_reader,
    audit_log,
    decisions,
    imports,
    lists,
    overview,
    references,
    submission,
    teams,
)

urlpatterns = [
    path("organise/", overview.overview, name="organise"),
    path("organise/boards/<slug:slug>/", overview.board, name="organise-board"),
    path("organise/boards/<slug:slug>/as-reader/", as_reader.show_as_reader, name="organise-as-reader"),
    path(
        "organise/boards/<slug:slug>/as-reader/<path:page>",
        as_reader.show_as_reader,
        name="organise-as-reader",
    ),
    path("organise/boards/<slug:slug>/similar/", overview.similar, name="organise-similar"),
    path("organise/boards/<slug:slug>/feedback/", decisions.feedback, name="organise-feedback"),
    path("organise/boards/<slug:slug>/settings/", decisions.board_settings, name="organise-settings"),
    path("organise/boards/<slug:slug>/organisers/", decisions.organisers, name="organise-organisers"),
    path("organise/boards/<slug:slug>/references/", references.references, name="organise-references"),
    path("organise/boards/<slug:slug>/references/import/", imports.import_references, name="organise-import"),
    path(
        "organise/boards/<slug:slug>/references/<int:number>/discard/",
        imports.discard,
        name="organise-discard",
    ),
    path(
        "organise/boards/<slug:slug>/references/<int:number>/",
        references.revision,
        name="organise-revision",
    ),
    path("organise/boards/<slug:slug>/rescoring/", references.rescoring, name="organise-rescoring"),
    path("organise/boards/<slug:slug>/teams/", teams.teams, name="organise-teams"),
    path("organise/boards/<slug:slug>/teams/<int:pk>/<slug:decision>/", teams.decide, name="organise-decide"),
    path("organise/boards/<slug:slug>/limits/<int:pk>/end/", teams.end_limits, name="organise-end-quota"),
    path(
        "organise/boards/<slug:slug>/announcements/",
        announcements.announcements,
        name="organise-announcements",
    ),
    path(
        "organise/boards/<slug:slug>/announcements/<int:pk>/end/",
        announcements.end,
        name="organise-end-announcement",
    ),
    path("organise/audit/", audit_log.audit_log, name="organise-audit"),
    path("organise/audit.csv", audit_log.export, name="organise-audit-csv"),
    path("organise/submissions/", lists.list_submissions, name="organise-submissions"),
    path("organise/submissions.csv", lists.export, name="organise-submissions-csv"),
    path("organise/submissions/<uuid:submission_id>/", submission.submission, name="organise-submission"),
    path(
        "organise/submissions/<uuid:submission_id>/disqualify/",
        decisions.disqualify_submission,
        name="organise-disqualify",
    ),
    path(
        "organise/submissions/<uuid:submission_id>/reinstate/",
        decisions.reinstate_submission,
        name="organise-reinstate",
    ),
    path("organise/submissions/<uuid:submission_id>/<slug:action>/", submission.act, name="organise-act"),
]
