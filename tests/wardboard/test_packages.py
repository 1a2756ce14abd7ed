"""The command runs without the packages of the service, and the two wheels have what each needs."""

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.cli import run_program
from tests.support.paths import ROOT
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.medagentbench import demo
from wardboard.version import __version__

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
    "re2",
    "yaml",
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
    return run_program([sys.executable, "-c", program])


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


def files_of(*folders: str) -> set[str]:
    """Return the files of `folders` that Git does not ignore, without the sources of translations."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return {path for path in listed if path and not path.endswith(".po")}


def contents(project: Path, folder: Path) -> set[str]:
    """Build the wheel of `project`; return its files, without those that describe it. It has none twice."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=240)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
    assert len(set(names)) == len(names)
    return {name for name in names if ".dist-info/" not in name}


def test_the_wheel_of_the_command_is_one_package_and_has_nothing_of_the_service(tmp_path):
    # Git has the files of the graders behind a link.
    wanted = files_of("wardboard") - {"wardboard/scoring"}
    wanted |= {f"wardboard/{path}" for path in files_of("scoring")}
    assert len(wanted) > 200
    assert {
        "wardboard/py.typed",
        "wardboard/scoring/medagentbench/about.json",
        "wardboard/scoring/medagentbench/locale/zh_Hant/LC_MESSAGES/django.mo",
        "wardboard/scoring/fhir_agentbench/demo/questions.csv",
    } <= wanted
    assert contents(ROOT, tmp_path) == wanted


def test_the_wheel_of_the_service_has_every_module_template_static_file_translation_and_document(tmp_path):
    wanted = files_of("leaderboard") - {"leaderboard/pyproject.toml"}
    wanted |= {f"leaderboard/bundled/{path}" for path in files_of("templates", "docs")}
    assert len(wanted) > 600
    assert contents(ROOT / "leaderboard", tmp_path) == wanted


GRADE = ["grade", str(demo.GOOD), "--references", str(demo.FOLDER)]


class Environment:
    """A virtual environment of its own. What our wheel needs is that of the environment of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, symlinks=True)
        (self.site,) = folder.glob("lib/python3*/site-packages")
        # Files .pth of a folder that is named so are not read: the checkout is not in it.
        (self.site / "needed.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")

    def install(self, *sources: Path | str) -> None:
        """Let pip install wheels, archives or folders, or one folder after `--editable`.

        Raises subprocess.CalledProcessError, whose `stderr` is the text of pip.
        """
        pip = [sys.executable, "-m", "pip", "--python", str(self.folder / "bin" / "python")]
        options = ["--quiet", "--no-index", "--no-deps", "--ignore-installed", "--no-build-isolation"]
        command = [*pip, "install", *options, *map(str, sources)]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=240)

    def run(self, *arguments: str, cwd: Path | None = None) -> tuple[int, str, str]:
        """Run `wardboard`; return its exit code and what it printed to stdout and stderr."""
        process = run_program([self.folder / "bin" / "wardboard", *arguments], cwd=cwd or self.folder)
        return process.returncode, process.stdout, process.stderr


def clone_without_links(folder: Path) -> Path:
    """Clone this repository as Git for Windows does."""
    path = folder / "clone"
    command = ["git", "clone", "--quiet", "-c", "core.symlinks=false", str(ROOT), str(path)]
    subprocess.run(command, check=True)
    assert (path / "wardboard/scoring").read_text() == "../scoring"
    return path


def test_pip_installs_the_graders_with_the_command(tmp_path):
    environment = Environment(tmp_path / "environment")
    environment.install(clone_without_links(tmp_path))
    code, printed, errors = environment.run(*GRADE)
    assert (code, errors) == (0, "")
    assert "success rate" in printed
    missing = "wardboard: the service is not installed: pip install wardboard-server\n"
    assert environment.run("serve") == (2, "", missing)
    # Nor is a module of the working folder the service.
    (tmp_path / "leaderboard.py").write_text("print('of a stranger')\n")
    assert environment.run("serve", cwd=tmp_path) == (2, "", missing)


def test_a_checkout_without_the_link_says_what_to_do_and_is_not_installed_as_editable(tmp_path):
    folder = clone_without_links(tmp_path)
    process = run_program([sys.executable, "-m", "wardboard", *GRADE], cwd=folder)
    # 1 would say that the file has problems.
    assert (process.returncode, process.stdout) == (3, "")
    assert process.stderr.startswith("wardboard: the graders are missing, because ")
    assert process.stderr.count("\n") == 1
    assert "pip install ." in process.stderr
    with pytest.raises(subprocess.CalledProcessError) as failed:
        Environment(tmp_path / "environment").install("--editable", folder)
    assert "ln -sfn ../scoring wardboard/scoring" in failed.value.stderr
