"""The command runs without the packages of the service, and the wheel has all that the service needs."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

from scoring.fhir_agentbench import demo as fhir_demo
from scoring.medagentbench import demo
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# The import names of what `wardboard[server]` adds, and of Python packages that only those need.
SERVER = (
    "django",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "openai",
    "zstandard",
    "jsonschema_rs",
    "leaderboard",
)


def run_without(*names: str, arguments: list[str]) -> subprocess.CompletedProcess:
    """Run `wardboard` in a process where the modules called `names` are not installed."""
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({names!r}))\n"
        "from wardboard.commands.main import main\n"
        f"sys.exit(main({arguments!r}))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", str(demo.GOOD), "--tasks", str(demo.TASKS)],
        ["grade", str(demo.GOOD), "--references", str(demo.FOLDER)],
        ["grade", str(demo.GOOD), str(demo.MIDDLING), "--references", str(demo.FOLDER)],
        ["grade", str(fhir_demo.GOOD), "--questions", str(fhir_demo.QUESTIONS)],
    ],
    ids=lambda arguments: " ".join([*arguments[:1], str(len(arguments))]),
)
def test_files_are_checked_and_graded_without_the_packages_of_the_service(arguments):
    # Nor is `requests` loaded, which takes a fifth of the start.
    process = run_without(*SERVER, "requests", arguments=arguments)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == run_without(arguments=arguments).stdout != ""


def test_a_bad_file_has_the_same_report_without_the_packages_of_the_service():
    arguments = ["validate", str(demo.MALFORMED), "--tasks", str(demo.TASKS), "--format", "json"]
    process = run_without(*SERVER, arguments=arguments)
    assert process.returncode == 1
    assert json.loads(process.stdout) == json.loads(run_without(arguments=arguments).stdout)


def test_every_command_starts_without_the_packages_of_the_service():
    listed = run_without(*SERVER, "cryptography", arguments=["--help"]).stdout
    names = re.findall(r"^  ([a-z]+)  ", listed.split("Commands:")[1], flags=re.MULTILINE)
    assert {"validate", "grade", "submit", "verify", "references"} <= set(names)
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({(*SERVER, 'cryptography')!r}))\n"
        "from wardboard.commands.main import main\n"
        f"sys.exit(max(main([name, '--help']) for name in {names!r}))\n"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert (process.returncode, process.stderr) == (0, "")


def test_the_version_is_printed():
    assert run_without(arguments=["--version"]).stdout == "wardboard 0.1.0\n"


def test_the_command_alone_needs_no_package_of_the_service():
    base = {requirement.partition(">=")[0] for requirement in PROJECT["dependencies"]}
    server = {requirement.partition(">=")[0] for requirement in PROJECT["optional-dependencies"]["server"]}
    assert base.isdisjoint(server)
    assert {"numpy", "scipy", "pandas", "django", "openai"} <= server


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    """Build the wheel, with the backend that is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def files_of(folder: str, *suffixes: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    return {path for path in listed if path.endswith(suffixes)}


def test_the_wheel_has_every_module_template_static_file_translation_and_document(wheel):
    names = set(wheel.namelist())
    packages = ("leaderboard", "scoring", "wardboard")
    kinds = (".py", ".html", ".mo", ".css", ".js", ".woff2", ".json", ".svg")
    wanted = set().union(*(files_of(package, *kinds) for package in packages))
    wanted |= {
        f"leaderboard/bundled/{path}" for path in files_of("templates", ".html", ".jinja", ".svg", ".txt")
    }
    wanted |= {f"leaderboard/bundled/{path}" for path in files_of("docs", ".md", ".conf", ".service", ".png")}
    assert len(wanted) > 600
    assert wanted - names == set()


def test_the_wheel_puts_nothing_beside_its_three_packages(wheel):
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert top == {"leaderboard", "scoring", "wardboard", "wardboard-0.1.0.dist-info"}


# bench/client.py installs it, migrates and asks it for pages, which takes a minute.
def test_the_service_of_the_wheel_finds_its_templates_static_files_and_documents(wheel, tmp_path):
    wheel.extractall(tmp_path / "site")
    program = (
        "import django\n"
        "django.setup()\n"
        "from django.contrib.staticfiles import finders\n"
        "from django.template.loader import get_template\n"
        "from leaderboard.web.docs import library, markdown\n"
        "get_template('web/boards/page.html')\n"
        "get_template('web/boards/rows.jinja', using='jinja2')\n"
        "assert finders.find('leaderboard/site.css')\n"
        "document = library.find('submitters')\n"
        "assert set(document.paths) == {'en', 'zh_Hant'}\n"
        "page = str(markdown.render(document, 'en'))\n"
        "assert '/docs/medagentbench/' in page\n"
    )
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(tmp_path / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": "for-the-tests, and for nothing else at all",
    }

    def run(**changes: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-c", program]
        env = environment | changes
        return subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False
        )

    process = run(WARDBOARD_DATA=str(tmp_path))
    assert process.returncode == 0, process.stderr
    assert "WARDBOARD_DATA is not set" in run().stderr
