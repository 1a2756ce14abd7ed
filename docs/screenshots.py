"""Takes the pictures in docs/img: python -m docs.screenshots

Starts the service on a scratch database with invented systems (invented_systems.py), and photographs each
page in a headless Chromium (CHROMIUM names another than /usr/bin/chromium). Needs the dev extras.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "img"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDTHS = {1280: 850, 390: 844}
DEMO = ROOT / "scoring" / "medagentbench" / "demo"


@contextmanager
def service(folder: str):
    """Yields the address of a service with the invented systems on it, and the page of one of them."""
    environment = {
        **os.environ,
        "WARDBOARD_DATA": folder,
        "SECRET_KEY": "for-pictures",
        "STATIC_UNHASHED": "1",
    }
    environment.pop("DATABASE_URL", None)
    environment.pop("BROKER_URL", None)

    def manage(*words: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True, capture_output=True
        )
        return done.stdout.decode()

    manage("migrate", "-v0")
    manage("collectstatic", "-v0", "--noinput")
    own = manage("shell", "-v0", "-c", "from docs.invented_systems import fill; print(fill())").split()[-1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-b", f"127.0.0.1:{port}", "leaderboard.wsgi"]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        yield address, own
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(address: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(address, timeout=1)  # noqa: S310 - our own address
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the service did not start")


def picture(page: Page, name: str, width: int) -> None:
    path = PICTURES / f"{name}-{width}.png"
    page.screenshot(path=path, animations="disabled")
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KB")


def sign_in(page: Page, address: str) -> None:
    page.goto(f"{address}/accounts/login/")
    page.locator("input[type=email]").fill("maya@example.org")
    page.locator("input[type=password]").fill("a-long-password-1")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()


def public_pages(page: Page, address: str, width: int) -> None:
    for name, path in {
        "front": "/",
        "board": "/benchmarks/medagentbench-v2/",
        "sign-in": "/accounts/login/",
        "sign-up": "/accounts/signup/",
        "password-reset": "/accounts/password/reset/",
        "not-found": "/nothing-here/",
    }.items():
        page.goto(address + path)
        picture(page, name, width)
    fhir_pages(page, address, width)
    page.goto(f"{address}/benchmarks/medagentbench-v2/")
    page.evaluate("document.querySelector('.filters').scrollIntoView()")
    picture(page, "board-table", width)
    page.goto(f"{address}/check/?benchmark=medagentbench-demo")
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.locator(".report.problems").wait_for()
    picture(page, "check", width)


def fhir_pages(page: Page, address: str, width: int) -> None:
    published, demo = (
        f"{address}/benchmarks/{slug}/" for slug in ("fhir-agentbench", "fhir-agentbench-demo")
    )
    page.goto(published)
    picture(page, "fhir-board", width)
    for name, path in {
        "view-approach-by-model": f"{published}views/approach-by-model/",
        "view-by-resource-type": f"{published}views/by-resource-type/",
        "view-by-precision-bucket": f"{demo}views/by-precision-bucket/",
        "view-by-true-resources": f"{demo}views/by-true-resources/",
        "view-distribution": f"{demo}views/distribution/",
    }.items():
        page.goto(path)
        page.locator("picture img").first.evaluate("image => image.decode()")
        picture(page, name, width)
    page.goto(demo)
    picture(page, "fhir-demo-board", width)
    page.get_by_role("link", name="Example: thorough retriever").click()
    picture(page, "fhir-submission", width)


def own_pages(page: Page, address: str, own: str, width: int) -> None:
    sign_in(page, address)
    for name, path in {
        "submissions": "/submissions/",
        "submission": f"/submissions/{own}/",
        "submit": "/benchmarks/medagentbench-v2/submit/",
        "account": "/accounts/email/",
    }.items():
        page.goto(address + path)
        picture(page, name, width)
    page.goto(f"{address}/benchmarks/medagentbench-demo/submit/")
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.get_by_label("Code").fill("github.com/example")
    page.get_by_role("button", name="Submit the file").click()
    page.locator(".errorlist").first.wait_for()
    picture(page, "submit-problems", width)
    page.goto(f"{address}/account/tokens/")
    page.get_by_label("Name").fill("nightly CI")
    page.get_by_role("button", name="Make the token").click()
    picture(page, "tokens", width)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        service(folder) as (address, own),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for width, height in WIDTHS.items():
            take_all(browser, address, own, width, height)


def take_all(browser: Browser, address: str, own: str, width: int, height: int) -> None:
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        page = context.new_page()
        if scheme == "light":
            public_pages(page, address, width)
            own_pages(page, address, own, width)
        else:
            page.goto(f"{address}/benchmarks/medagentbench-v2/")
            picture(page, "board-dark", width)
        context.close()


if __name__ == "__main__":
    main()
