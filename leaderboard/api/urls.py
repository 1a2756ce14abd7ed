"""Addresses of the API."""

from django.urls import path, re_path
from django.views.generic import TemplateView

from leaderboard.api import allowances, boards, me, service
from leaderboard.api.seasons import views as seasons
from leaderboard.api.submissions import checks, tasks
from leaderboard.api.submissions import views as submissions

app_name = "api"
_DOCS = {"operations": service.operations}
urlpatterns = [
    path("", TemplateView.as_view(template_name="api/docs.html", extra_context=_DOCS), name="docs"),
    path("problems/", service.ProblemTypesView.as_view(), name="problems"),
    path("problems/<str:code>/", service.ProblemTypeView.as_view(), name="problem"),
    path("v1/openapi.json", service.OpenApiView.as_view(), name="openapi"),
    path("v1/validations/", checks.ValidationsView.as_view(), name="validations"),
    path("v1/validations/raw/", checks.RawValidationsView.as_view(), name="raw-validations"),
    path("v1/submissions/", submissions.SubmissionsView.as_view(), name="submissions"),
    path("v1/submissions/raw/", submissions.RawSubmissionsView.as_view(), name="raw-submissions"),
    path("v1/submissions/<uuid:submission_id>/", submissions.SubmissionView.as_view(), name="submission"),
    path("v1/submissions/<uuid:submission_id>/receipt/", submissions.ReceiptView.as_view(), name="receipt"),
    path(
        "v1/submissions/<uuid:submission_id>/comparison/",
        tasks.EntryComparisonView.as_view(),
        name="comparison",
    ),
    path("v1/submissions/<uuid:submission_id>/tasks/", tasks.TasksView.as_view(), name="tasks"),
    path("v1/submissions/<uuid:submission_id>/cancel/", submissions.CancelView.as_view(), name="cancel"),
    path("v1/submissions/<uuid:submission_id>/publish/", submissions.PublishView.as_view(), name="publish"),
    path(
        "v1/submissions/<uuid:submission_id>/withdraw/", submissions.WithdrawView.as_view(), name="withdraw"
    ),
    path("v1/benchmarks/", boards.BenchmarksView.as_view(), name="benchmarks"),
    path("v1/benchmarks/<slug:slug>/", boards.BenchmarkView.as_view(), name="benchmark"),
    path("v1/benchmarks/<slug:slug>/leaderboard/", boards.LeaderboardView.as_view(), name="leaderboard"),
    path("v1/benchmarks/<slug:slug>/allowance/", allowances.AllowanceView.as_view(), name="allowance"),
    path("v1/benchmarks/<slug:slug>/seasons/", seasons.SeasonsView.as_view(), name="seasons"),
    path("v1/benchmarks/<slug:slug>/season/", seasons.SeasonView.as_view(), name="season"),
    path("v1/submissions/<uuid:submission_id>/statement/", seasons.StatementView.as_view(), name="statement"),
    path("v1/benchmarks/<slug:slug>/log/", boards.BoardLogView.as_view(), name="board-log"),
    path("v1/benchmarks/<slug:slug>/declaration/", boards.DeclarationView.as_view(), name="declaration"),
    path("v1/schemas/<slug:family>/<str:name>.json", boards.SchemaView.as_view(), name="schema"),
    path("v1/me/", me.MeView.as_view(), name="me"),
    path("v1/trusted-publishing/token/", me.CiTokenView.as_view(), name="ci-token"),
    path("v1/device/codes/", me.DeviceCodesView.as_view(), name="device-codes"),
    path("v1/device/token/", me.DeviceTokenView.as_view(), name="device-token"),
    path("v1/keys/", service.KeysView.as_view(), name="keys"),
    path("v1/log/", service.LogView.as_view(), name="log"),
    path("v1/log/head/", service.HeadView.as_view(), name="log-head"),
    re_path("", service.UnknownAddressView.as_view(), name="nothing"),
]

# Outside of /api/, where probes and Prometheus look for them.
health_urlpatterns = [
    path("healthz", service.healthz, name="healthz"),
    path("readyz", service.readyz, name="readyz"),
    path("metrics", service.metrics, name="metrics"),
]
