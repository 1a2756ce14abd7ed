"""The page that compares systems of a board."""

import re

import pytest

from leaderboard.models import Board, Feedback, Standing, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.statistics.compare import compare_systems
from tests.support import factories
from tests.support.databases import shared_rows
from tests.support.pages.visible_text import text_of
from tests.support.rows import raise_revision

ADDRESS = "/benchmarks/medagentbench-demo/compare/"


@shared_rows
def systems() -> list[Submission]:
    """Publish five submissions with about 47, 46, 44, 30 and 20 of 50 right."""
    user, demo = factories.make_user(), factories.make_demo()
    return [*factories.publish_each(user, demo, Alpha=0, Bravo=4, Charlie=6, Delta=20, Echo=30).values()]


def make_params(*submissions) -> dict:
    return {"system": [submission.system_id for submission in submissions]}


def set_level(demo, level) -> None:
    Board.objects.filter(pk=demo.pk).update(feedback=level)
    raise_revision(demo)


def headline_of(response) -> str:
    """Return the first line of the page."""
    [h1] = re.findall(r"<h1>.*?</h1>", response.content.decode(), re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", h1).split())


def test_the_first_line_says_that_two_systems_do_not_differ_significantly(visitor, systems):
    response = visitor.get(ADDRESS, make_params(systems[2], systems[1]))
    # Whichever was asked for first, the higher score comes first.
    sentence = "Bravo and Charlie do not differ significantly: 4.0 points (−3.7 to 12.5)."
    assert sentence in headline_of(response)
    # A name from right to left moves no score to its other side.
    assert "<bdi>Bravo</bdi></a>" in response.content.decode()
    text = text_of(response)
    assert "Only Charlie solved none of the 50 tasks; only Bravo solved 2." in text
    assert (
        "Mid-p McNemar test: p = .25 on its own; significant below .005, which allows for all 10 pairs of "
        "the leaderboard (Holm)."
    ) in text


def test_an_interval_on_one_side_of_0_is_never_called_undistinguished(visitor, systems):
    headline = headline_of(visitor.get(ADDRESS, make_params(systems[2], systems[0])))
    lead = r"Alpha is ahead of Charlie by 12\.0 points \([0-9.]+ to [0-9.]+\); "
    assert re.match(lead + r"not significant among 10 pairs \(alone p\s=\s\.016\)\.", headline)
    alike = text_of(visitor.get(ADDRESS, make_params(systems[0], systems[0])))
    assert "distinguished" not in alike


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("", "Tested alone, about 160 tasks find a difference of 5 points in 80% of cases."),
        ("nan", "Tested alone, about 160 tasks find a difference of 5 points in 80% of cases."),
        ("2.5", "Tested alone, about 500 tasks find a difference of 2.5 points in 80% of cases."),
    ],
)
def test_the_reader_names_the_difference_that_matters(visitor, systems, asked, answer):
    params = make_params(systems[2], systems[1]) | {"difference": asked}
    text = text_of(visitor.get(ADDRESS, params))
    assert answer in text
    basis = "; others are taken to be like them." if asked == "2.5" else ": 5 points cannot occur there."
    assert f"Only one of the two solved 4.0% of these tasks{basis}" in text
    assert "runs of each system; a submission holds 10." in text


def test_clustered_systems_with_the_same_answers_are_told_apart_by_nothing(
    visitor, user, fhir_demo, good_answers
):
    twins = [
        factories.make_published(user, fhir_demo, raw, system=name)
        for name, raw in (("A", good_answers), ("B", good_answers + b"\n"))
    ]
    params = make_params(*twins) | {"difference": 0.5}
    response = visitor.get("/benchmarks/fhir-agentbench-demo/compare/", params)
    assert "solved exactly the same tasks. These tasks show no difference between them." in headline_of(
        response
    )
    text = text_of(response)
    assert re.search(r"100\.0|0\.0 to 0\.0|±", text) is None
    assert "more tasks on the benchmark's patients cannot find 0.5 points." in text


