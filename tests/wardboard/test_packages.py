"""The command runs without the packages of the service, and the two wheels have what each needs."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

import pytest
from hatchling.build import build_editable

from tests.support.paths import ROOT
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import demo
from wardboard.version import __version__

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


def run_without(*names: str, commands: list[list[str]]) -> subprocess.CompletedProcess:
    """Run commands in a process where the modules called `names` are not installed; the worst code counts."""
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({names!r}))\n"
        "from wardboard.commands.main import main\n"
        f"sys.exit(max([main(words) for words in {commands!r}]))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )


def test_files_are_checked_and_graded_without_the_packages_of_the_service_as_with_them():
    commands = [
        ["validate", str(demo.MALFORMED), "--tasks", str(demo.TASKS), "--json"],
        ["grade", str(demo.GOOD), str(demo.MIDDLING), "--references", str(demo.FOLDER)],
        ["grade", str(fhir_demo.GOOD), "--questions", str(fhir_demo.QUESTIONS)],
        ["--version"],
    ]
    # Nor is `requests` loaded, which takes a fifth of the start.
    process = run_without(*SERVER, "requests", commands=commands)
    assert (process.returncode, process.stderr) == (1, "")
    assert process.stdout == run_without(commands=commands).stdout
    assert process.stdout.endswith(f"wardboard {__version__}\n")


def test_every_command_starts_without_the_packages_of_the_service():
    listed = run_without(*SERVER, "cryptography", commands=[["--help"]]).stdout
    names = re.findall(r"^  ([a-z]+)  ", listed.split("Commands:")[1], flags=re.MULTILINE)
    assert {"validate", "grade", "submit", "verify", "references"} <= set(names)
    process = run_without(*SERVER, "cryptography", commands=[[name, "--help"] for name in names])
    assert (process.returncode, process.stderr) == (0, "")


def test_the_command_alone_needs_no_package_of_the_service():
    base = {requirement.partition(">=")[0] for requirement in PROJECT["dependencies"]}
    server = {requirement.partition(">=")[0] for requirement in PROJECT["optional-dependencies"]["server"]}
    assert base.isdisjoint(server)
    assert {"numpy", "scipy", "pandas", "django", "openai"} <= server


def build(project: Path, folder: Path, target: str = "wheel") -> Path:
    """Build the wheel or the sdist of `project`, with the backend that is installed here; return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=240)
    (path,) = (path for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Iterator[zipfile.ZipFile]:
    """The wheel of the command."""
    with zipfile.ZipFile(build(ROOT, tmp_path_factory.mktemp("wheel"))) as archive:
        yield archive


@pytest.fixture(scope="module")
def server_wheel(tmp_path_factory) -> Iterator[zipfile.ZipFile]:
    """The wheel of the service."""
    with zipfile.ZipFile(build(ROOT / "leaderboard", tmp_path_factory.mktemp("server-wheel"))) as archive:
        yield archive


def files_of(*folders: str) -> set[str]:
    """Return the files of `folders` that Git does not ignore, without the sources of translations."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return {path for path in listed if path and not path.endswith(".po")}


def contents(wheel: zipfile.ZipFile) -> set[str]:
    """Return the files of a wheel, without those that describe it. It has none twice."""
    names = wheel.namelist()
    assert len(set(names)) == len(names)
    return {name for name in names if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """The folder that an sdist unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(ROOT, folder, "sdist")) as archive:
        archive.extractall(folder, filter="data")
    return folder / "wardboard-0.1.0"


def files_of_the_command() -> set[str]:
    """Return the files of the package `wardboard`: Git has those of its graders behind a link."""
    own = files_of("wardboard") - {"wardboard/scoring"}
    return own | {f"wardboard/{path}" for path in files_of("scoring")}


def test_the_wheel_of_the_command_is_one_package_and_has_nothing_of_the_service(wheel):
    wanted = files_of_the_command()
    assert len(wanted) > 200
    assert {
        "wardboard/py.typed",
        "wardboard/scoring/medagentbench/about.json",
        "wardboard/scoring/medagentbench/locale/zh_Hant/LC_MESSAGES/django.mo",
        "wardboard/scoring/fhir_agentbench/demo/questions.csv",
    } <= wanted
    assert contents(wheel) == wanted


def test_an_sdist_has_the_graders_once_and_makes_the_same_wheels(sdist, wheel, server_wheel, tmp_path):
    assert (sdist / "scoring/registry/__init__.py").is_file()
    assert not (sdist / "wardboard/scoring").exists()
    for project, folder, original in (
        (sdist, tmp_path / "command", wheel),
        (sdist / "leaderboard", tmp_path / "service", server_wheel),
    ):
        with zipfile.ZipFile(build(project, folder)) as archive:
            assert contents(archive) == contents(original)


def test_no_wheel_is_built_without_the_graders(sdist, tmp_path):
    folder = shutil.copytree(sdist, tmp_path / "sdist", ignore=shutil.ignore_patterns("docs", "scoring"))
    with pytest.raises(subprocess.CalledProcessError) as failed:
        build(folder, tmp_path / "built")
    assert b"the folder scoring/ belongs beside pyproject.toml" in failed.value.stderr


def test_an_editable_installation_is_the_checkout_and_copies_nothing(tmp_path, monkeypatch):
    # A copy of the graders beside it would be older than the checkout after the next edit.
    monkeypatch.chdir(ROOT)
    name = build_editable(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as archive:
        (path,) = contents(archive)
        assert archive.read(path).decode().split() == [str(ROOT)]


@pytest.mark.parametrize("module", ["scoring", "scoring.registry"])
def test_a_checkout_refuses_a_second_name_of_the_graders(module):
    process = subprocess.run(
        [sys.executable, "-c", f"import {module}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stderr.endswith("ImportError: the graders have one name: import wardboard.scoring\n")


def test_the_wheel_of_the_service_has_every_module_template_static_file_translation_and_document(
    server_wheel,
):
    wanted = files_of("leaderboard") - {"leaderboard/pyproject.toml"}
    wanted |= {f"leaderboard/bundled/{path}" for path in files_of("templates", "docs")}
    assert len(wanted) > 600
    assert contents(server_wheel) == wanted


def test_the_wheel_of_the_service_needs_the_command_of_its_own_version(wheel, server_wheel):
    name = f"wardboard{{}}-{__version__}.dist-info/METADATA"
    metadata, needed = (
        message_from_bytes(archive.read(name.format(suffix)))
        for archive, suffix in ((wheel, ""), (server_wheel, "_server"))
    )
    assert needed["Version"] == metadata["Version"]
    assert needed.get_all("Requires-Dist") == [f"wardboard[server]=={metadata['Version']}"]


# bench/client.py installs both, migrates and asks it for pages, which takes a minute.
def test_the_service_of_the_wheels_finds_its_templates_static_files_and_documents(
    wheel, server_wheel, tmp_path
):
    for archive in (wheel, server_wheel):
        archive.extractall(tmp_path / "site")
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
        "page = str(markdown.render(document))\n"
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
