"""The graders of Wardboard's benchmarks, to build on: pure functions, without Django, database or network.

Stable is what `__all__` names here and in the packages `medagentbench`, `fhir_agentbench`,
`fhir_agentbench.judge` and `fhir`: it changes only with a note in CHANGELOG.md. The `scorer_version` of a
benchmark changes with every release that gives an answer another verdict. All other modules may change at
any time. docs/graders.md has examples.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wardboard.scoring.grade import grade_all, read_answers
    from wardboard.scoring.reading.problems import Problem, SubmissionInvalid
    from wardboard.scoring.verdicts import Rate, Scorecard, Unscorable, Verdict

__all__ = [
    "Problem",
    "Rate",
    "Scorecard",
    "SubmissionInvalid",
    "Unscorable",
    "Verdict",
    "grade_all",
    "read_answers",
]

if __name__ != "wardboard.scoring":
    # In a checkout, the folder at the top is in reach. By a second name, each class would be there twice.
    raise ImportError("the graders have one name: import wardboard.scoring")


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the command starts here, and needs few of them."""
    # ruff: noqa: PLC0415
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wardboard.scoring import grade, verdicts
    from wardboard.scoring.reading import problems

    return next(vars(module)[name] for module in (grade, verdicts, problems) if name in vars(module))