@pytest.mark.parametrize("level", [Feedback.OVERALL, Feedback.BY_TYPE])
def test_no_comparison_tells_whether_the_runs_of_a_result_agree(demo, systems, user, good_file, level):
    wrong = factories.with_wrong(good_file, 20)
    agreeing = wrong.replace(b"certainly not this", b"something else")
    results = [
        factories.publish_runs(user, demo, [wrong, other], system=name)
        for name, other in (("Two runs", good_file), ("Agreeing", agreeing))
    ]
    set_level(demo, level)
    board = Board.objects.get(pk=demo.pk)
    board.is_demo = False
    pairs = [
        compare_systems(board=board, systems=[systems[0].system_id, other.system_id]).pair
        for other in results
    ]
    assert [(pair.has_runs, pair.groups) for pair in pairs] == [(True, {})] * 2


def test_the_overall_level_shows_no_count_no_interval_and_no_exact_p(visitor, demo, systems):
    hidden_texts = ("+30.0", "magnesium", "16.4", "McNemar", "solved", "&lt;\xa0")
    compared = make_params(systems[0], systems[3])
    content = visitor.get(ADDRESS, compared).content.decode()
    assert [hidden for hidden in hidden_texts if hidden not in content] == []
    set_level(demo, Feedback.OVERALL)
    response = visitor.get(ADDRESS, compared)
    assert "Alpha is significantly ahead of Delta by 30.0 points." in headline_of(response)
    content = response.content.decode().split("<main")[1]
    assert [hidden for hidden in (*hidden_texts, "p\xa0=", "task1_1") if hidden in content] == []
    assert "Only overall scores are shown, to protect the reference answers." in content
    of_charlie = visitor.get(ADDRESS, make_params(systems[0], systems[2]))
    assert "Alpha and Charlie do not differ significantly: 12.0 points." in headline_of(of_charlie)


def test_removed_and_unpublished_systems_look_the_same(visitor, demo, user, good_file, systems):
    hidden_submission = factories.make_scored(
        user, demo, factories.with_wrong(good_file, 9), system="Secret agent"
    )
    known = systems[0].system_id
    withdraw(submission_id=systems[1].pk, team=personal_team(user), by=user)
    pages = {
        visitor.get(ADDRESS, {"system": [known, other]}).content.decode().split("<main")[1]
        for other in (hidden_submission.system_id, systems[1].system_id, 10**9)
    }
    assert len(pages) == 1
    assert "Secret" not in pages.pop()
    assert visitor.get(ADDRESS, {"system": [known, hidden_submission.system_id]}).status_code == 404


def state(submission, **conditions) -> None:
    Standing.objects.filter(system=submission.system_id).update(**conditions)
    raise_revision(submission.board)


def test_systems_under_different_harnesses_are_compared_with_a_warning(visitor, systems):
    warning = "Different harnesses: part of any difference may be the harness."
    alpha, bravo, charlie, *_ = systems
    state(alpha, harness="official", trained_on_benchmark=False)
    state(bravo, harness="prefetch", harness_name="fast")
    state(charlie, harness="official", harness_name="eight rounds")
    text = text_of(visitor.get(ADDRESS, make_params(alpha, bravo)))
    assert warning in text
    assert "Harness Official harness Data prefetched · fast" in text
    assert "Trained on this benchmark No not stated" in text
    alike = text_of(visitor.get(ADDRESS, make_params(alpha, charlie)))
    assert "may be the harness" not in alike
    Board.objects.update(mixes_judges=True)
    state(alpha, harness="own-tools", judge="rules 7")
    state(charlie, harness="own-tools", harness_name="Sara script", judge="llm x")
    text = text_of(visitor.get(ADDRESS, make_params(alpha, charlie)))
    assert "Alpha: no harness named, so part of any difference may be the harness." in text
    assert "Different judges: part of any difference may be the judge." in text
    # Both conditions differ between the first two, and one is the same for the others.
    assert "Conditions that differ (2)" in text
