"""List the pages to photograph, with their captions and the steps before each picture."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tools.pictures.scratch_service import DEMO

BOARD = "medagentbench-300"
_BOARD, _FHIR = f"/benchmarks/{BOARD}/", "/benchmarks/fhir-agentbench/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Describe one picture.

    name: how its files begin.
    path: of the page, with {keys} of what `invented_systems.fill` returns.
    caption: its heading in the gallery.
    prepare: the steps on the page before the picture.
    needs_sign_in: whether the page belongs to somebody.
    in_every_variant: in both schemes and both languages; otherwise light and in English only.
    """

    name: str
    path: str
    caption: str
    prepare: Callable[[Page], object] | None = None
    needs_sign_in: bool = False
    in_every_variant: bool = False


def _scroll_to(selector: str) -> Callable[[Page], object]:
    return lambda page: page.evaluate("s => document.querySelector(s).scrollIntoView()", selector)


def _check_malformed_file(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.locator(".report.problems").wait_for()


def _submit_wrong_facts(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "good.json")
    page.locator("#step-facts").wait_for()
    # The first two of the folded groups: more about the system, and the conditions of the run.
    for number in range(2):
        page.locator("details.conditions > summary").nth(number).click()
    page.locator("#id_code_url").fill("github.com/example")
    page.locator("#id_harness").select_option("own-tools")
    page.locator("[aria-labelledby=step-facts] button[type=submit]").first.click()
    page.locator(".errorlist").first.wait_for()


def _create_token(page: Page) -> None:
    page.locator("#id_name").fill("nightly CI")
    page.locator("main form.stack button[type=submit]").click()
    page.locator("#token").wait_for()


def _confirm_password(page: Page) -> None:
    password = page.locator("main input[type=password]")
    if password.count():
        password.fill("a-long-password-1")
        page.locator("main form button[type=submit]").first.click()
        page.wait_for_load_state()


def _turn_on_app(page: Page) -> None:
    _confirm_password(page)
    page.locator("#id_code").wait_for()


def _shrink_to_frame(page: Page) -> None:
    size = page.viewport_size
    if size:
        page.set_viewport_size({"width": size["width"], "height": 520})


SHOTS = (
    Shot(
        name="front",
        path="/",
        caption="Front page: each benchmark with its question, its leader and the best score over time",
        in_every_variant=True,
    ),
    Shot(
        name="board",
        path=_BOARD,
        caption="Leaderboard: the main finding, the facts, the filters and the table",
        in_every_variant=True,
    ),
    Shot(
        name="board-table",
        path=_BOARD,
        caption="Table: ranks and scores with intervals, groups in shades, published rows in amber",
        prepare=_scroll_to(".filters"),
        in_every_variant=True,
    ),
    Shot(
        name="board-past",
        path=_BOARD + "?as_of=2026-06-20",
        caption="Leaderboard as of 20 June 2026: a row disqualified since then is struck through",
        in_every_variant=True,
    ),
    Shot(
        name="system",
        path="/systems/{system}/",
        caption="System: its rank with interval and group, its scores by task type, its history",
        in_every_variant=True,
    ),
    Shot(
        name="system-runs",
        path="/systems/{system_of_runs}/#runs-medagentbench-300",
        caption="System: a result of three runs, how much they differ, and the file of each",
    ),
    Shot(
        name="submission-runs",
        path="/submissions/{runs}/#runs",
        caption="Submission of three runs, as everybody sees it once it is published",
    ),
    Shot(
        name="compare",
        path=_BOARD + "compare/?{compared}",
        caption="Comparison: three systems in pairs, with tests and differences by task type",
        in_every_variant=True,
    ),
    Shot(
        name="about",
        path=_BOARD + "about/#uncertainty",
        caption="About a leaderboard: how intervals and ranks are computed, with formulas and sources",
        in_every_variant=True,
    ),
    Shot(
        name="changes",
        path=_BOARD + "changes/",
        caption="Log: results published, withdrawn, disqualified and rescored",
        in_every_variant=True,
    ),
    Shot(
        name="view-progress",
        path=_BOARD + "views/progress/",
        caption="Chart: best score over time, each improvement named",
        in_every_variant=True,
    ),
    Shot(
        name="view-forest",
        path=_BOARD + "views/forest/",
        caption="Chart: success rates of the first 25 systems with their intervals",
        in_every_variant=True,
    ),
    Shot(
        name="view-by-task-type",
        path=_BOARD + "views/by-task-type/",
        caption="Chart: systems by task type as a heat map, above the table of its values",
        in_every_variant=True,
    ),
    Shot(
        name="view-cost",
        path=_BOARD + "views/score-by-cost/",
        caption="Chart: success rate against cost per task, with the systems that no other dominates",
    ),
    Shot(
        name="view-precision-recall",
        path=_FHIR + "views/precision-recall/",
        caption="Chart: precision against recall, with lines of equal F1",
        in_every_variant=True,
    ),
    Shot(
        name="not-found",
        path="/nothing-here/",
        caption="Page not found, with links that lead on",
        in_every_variant=True,
    ),
    Shot(
        name="empty",
        path="/benchmarks/empty/",
        caption="Empty leaderboard: what to upload and how",
        in_every_variant=True,
    ),
    Shot(
        name="embed",
        path=f"/embed/{BOARD}/",
        caption="Leaderboard in a frame on another site",
        prepare=_shrink_to_frame,
        in_every_variant=True,
    ),
    Shot(
        name="board-conditions",
        path=_BOARD + "?columns=harness,memory,trained,cost,time,run,trace#table",
        caption="Leaderboard with the conditions of each run, as stated, and the trace in its file",
    ),
    Shot(
        name="system-judged",
        path="/systems/{fhir_system}/",
        caption="System: its judged score, and what that would be without the errors of the judge",
        prepare=_scroll_to("#on-fhir-agentbench"),
    ),
    Shot(name="fhir-board", path=_FHIR, caption="FHIR-AgentBench: systems ranked within their judge"),
    Shot(
        name="view-approach-by-model",
        path=_FHIR + "views/approach-by-model/",
        caption="Best result by approach and model, as in the paper's table A2",
    ),
    Shot(
        name="view-by-resource-type",
        path=_FHIR + "views/by-resource-type/",
        caption="Systems by resource type, as in the paper's table A3",
    ),
    Shot(
        name="view-by-precision-bucket",
        path=_FHIR + "views/by-precision-bucket/",
        caption="Answer correctness by precision, as in the paper's figure 4",
    ),
    Shot(
        name="view-by-true-resources",
        path=_FHIR + "views/by-true-resources/",
        caption="Answer correctness by number of true resources",
    ),
    Shot(name="view-distribution", path=_FHIR + "views/distribution/", caption="Task distribution"),
    Shot(name="about-site", path="/about/", caption="About the service"),
    Shot(
        name="status",
        path="/status/",
        caption="Service status: what works, what waits, and recent failures",
        in_every_variant=True,
    ),
    Shot(
        name="check",
        path="/check/?benchmark=medagentbench-demo",
        caption="Check of a file without an account: every problem in its place",
        prepare=_check_malformed_file,
    ),
    Shot(name="sign-in", path="/accounts/login/", caption="Sign-in form"),
    Shot(name="sign-up", path="/accounts/signup/", caption="Sign-up form"),
    Shot(name="password-reset", path="/accounts/password/reset/", caption="Request for a new password"),
    Shot(
        name="submit-problems",
        path="/benchmarks/medagentbench-demo/submit/",
        caption="Submission form with the problems of a file",
        prepare=_check_malformed_file,
        needs_sign_in=True,
        in_every_variant=True,
    ),
    Shot(
        name="submission",
        path="/submissions/{own}/",
        caption="Scored submission: its scores by task type and where they came from",
        needs_sign_in=True,
        in_every_variant=True,
    ),
    Shot(
        name="submissions",
        path="/submissions/",
        caption="A person's own submissions with status and score",
        needs_sign_in=True,
    ),
    Shot(name="submit", path=_BOARD + "submit/", caption="Submission form", needs_sign_in=True),
    # Last of the forms: the file that it leaves waiting would be on the others too.
    Shot(
        name="submit-facts",
        path="/benchmarks/medagentbench-demo/submit/",
        caption="Submission form with a problem in the facts, and the conditions of the run",
        prepare=_submit_wrong_facts,
        needs_sign_in=True,
    ),
    Shot(
        name="account", path="/accounts/email/", caption="Email addresses of an account", needs_sign_in=True
    ),
    Shot(
        name="second-factor",
        path="/accounts/2fa/",
        caption="Two-factor authentication: what is set up, and what can be",
        needs_sign_in=True,
    ),
    Shot(
        name="authenticator-app",
        path="/accounts/2fa/totp/activate/",
        caption="Set-up of an authenticator app, after the password was confirmed",
        prepare=_turn_on_app,
        needs_sign_in=True,
    ),
    Shot(
        name="passkey",
        path="/accounts/2fa/webauthn/add/",
        caption="A new passkey",
        prepare=_confirm_password,
        needs_sign_in=True,
    ),
    Shot(
        name="password-change",
        path="/accounts/password/change/",
        caption="A new password, and whether API tokens are revoked with it",
        needs_sign_in=True,
    ),
    Shot(
        name="tokens",
        path="/account/tokens/",
        caption="A new API token, displayed once",
        prepare=_create_token,
        needs_sign_in=True,
    ),
)
# Pictures that the service draws for other sites: the same for everybody.
DOWNLOADS = {
    "badge.svg": f"/benchmarks/{BOARD}/systems/{{system}}/badge.svg",
    "card-board.png": f"/benchmarks/{BOARD}/card.png",
    "card-system.png": "/systems/{system}/card.png",
}
# Those that README.md shows: all that docs/img holds.
README = (
    "board-1280.png",
    "board-table-1280.png",
    "board-past-1280-dark-zh.png",
    "check-1280.png",
    "submission-1280.png",
    "compare-1280.png",
    "system-1280.png",
    "view-precision-recall-1280.png",
    "view-progress-1280.png",
    "badge.svg",
)
