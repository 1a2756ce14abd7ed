"""The pages that axe looks at, in the tests and in tools/pictures/axe_report.py; on boards of these slugs.

medagentbench-demo has published results of its own, fhir-agentbench the reported ones, empty none.
"""

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# Language -> what its addresses begin with.
LANGUAGES = {"en": "", "zh-Hant": "/zh-hant"}
PUBLIC = (
    "/",
    "/benchmarks/medagentbench-demo/",
    "/benchmarks/medagentbench-demo/?q=zebra",
    "/benchmarks/medagentbench-demo/?as_of=2",
    "/benchmarks/empty/",
    "/benchmarks/fhir-agentbench/",
    "/benchmarks/fhir-agentbench/views/progress/",
    "/benchmarks/fhir-agentbench/views/forest/",
    "/benchmarks/fhir-agentbench/views/precision-recall/",
    "/benchmarks/fhir-agentbench/views/by-resource-type/",
    "/benchmarks/fhir-agentbench/views/by-precision-bucket/",
    "/benchmarks/fhir-agentbench/views/by-true-resources/",
    "/benchmarks/fhir-agentbench/views/approach-by-model/",
    "/benchmarks/fhir-agentbench/views/distribution/",
    "/benchmarks/medagentbench-demo/views/by-task-type/",
    "/about/",
    "/benchmarks/medagentbench-demo/about/",
    "/benchmarks/fhir-agentbench/about/",
    "/benchmarks/medagentbench-demo/changes/",
    "/benchmarks/empty/changes/",
    "/benchmarks/empty/compare/",
    "/benchmarks/medagentbench-demo/compare/?q=zebra",
    "/benchmarks/medagentbench-demo/compare/?system=1&system=999999",
    "/embed/medagentbench-demo/",
    "/embed/empty/?scheme=dark",
    "/check/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/confirm-email/nonsense/",
    "/nothing-here/",
)
OWN = (
    "/submissions/",
    "/submit/",
    "/benchmarks/medagentbench-demo/submit/",
    "/account/tokens/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
)
