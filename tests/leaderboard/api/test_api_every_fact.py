"""Each entry of `wardboard.scoring.facts.FACTS`: stated, refused, kept, shown and exported.

A new entry is tested from the moment it is in the table.
"""

import csv
import io
import json

import pytest

from leaderboard.models import Standing, Submission
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import facts_to_store, stored_facts
from leaderboard.services.submissions.stated_facts import parse_stated
from leaderboard.web.submissions.forms import FactsForm
from tests.support.addresses import SUBMIT
from tests.support.api_client import assert_problem
from tests.support.factories import make_facts, parse_facts
from wardboard.commands.facts import fields_of
from wardboard.commands.submit import submit
from wardboard.scoring.facts import (
    BY_KEY,
    CONDITIONS,
    FACTS,
    IN_ROWS,
    OF_SYSTEM,
    RELEASE,
    Kind,
    as_json,
)

BY_NAME = pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.key)


def typed(fact) -> str:
    """Return the example of a fact as it is typed."""
    value = fact.example
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, list) else str(value)


def wrong(fact) -> str:
    """Return a value that a fact cannot have."""
    values = {
        Kind.TEXT: "x" * (fact.longest + 1),
        Kind.NAMES: ",".join("m" * 21),
        Kind.CHOICE: "telepathy",
        Kind.YES_NO: "perhaps",
        Kind.NUMBER: str(fact.most + 1),
        Kind.DAY: "2019-12-31",
        Kind.URL: "not an address",
        Kind.DIGEST: "sha1:0",
        Kind.COMMIT: "main",
    }
    return values[fact.kind]


ALL = {fact.key: typed(fact) for fact in FACTS}
EXAMPLES = {fact.key: fact.example for fact in FACTS}


def kept(submission: Submission) -> dict:
    """Return every fact as the database has it, as JSON."""
    rows = {fact: submission.system if fact.is_of_system else submission for fact in FACTS}
    return {fact.key: as_json(getattr(row, fact.field)) for fact, row in rows.items()}


def test_every_fact_can_be_stated_on_the_form(ada, demo, upload, good_file):
    ada.post(SUBMIT, {**ALL, "file": upload(good_file)})
    assert kept(Submission.objects.get()) == EXAMPLES


@BY_NAME
def test_a_wrong_fact_is_a_problem_with_a_fix_and_an_error_of_its_field(fact):
    stated = {"system": "Careful agent", fact.key: wrong(fact)}
    with pytest.raises(FactsInvalid) as refused:
        parse_stated(stated, files=1)
    (problem,) = refused.value.problems
    assert (problem.code, problem.pointer) == ("facts.invalid", f"/{fact.key}")
    assert problem.hint == str(fact.hint)
    form = FactsForm(stated)
    form.check_facts()
    assert list(form.errors) == [fact.key]


@pytest.mark.parametrize("fact", OF_SYSTEM, ids=lambda fact: fact.key)
def test_a_fact_of_a_system_is_kept_with_a_file_that_waits_and_can_be_taken_back(fact):
    stated = parse_facts({"system": "Careful agent", fact.key: typed(fact)})
    assert stored_facts(json.loads(json.dumps(facts_to_store(stated)))) == stated
    if not fact.is_required:
        assert parse_facts({"system": "S", "take_back": fact.key}).taken_back == (fact.field,)


@BY_NAME
def test_the_command_states_a_fact(fact):
    options = {"system": "--system", "models": "--model", "version": "--version", "commit": "--commit"}
    name = options.get(fact.key, "--fact")
    given = [name, f"{fact.key}={typed(fact)}" if name == "--fact" else typed(fact)]
    arguments = ["results.json", "--benchmark", "b", "--system", "s", *given]
    parsed = submit.make_context("submit", arguments).params
    if fact.key in ("system", "models"):
        assert parsed[fact.key] == (tuple(fact.example) if fact.key == "models" else fact.example)
    else:
        assert fields_of(parsed) == [(fact.key, typed(fact))]


@pytest.fixture
def row(api, demo, good_file) -> Standing:
    """Return the row of a published result with every fact."""
    assert api.send(good_file, ALL, publish="true").status_code == 201
    return Standing.objects.get(board=demo)


def test_every_fact_can_be_stated_over_the_api_which_shows_it(api, demo, row):
    submission = Submission.objects.get()
    assert kept(submission) == EXAMPLES
    shown = api.get(f"/api/v1/submissions/{submission.pk}/").json()
    (listed,) = api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()["rows"]
    for body in (shown, listed):
        system, conditions = dict(body["system"]), body["system"]["conditions"]
        assert system.pop("name") == EXAMPLES["system"]
        assert conditions == {fact.key: fact.example for fact in CONDITIONS}
        others = [fact for fact in OF_SYSTEM if fact not in CONDITIONS and not fact.is_required]
        assert system == {**{fact.key: fact.example for fact in others}, "conditions": conditions}
        assert {fact.key: body[fact.key] for fact in RELEASE} == {f.key: f.example for f in RELEASE}
    assert shown["retries"] == EXAMPLES["retries"]


def test_facts_of_rows_and_of_the_release_are_exported_in_the_order_of_the_table(api, demo, row):
    def read(name):
        return b"".join(api.get(f"/benchmarks/{demo.slug}/{name}").streaming_content).decode()

    exported = [fact for fact in FACTS if fact in IN_ROWS or fact in RELEASE]
    document = json.loads(read("board.json"))
    (as_object,) = document["rows"]
    assert [key for key in as_object if key in BY_KEY] == [fact.key for fact in exported]
    assert {fact.key: as_object[fact.key] for fact in exported} == {f.key: f.example for f in exported}
    named = {"system", "models"}
    assert document["stated_by_submitters"] == [fact.key for fact in exported if fact.key not in named]
    (line,) = csv.DictReader(io.StringIO(read("board.csv")))
    for fact in exported:
        expected = typed(fact).capitalize() if fact.kind is Kind.YES_NO else typed(fact)
        assert line[fact.key] == expected


def test_a_link_that_runs_a_script_and_a_version_that_is_taken_back_are_refused(api, demo, good_file):
    for url in ("javascript:alert(1)", "https://", "ftp://example.org/x", "https://" + "a" * 300 + ".org"):
        assert_problem(api.send(good_file, make_facts(), run_url=url), 422, "request-invalid")
    assert_problem(api.send(good_file, make_facts(), take_back="version"), 422, "request-invalid")
