"""What `wardboard submit` can state about a system and its run: the fields of the API, as options."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

import click

from wardboard.client.ci_systems import CI_SYSTEMS, systems_of, variable
from wardboard.commands.options.reports import flag
from wardboard.errors import WrongUse
from wardboard.scoring.facts import FACTS

# Facts with an option of their own, since gates or other options are about them.
_NAMED = ("system", "models", "version", "commit")
# Every other field of the API that states something: name -> explanation.
STATED = MappingProxyType(
    {fact.key: fact.explains for fact in FACTS if fact.key not in _NAMED}
    | {
        "take_back": "Names of facts that are no longer stated, separated by commas.",
        "runs": "How many runs were planned, if more than there are files.",
        "acknowledgement": "Version of the terms that you acknowledge, for credentialed data.",
    }
)


class _StatedFact(click.ParamType[tuple[str, str]]):
    """A fact as NAME=VALUE. The service explains a value that it refuses."""

    name = "fact"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, sign, text = str(value).partition("=")
        name = name.strip().replace("-", "_")
        if not sign or not text.strip() or name not in STATED:
            near = (get_close_matches(name, STATED, 1) or ["interaction"])[0]
            self.fail(f"{value!r} is not NAME=VALUE with a known name, such as {near}", param, ctx)
        return name, text.strip()


def fact_parameters() -> list[click.Parameter]:
    """Return the options that state something about a system and its run."""
    return [
        click.Option(["--version"], metavar="TEXT", help="of the system, such as that of a release"),
        click.Option(["--commit"], metavar="SHA", help="that ran, of seven digits or more"),
        click.Option(
            ["--fact", "facts"],
            type=_StatedFact(),
            multiple=True,
            metavar="NAME=VALUE",
            help="state a fact, such as interaction=multi-turn; repeat it. The names are below",
        ),
        flag(["--from-ci"], help="state commit, tag and page of the run as the CI system names them; public"),
    ]


def fact_lines() -> str:
    """Return the names of facts with their explanations, for the help."""
    return "\n".join(f"  {name:<21} {text}" for name, text in STATED.items())


def fields_of(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields that the options state, and with --from-ci what the CI system knows.

    Raises WrongUse for a fact that is stated twice.
    """
    names = [name for name, _ in arguments["facts"]]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise WrongUse(f"--fact {twice} is given more than once: give it once.")
    stated = {name: arguments[name] for name in ("version", "commit") if arguments[name] is not None}
    from_ci = facts_of_ci(os.environ) if arguments["from_ci"] else {}
    return list((from_ci | stated | dict(arguments["facts"])).items())


def facts_of_ci(environment: Mapping[str, str]) -> dict[str, str]:
    """Return commit, version and page of the run, as far as the CI system names them.

    Raises WrongUse where it names no commit: a stale file could not be recognised; and where two are named.
    """
    systems = systems_of(environment)
    if not systems:
        names = ", ".join(system.name for system in CI_SYSTEMS)
        raise WrongUse(
            f"--from-ci reads the commit that a CI system names, as GITHUB_SHA, and none of these names one "
            f"here: {names}. Give --commit in place of --from-ci"
        )
    if len({variable(environment, system.commit) for system in systems}) > 1:
        names = " and ".join(system.commit for system in systems)
        raise WrongUse(
            f"{names} name two commits, and --from-ci cannot know which one ran: unset the one that is not "
            "of this CI system"
        )
    # All of one system: variables of another may be left in a container or a runner.
    return systems[0].facts(environment)
