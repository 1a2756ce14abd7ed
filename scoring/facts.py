"""The facts that a submitter states about a system and its runs: one table for the service and the command.

From an entry of `FACTS` follow the field of the model, the fields of forms, API and command, how a value is
checked, where it is shown and exported, and the texts to translate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import EnumType, StrEnum
from typing import Any, cast

from wardboard.scoring.reading.messages import Phrase, phrase

SHORTEST_COMMIT = 7  # digits
COST = "cost_per_task"


class Kind(StrEnum):
    """What a value is.

    NAMES: a list of texts. DIGEST: `sha256:` and 64 hexadecimal digits. COMMIT: 7 to 64 of them.
    """

    TEXT = "text"
    NAMES = "names"
    CHOICE = "choice"
    YES_NO = "yes-no"
    NUMBER = "number"
    DAY = "day"
    URL = "url"
    DIGEST = "digest"
    COMMIT = "commit"


class Unit(StrEnum):
    """What a number counts, which decides how it is printed."""

    NONE = ""
    DOLLARS = "dollars"
    SECONDS = "seconds"


class About(StrEnum):
    """What a fact is about, which decides where it is kept.

    SYSTEM: the system; kept with it and, as of its time, in each row
    LINK: an address of the system; kept with it alone, so past rows show that of today
    CONDITIONS: the conditions of the system's runs; kept like SYSTEM
    RUNS: several runs; kept with their submission
    RELEASE: what a submission is a run of; kept with it, and shown in its row
    """

    SYSTEM = "system"
    LINK = "link"
    CONDITIONS = "conditions"
    RUNS = "runs"
    RELEASE = "release"


class _ChoiceType(EnumType):
    """The type of enumerations that can be used like Django's."""

    def __contains__(cls, value: object) -> bool:
        # Before Python 3.12, an enumeration raises TypeError for a text.
        return value in cls.values

    @property
    def values(cls) -> list[str]:
        return [choice.value for choice in cast("type[Choice]", cls)]

    @property
    def choices(cls) -> list[tuple[str, str]]:
        """Pairs of a value and its label in English."""
        return [(choice.value, choice.label) for choice in cast("type[Choice]", cls)]


_NO_LABEL = Phrase("", {})


class Choice(StrEnum, metaclass=_ChoiceType):
    """A value with its label, and its words in a list of a system's traits; "" for none."""

    label: Phrase
    trait: str

    def __new__(cls, value: str, label: Phrase = _NO_LABEL, trait: str = "") -> "Choice":
        choice = str.__new__(cls, value)
        choice._value_, choice.label, choice.trait = value, label, trait
        return choice


class Interaction(Choice):
    SINGLE = "single-turn", phrase("Single-turn"), phrase("single-turn")
    MULTI = "multi-turn", phrase("Multi-turn"), phrase("multi-turn")


class Retrieval(Choice):
    QUERY = "query-generator", phrase("Query generator"), phrase("query generator")
    RETRIEVER = "retriever", phrase("Retriever"), phrase("retriever")
    BOTH = "both", phrase("Retriever and query generator"), phrase("retriever and query generator")
    NONE = "none", phrase("None"), phrase("no retrieval")


class Reasoning(Choice):
    LANGUAGE = "language", phrase("Language"), phrase("reasons in language")
    CODE = "code", phrase("Code"), phrase("reasons in code")


