"""JUnit XML, which GitLab, Jenkins, CircleCI and others show as the tests of a job."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wardboard.ci.report import JobReport, diff_of
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.places import place_of


def write_junit(path: Path, report: JobReport) -> None:
    """Write the report as a suite with a test for each file, each gate, and the score. Raises WrongUse.

    The test of the score is an error where there is none.
    """
    try:
        path.write_bytes(as_junit(report))
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None


def as_junit(report: JobReport) -> bytes:
    suite = ElementTree.Element("testsuite", name="wardboard")
    for file in report.files:
        case = _case(suite, file)
        problems = [problem for problem in report.problems if report.file_of(problem) == file]
        if problems:
            _fail(case, problems[0]["message"], problems[0]["code"], "\n\n".join(map(_text, problems)))
    for gate in report.gates:
        case = _case(suite, gate.name)
        if gate.passed is None:
            ElementTree.SubElement(case, "skipped", message=gate.message)
        elif not gate.passed:
            _fail(case, gate.message, gate.name, gate.message)
    case = _case(suite, report.title)
    if report.code == ExitCode.OK and report.is_scored is False:
        # A job may end well before the score is known, and that is no test that passed.
        text = f"The submission has no score. Its status: {report.facts.get('status', 'unknown')}."
        _fail(case, text, "not_scored", "\n\n".join([text, *map(_text, report.problems)]), element="error")
    elif report.code != ExitCode.OK and (not report.is_scored or suite.find("testcase/failure") is None):
        # Without a score, nothing was tested; the problems may be in no file of this job.
        text = "\n\n".join([report.message, *map(_text, report.problems)])
        kind = "failure" if report.is_scored else "error"
        _fail(case, report.message, report.code.name.lower(), text, element=kind)
    output = ElementTree.SubElement(case, "system-out")
    facts = [f"{label}: {value}" for label, value in report.facts.items()]
    output.text = _printable("\n".join([*facts, report.link]).strip())
    suite.set("tests", str(len(suite)))
    for kind in ("failure", "error"):
        suite.set(f"{kind}s", str(len(suite.findall(f"testcase/{kind}"))))
    written: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname="wardboard", name=_printable(name))


def _fail(case: ElementTree.Element, message: str, kind: str, text: str, *, element: str = "failure") -> None:
    failure = ElementTree.SubElement(case, element, message=_printable(message), type=kind)
    failure.text = _printable(text)


def _text(problem: Mapping[str, Any]) -> str:
    lines = [f"{problem['code']}  {place_of(problem)}", problem["message"], problem["hint"]]
    return "\n".join([*lines, *diff_of(problem)])


def _printable(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return "".join(character for character in text if character.isprintable() or character in "\n\t")
