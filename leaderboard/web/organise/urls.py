"""Addresses of the organiser's desk."""

from django.urls import include, path

from leaderboard.web.organise import (
    announcements,
    decisions,
    imports,
    lists,
    overview,
    references,
    reported,
    submission,
    teams,
)

_of_board = [
    path("", overview.board, name="organise-board"),
    path("similar/", overview.similar, name="organise-similar"),
    path("models/", overview.models, name="organise-models"),
    path("feedback/", decisions.feedback, name="organise-feedback"),
    path("settings/", decisions.board_settings, name="organise-settings"),
    path("organisers/", decisions.organisers, name="organise-organisers"),
    path("references/", references.references, name="organise-references"),
    path("references/import/", imports.import_references, name="organise-import"),
    path("references/<int:number>/discard/", imports.discard, name="organise-discard"),
    path("references/<int:number>/", references.revision, name="organise-revision"),
    path("rescoring/", references.rescoring, name="organise-rescoring"),
    path("published/", reported.reported, name="organise-reported"),
    path("published.csv", reported.export, name="organise-reported-csv"),
    path("teams/", teams.teams, name="organise-teams"),
    path("teams/<int:pk>/<slug:decision>/", teams.decide, name="organise-decide"),
    path("announcements/", announcements.announcements, name="organise-announcements"),
    path("announcements/<int:pk>/end/", announcements.end, name="organise-end-announcement"),
]
_of_submission = [
    path("", submission.submission, name="organise-submission"),
    path("disqualify/", decisions.disqualify_submission, name="organise-disqualify"),
    path("reinstate/", decisions.reinstate_submission, name="organise-reinstate"),
    path("<slug:action>/", submission.act, name="organise-act"),
]
urlpatterns = [
    path("organise/", overview.overview, name="organise"),
    path("organise/new/", decisions.add, name="organise-new"),
    path("organise/declaration/", imports.declare, name="organise-declaration"),
    path("organise/boards/<slug:slug>/", include(_of_board)),
    path("organise/submissions/", lists.list_submissions, name="organise-submissions"),
    path("organise/submissions/<uuid:submission_id>/", include(_of_submission)),
]
