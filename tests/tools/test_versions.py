"""The version is in one place, and the files that cannot read it there repeat it."""

import re
import tomllib

import yaml

from tests.support.paths import ROOT
from wardboard.version import __version__


def test_the_service_needs_the_command_of_its_own_version():
    project = tomllib.loads((ROOT / "leaderboard" / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [f"wardboard[server]=={__version__}"]


def test_the_citation_names_the_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == __version__


def test_the_changelog_begins_with_the_version_and_a_date_or_that_it_is_not_released():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    version, when = re.fullmatch(r"(\S+) \((.+)\)", headings[0]).groups()
    assert version == __version__
    assert when == "unreleased" or re.fullmatch(r"\d{4}-\d\d-\d\d", when)


def test_both_distributions_read_the_version_from_one_file():
    for folder in (ROOT, ROOT / "leaderboard"):
        settings = tomllib.loads((folder / "pyproject.toml").read_text())
        assert settings["project"]["dynamic"] == ["version"]
        path = folder / settings["tool"]["hatch"]["version"]["path"]
        assert path.resolve() == ROOT / "wardboard" / "version.py"


def test_the_documents_name_the_tag_of_this_version():
    tag = f"v{__version__}"
    for name in ("docs/ci.md", "docs/zh_Hant/ci.md"):
        text = (ROOT / name).read_text()
        assert re.findall(r"^ +rev: (\S+)", text, flags=re.MULTILINE) == [tag], name
        assert set(re.findall(r"example-org/wardboard@(v1\S*)", text)) == {"v1"}, name
        assert f"@{tag}" in text, name
