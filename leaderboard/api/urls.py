"""Addresses of the API."""

from django.urls import path, re_path

from leaderboard.api import boards, cancelling, openapi, records, service, submissions, validations

app_name = "api"
urlpatterns = [
    path("", openapi.SwaggerUi.as_view(), name="docs"),
    path("problems/", service.Problems.as_view(), name="problems"),
    path("problems/<str:code>/", service.ProblemKind.as_view(), name="problem"),
    path("v1/", service.Root.as_view(), name="root"),
    path("v1/openapi.json", openapi.OpenApi.as_view(), name="openapi"),
    path("v1/health/", service.Health.as_view(), name="health"),
    path("v1/validations/", validations.Validations.as_view(), name="validations"),
    path("v1/submissions/", submissions.Submissions.as_view(), name="submissions"),
    path("v1/submissions/<uuid:submission_id>/", submissions.SubmissionDetail.as_view(), name="submission"),
    path("v1/submissions/<uuid:submission_id>/cancel/", cancelling.Cancel.as_view(), name="cancel"),
    path("v1/submissions/<uuid:submission_id>/publish/", submissions.Publish.as_view(), name="publish"),
    path("v1/submissions/<uuid:submission_id>/withdraw/", submissions.Withdraw.as_view(), name="withdraw"),
    path("v1/benchmarks/", boards.Benchmarks.as_view(), name="benchmarks"),
    path("v1/benchmarks/<slug:slug>/", boards.BenchmarkDetail.as_view(), name="benchmark"),
    path("v1/benchmarks/<slug:slug>/leaderboard/", boards.Leaderboard.as_view(), name="leaderboard"),
    path("v1/benchmarks/<slug:slug>/compare/", records.Compare.as_view(), name="compare"),
    path("v1/benchmarks/<slug:slug>/changes/", records.Changes.as_view(), name="changes"),
    path("v1/benchmarks/<slug:slug>/records/", records.Records.as_view(), name="records"),
    path("v1/benchmarks/<slug:slug>/schema/", boards.BenchmarkSchema.as_view(), name="benchmark-schema"),
    path("v1/schemas/<slug:family>/<str:name>.json", boards.Schema.as_view(), name="schema"),
    re_path("", service.Nothing.as_view(), name="nothing"),
]

# Outside of /api/, where probes look for it.
health_urlpatterns = [path("healthz", service.healthz, name="healthz")]
