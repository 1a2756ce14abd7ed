"""Addresses of the pages."""

from django.urls import path

from leaderboard.web import boards, checking, submissions, submitting, tokens, views

app_name = "web"
urlpatterns = [
    path("", boards.front, name="front"),
    path("benchmarks/<slug:slug>/", boards.board, name="board"),
    path("benchmarks/<slug:slug>/submit/", submitting.submit, name="submit"),
    path("benchmarks/<slug:slug>/board.csv", boards.export, name="board-csv"),
    path("benchmarks/<slug:slug>/views/<slug:name>/", views.view, name="view"),
    path("benchmarks/<slug:slug>/views/<slug:name>.csv", views.as_csv, name="view-csv"),
    path("benchmarks/<slug:slug>/views/<slug:name>.json", views.as_json, name="view-json"),
    path("benchmarks/<slug:slug>/views/<slug:name>/chart.svg", views.chart, name="chart"),
    path("submit/", submitting.choose, name="choose"),
    path("check/", checking.check, name="check"),
    path("submissions/", submissions.mine, name="submissions"),
    path("submissions/<uuid:submission_id>/", submissions.submission, name="submission"),
    path("submissions/<uuid:submission_id>/progress/", submissions.progress, name="progress"),
    path("submissions/<uuid:submission_id>/tasks/", submissions.tasks, name="tasks"),
    path("submissions/<uuid:submission_id>/cancel/", submissions.cancel, name="cancel"),
    path("submissions/<uuid:submission_id>/publish/", submissions.publish, name="publish"),
    path("submissions/<uuid:submission_id>/withdraw/", submissions.withdraw, name="withdraw"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<str:token_key>/revoke/", tokens.revoke, name="revoke"),
]