class Harness(Choice):
    """How a system reached the data of a task."""

    OFFICIAL = "official", phrase("Official harness"), phrase("official harness")
    OWN = "own-tools", phrase("Own tools"), phrase("own tools")
    PREFETCH = "prefetch", phrase("Data prefetched"), phrase("data prefetched")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fact:
    """A fact that can be stated.

    key: its name in forms, requests, exports and, with hyphens, as option of the command
    stored_as: the field of the model, if that is not `key`. label, help: of the field on a form
    example: a valid value as JSON has it, for documents and tests
    longest: characters of a text. most: of a number, which is at least 0
    answers: the labels of yes and of no; choices have theirs in `choices`
    brief_answers: the same beside the label of the fact, if these differ
    traits: words of yes and of no in a list of the system's traits, where there are any
    log_name: its name in the public log, of what is kept in rows
    column: its column of a board in `?sort=`, if it has one; column_label: the head, if that
        is not `label`; is_sortable: whether the table can be sorted by it
    shown_with: key of the fact in whose column it is shown
    is_filter: whether the rows of a board can be filtered by it; the index of the rows covers it then
    is_asked_first: whether forms ask everyone for it, and pages show it before the others
    form_order: of the conditions on a form, the smaller first
    """

    key: str
    about: About
    kind: Kind = Kind.TEXT
    label: Phrase
    help: Phrase
    example: Any
    stored_as: str = ""
    longest: int = 0
    most: int = 0
    unit: Unit = Unit.NONE
    choices: type[Choice] | None = None
    answers: tuple[Phrase, Phrase] = (phrase("Yes"), phrase("No"))
    brief_answers: tuple[Phrase, Phrase] | None = None
    traits: tuple[str, str] = ("", "")
    log_name: str = ""
    column: str = ""
    column_label: Phrase | None = None
    is_sortable: bool = False
    shown_with: str = ""
    is_filter: bool = False
    is_asked_first: bool = False
    form_order: int = 9

    def __post_init__(self) -> None:
        if self.column and self.about is not About.CONDITIONS:
            raise ValueError(f"{self.key}: only a condition of a run is a column of the table")
        if bool(self.log_name) != self.is_in_rows:
            raise ValueError(f"{self.key}: a fact has a log_name if it is in rows, and only then")

    @property
    def field(self) -> str:
        """The name of the field of the model."""
        return self.stored_as or self.key

    @property
    def explains(self) -> str:
        """What it is, in English, as the API and the command say it."""
        return f"{self.label}: {self.help}"

    @property
    def is_required(self) -> bool:
        """Whether every system states it: its name."""
        return self.key == "system"

    @property
    def is_in_rows(self) -> bool:
        """Whether it is copied from the system to its rows, so that past rows keep it."""
        return self.about in (About.SYSTEM, About.CONDITIONS)

    @property
    def is_of_system(self) -> bool:
        """Whether it is kept with the system, and not with a submission."""
        return self.is_in_rows or self.about is About.LINK

    @property
    def hint(self) -> Phrase:
        """How to correct a wrong value."""
        example = ", ".join(self.example) if isinstance(self.example, list) else str(self.example)
        match self.kind:
            case Kind.CHOICE if self.choices:
                return phrase("One of: {values}; or leave it out.", values=", ".join(self.choices.values))
            case Kind.YES_NO:
                return phrase("true, false, or leave it out.")
            case Kind.NUMBER:
                return phrase(
                    "A number from 0 to {most:,}, such as {example}.", most=self.most, example=example
                )
            case Kind.DAY:
                return phrase("A day from 2020 until tomorrow (UTC), such as {example}.", example=example)
            case _:
                return phrase(
                    "Up to {most:,} characters, such as {example}.", most=self.longest, example=example
                )

    def trait(self, value: Any) -> str:
        """Return the English words for `value` in a list of traits; "" where it is not worth a mention."""
        if self.choices is not None:
            return self.choices(value).trait if value in self.choices else ""
        return self.traits[0 if value else 1] if isinstance(value, bool) else ""


def as_json(value: Any) -> Any:
    """Return the value of a fact as JSON has it."""
    return value.isoformat() if isinstance(value, date) else value


_LINK_HELP = phrase("A link that begins with https://.")

