"""The organiser's export of evaluations: complete, typed, at the board's level, and harmless."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board, Feedback
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import publish
from tests.support import factories
from tests.support.factories import demo_references

pytestmark = pytest.mark.both_databases


@pytest.fixture
def scored(demo, user, good_file, noisy_file):
    """Two submissions, the first of which is published."""
    first = factories.make_scored(user, demo, good_file, system="=Good agent")
    second = factories.make_scored(user, demo, noisy_file, system="Other agent")
    publish(submission_id=first.pk, team=personal_team(user), by=user)
    return first, second


def export(*arguments) -> str:
    out = StringIO()
    call_command("export_results", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_every_evaluation_is_a_row_with_its_figures(demo, scored):
    import pandas as pd

    table = pd.read_csv(StringIO(export(demo.slug)))
    assert list(table["submission"]) == [str(one.pk) for one in scored]
    assert list(table["is_published"]) == [True, False]
    assert list(table["right"]) == [47, 30]
    assert table["success_rate"][0] == pytest.approx(0.94)
    assert table["task_type.task4.total"][0] == 5
    assert table["reference_digest"].nunique() == 1


def test_no_text_of_a_submitter_runs_as_a_formula(demo, user, good_file):
    import pandas as pd

    facts = {
        "version": "=1+1",
        "commit": "",
        "run_url": "",
        "note": '=HYPERLINK("https://elsewhere.example")',
    }
    submission = factories.make_scored(user, demo, good_file)
    type(submission).objects.filter(pk=submission.pk).update(**facts)
    row = pd.read_csv(StringIO(export(demo.slug))).iloc[0]
    assert row["version"] == "'=1+1"
    assert row["note"] == """'=HYPERLINK("https://elsewhere.example")"""


def test_hidden_figures_are_not_exported(demo, scored):
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.OVERALL)
    columns = export(demo.slug).splitlines()[0]
    assert "success_rate" in columns
    assert "query_success_rate" not in columns
    assert "task_type" not in columns


def test_no_reference_value_is_exported(demo, scored):
    hidden = {text for one in demo_references().values() for text in (one.mrn, one.referral) if text}
    assert len(hidden) > 5
    out = export(demo.slug)
    assert [text for text in hidden if text in out] == []


def test_a_board_without_a_file_an_unknown_one_and_a_missing_folder_are_reported(demo, tmp_path):
    assert export(demo.slug).strip() == ""
    with pytest.raises(CommandError, match="no leaderboard nowhere"):
        export("nowhere")
    with pytest.raises(CommandError, match=r"results cannot be written: .*(?i:director)"):
        export(demo.slug, "--out", tmp_path / "missing" / "results")