FACTS: tuple[Fact, ...] = (
    Fact(
        key="system",
        stored_as="name",
        about=About.SYSTEM,
        longest=120,
        label=phrase("Name of the system"),
        help=phrase("Reusing a name updates that system."),
        example="Careful agent",
        log_name=phrase("name"),
        is_asked_first=True,
    ),
    Fact(
        key="models",
        stored_as="model_names",
        about=About.SYSTEM,
        kind=Kind.NAMES,
        longest=120,
        label=phrase("Model or models"),
        help=phrase("What it runs on, such as o4-mini. Separate several with commas."),
        example=["o4-mini"],
        log_name=phrase("models"),
        is_asked_first=True,
    ),
    Fact(
        key="organisation",
        about=About.SYSTEM,
        longest=120,
        label=phrase("Organisation"),
        help=phrase("Your lab, hospital or company. Leave empty to show your team’s name."),
        example="Example Hospital",
        log_name=phrase("organisation"),
        is_asked_first=True,
    ),
    Fact(
        key="interaction",
        about=About.SYSTEM,
        kind=Kind.CHOICE,
        choices=Interaction,
        label=phrase("Interaction"),
        help=phrase("One model call per task, or a conversation with tools."),
        example="multi-turn",
        log_name=phrase("interaction"),
        is_filter=True,
    ),
    Fact(
        key="retrieval",
        about=About.SYSTEM,
        kind=Kind.CHOICE,
        choices=Retrieval,
        label=phrase("Retrieval"),
        help=phrase("How it reaches the FHIR data."),
        example="query-generator",
        log_name=phrase("retrieval"),
        is_filter=True,
    ),
    Fact(
        key="reasoning",
        about=About.SYSTEM,
        kind=Kind.CHOICE,
        choices=Reasoning,
        label=phrase("Reasoning"),
        help=phrase("Whether it reasons in natural language or in code."),
        example="code",
        log_name=phrase("reasoning"),
        is_filter=True,
    ),
    Fact(
        key="open_weights",
        about=About.SYSTEM,
        kind=Kind.YES_NO,
        label=phrase("Weights"),
        help=phrase("Open: anyone may download the model."),
        example=False,
        answers=(phrase("Open weights"), phrase("Closed weights")),
        brief_answers=(phrase("open"), phrase("closed")),
        traits=(phrase("open weights"), phrase("closed weights")),
        log_name=phrase("open weights"),
        is_filter=True,
    ),
    Fact(
        key="code_url",
        about=About.LINK,
        kind=Kind.URL,
        longest=300,
        label=phrase("Code"),
        help=_LINK_HELP,
        example="https://example.org/careful-agent",
    ),
    Fact(
        key="paper_url",
        about=About.LINK,
        kind=Kind.URL,
        longest=300,
        label=phrase("Paper"),
        help=_LINK_HELP,
        example="https://example.org/careful-agent.pdf",
    ),
    Fact(
        key="contact_url",
        about=About.LINK,
        kind=Kind.URL,
        longest=300,
        label=phrase("Contact"),
        help=phrase("A page that says how to reach you, such as that of your lab, or a repository’s issues."),
        example="https://example.org/lab",
    ),
    Fact(
        key="harness",
        about=About.CONDITIONS,
        kind=Kind.CHOICE,
        choices=Harness,
        label=phrase("Harness"),
        help=phrase(
            "What ran the system: the benchmark’s own harness, your own tools, or a program that fetched the "
            "data of a task before the model was asked. One model can score very differently under two."
        ),
        example="own-tools",
        log_name=phrase("harness"),
        column="harness",
        is_sortable=True,
        is_filter=True,
        form_order=1,
    ),
    Fact(
        key="harness_name",
        about=About.CONDITIONS,
        longest=80,
        label=phrase("Name of the harness"),
        help=phrase("With its version, such as careful-loop 2; up to 80 characters."),
        example="careful-loop 2",
        log_name=phrase("harness"),
        shown_with="harness",
    ),
    Fact(
        key="tools",
        about=About.CONDITIONS,
        longest=200,
        label=phrase("Tools"),
        help=phrase("What it could call, such as FHIR search, a calculator; up to 200 characters."),
        example="FHIR search, a calculator",
        log_name=phrase("tools"),
        column="tools",
    ),
    Fact(
        key="task_memory",
        about=About.CONDITIONS,
        kind=Kind.YES_NO,
        label=phrase("Reuses earlier tasks"),
        help=phrase("Whether it had memory of, or examples from, the benchmark’s tasks."),
        example=False,
        traits=(phrase("had memory of the tasks"), ""),
        log_name=phrase("memory of the tasks"),
        column="memory",
        is_filter=True,
        form_order=3,
    ),
    Fact(
        key="trained_on_benchmark",
        about=About.CONDITIONS,
        kind=Kind.YES_NO,
        label=phrase("Trained on this benchmark"),
        help=phrase("Whether any of its models was trained or tuned on tasks of this benchmark."),
        example=False,
        traits=(phrase("trained on this benchmark"), ""),
        log_name=phrase("training on the benchmark"),
        column="trained",
        is_filter=True,
        form_order=2,
    ),
    Fact(
        key=COST,
        about=About.CONDITIONS,
        kind=Kind.NUMBER,
        most=10_000,
        unit=Unit.DOLLARS,
        label=phrase("Cost per task"),
        help=phrase("Mean US dollars per task, such as 0.042."),
        example=0.042,
        log_name=phrase("cost of a task"),
        column="cost",
        column_label=phrase("Stated cost per task"),
        is_sortable=True,
    ),
    Fact(
        key="seconds_per_task",
        about=About.CONDITIONS,
        kind=Kind.NUMBER,
        most=86_400,
        unit=Unit.SECONDS,
        label=phrase("Time per task"),
        help=phrase("Mean seconds from instruction to answer, such as 12.5."),
        example=12.5,
        log_name=phrase("time of a task"),
        column="time",
        is_sortable=True,
    ),
    Fact(
        key="run_on",
        about=About.CONDITIONS,
        kind=Kind.DAY,
        label=phrase("Date of the run"),
        help=phrase("The day on which it began."),
        example="2026-03-01",
        log_name=phrase("run date"),
        column="run",
        column_label=phrase("Date of run"),
        is_sortable=True,
    ),
    Fact(
        key="fhir_image",
        about=About.CONDITIONS,
        kind=Kind.DIGEST,
        longest=71,
        label=phrase("FHIR server image"),
        help=phrase("Its digest, sha256: and 64 digits, as docker images --digests shows it."),
        example=f"sha256:{'9f' * 32}",
        log_name=phrase("image of the FHIR server"),
        column="image",
    ),
    Fact(
        key="retries",
        about=About.RUNS,
        longest=1000,
        label=phrase("What was run again"),
        help=phrase("Because the runner failed, and why. Public with the result."),
        example="Run 2, because the server broke off.",
    ),
    Fact(
        key="deterministic",
        about=About.RUNS,
        kind=Kind.YES_NO,
        label=phrase("Deterministic"),
        help=phrase(
            "Yes: every run gives the same answers, as with greedy decoding, so run files may be the same."
        ),
        example=True,
    ),
    Fact(
        key="version",
        about=About.RELEASE,
        longest=80,
        label=phrase("Version"),
        help=phrase("Of the system that was run, such as 2.1.0."),
        example="2.1.0",
    ),
    Fact(
        key="commit",
        about=About.RELEASE,
        kind=Kind.COMMIT,
        longest=64,
        label=phrase("Commit"),
        help=phrase("Of the system’s code, as git rev-parse HEAD prints it."),
        example="9fceb02d0ae598e95dc970b74767f19372d61af8",
    ),
    Fact(
        key="run_url",
        about=About.RELEASE,
        kind=Kind.URL,
        longest=300,
        label=phrase("Link to the run"),
        help=phrase("A job of CI, for instance; a link that begins with https://."),
        example="https://github.com/example-lab/careful-agent/actions/runs/9876543210",
    ),
    Fact(
        key="note",
        about=About.RELEASE,
        longest=500,
        label=phrase("Note"),
        help=phrase("Anything that readers should know about this run; up to 500 characters."),
        example="The first run with the new prompt.",
    ),
)

BY_KEY: Mapping[str, Fact] = {fact.key: fact for fact in FACTS}
BY_FIELD: Mapping[str, Fact] = {fact.field: fact for fact in FACTS}
IN_ROWS = tuple(fact for fact in FACTS if fact.is_in_rows)
OF_SYSTEM = tuple(fact for fact in FACTS if fact.is_of_system)
LINKS = tuple(fact for fact in FACTS if fact.about is About.LINK)
CONDITIONS = tuple(fact for fact in FACTS if fact.about is About.CONDITIONS)
RELEASE = tuple(fact for fact in FACTS if fact.about is About.RELEASE)


def request_key(name: str) -> str:
    """Return the name in requests of a field of the model; another name as it is."""
    return BY_FIELD[name].key if name in BY_FIELD else name


def is_same_commit(one: str, other: str) -> bool:
    """Return whether two texts name one commit: either may be the first digits of the other, seven or more.

    An empty text names none.
    """
    one, other = one.strip().lower(), other.strip().lower()
    return min(len(one), len(other)) >= SHORTEST_COMMIT and (one.startswith(other) or other.startswith(one))
