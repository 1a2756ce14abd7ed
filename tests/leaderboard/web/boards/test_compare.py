"""The page that compares systems of a board."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.models import Board, Feedback, Standing, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.statistics import pair_tests
from leaderboard.services.statistics.compare import compare_systems
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.statistics.p_values import PValue
from leaderboard.web.templatetags.figures import p_words, points
from tests.support import factories
from tests.support.databases import shared_rows
from tests.support.examples import examples
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row, raise_revision
from wardboard.scoring.medagentbench.demo import GOOD

ADDRESS = "/benchmarks/medagentbench-demo/compare/"


@shared_rows
def keys() -> list[int]:
    demo, user = factories.make_demo(), factories.make_user()
    wrong = {"Alpha": 0, "Bravo": 4, "Charlie": 6, "Delta": 20, "Echo": 30}
    return [
        factories.make_published(user, demo, factories.with_wrong(GOOD.read_bytes(), n), system=name).pk
        for name, n in wrong.items()
    ]


@pytest.fixture
def systems(keys, db) -> list[Submission]:
    """Return five submissions with about 47, 46, 44, 30 and 20 of 50 right."""
    return [Submission.objects.get(pk=key) for key in keys]


def make_params(*submissions) -> dict:
    return {"system": [submission.system_id for submission in submissions]}


def set_level(demo, level) -> None:
    Board.objects.filter(pk=demo.pk).update(feedback=level)
    raise_revision(demo)


def headline_of(response) -> str:
    """Return the first line of the page."""
    [h1] = re.findall(r"<h1>.*?</h1>", response.content.decode(), re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", h1).split())


def test_the_first_line_says_that_two_systems_cannot_be_distinguished(visitor, systems):
    response = visitor.get(ADDRESS, make_params(systems[2], systems[1]))
    # Whichever was asked for first, the higher score comes first.
    assert "Bravo and Charlie cannot be distinguished: 4.0 points, 95% interval −3.7 to 12.5." in headline_of(
        response
    )
    text = text_of(response)
    assert "Only Charlie solved none of the 50 tasks; only Bravo solved 2." in text
    assert (
        "Mid-p McNemar test: p = .25 on its own; significant below .005, which allows for all 10 pairs of "
        "the leaderboard (Holm). Applies to these 10 groups only (task type)."
    ) in text


def test_the_first_line_says_who_is_significantly_ahead_and_by_how_much(visitor, systems):
    response = visitor.get(ADDRESS, make_params(systems[4], systems[0]))
    assert "Alpha is significantly ahead of Echo by 46.0 points (p &lt; .001)." in headline_of(response)


@pytest.fixture
def two_runs(demo, user, good_file) -> Submission:
    """Return a published result of two runs: on 20 tasks, one of them is wrong."""
    runs = [good_file, factories.with_wrong(good_file, 20)]
    submission = factories.send_runs(user, demo, runs, system="Two runs").submission
    return publish(submission_id=submission.pk, team=personal_team(user), by=user)


def test_a_result_of_several_runs_is_compared_by_its_means(visitor, demo, systems, two_runs):
    set_level(demo, Feedback.BY_TASK)
    response = visitor.get(ADDRESS, make_params(systems[0], two_runs))
    text = text_of(response)
    [only] = [tasks for name, tasks in response.context["reports"][0].only if name == "Alpha"]
    better = len(only)
    assert better > 10
    assert (
        f"Over its runs, Alpha did better on {better} of the 50 tasks; Two runs did better on none." in text
    )
    assert f"{better} tasks on which Alpha did better" in text
    assert "Groups of tasks are compared between single runs only." in text
    # Nothing claims that one solved what the other did not: the other solved it in one of its runs.
    assert not re.search("Only Alpha solved|only Alpha solved", text)


@pytest.mark.parametrize("level", [Feedback.OVERALL, Feedback.BY_TYPE])
def test_no_comparison_tells_whether_the_runs_of_a_result_agree(
    visitor, demo, systems, two_runs, user, good_file, level
):
    wrong = factories.with_wrong(good_file, 20)
    runs = [wrong, wrong.replace(b"certainly not this", b"something else")]
    agreeing = factories.send_runs(user, demo, runs, system="Agreeing").submission
    publish(submission_id=agreeing.pk, team=personal_team(user), by=user)
    set_level(demo, level)
    board = Board.objects.get(pk=demo.pk)
    board.is_demo = False
    pairs = [
        compare_systems(board=board, systems=[systems[0].system_id, other.system_id]).pairs[0]
        for other in (two_runs, agreeing)
    ]
    assert [(pair.has_runs, pair.groups) for pair in pairs] == [(True, {})] * 2
    # How many runs would do depends on how much they vary.
    assert not any(pair.needed and pair.needed.knows_runs for pair in pairs)


def test_two_results_of_equal_runs_are_described_as_such(visitor, demo, two_runs, user, good_file):
    runs = [good_file + b"\n", factories.with_wrong(good_file, 20) + b"\n"]
    other = factories.send_runs(user, demo, runs, system="The same").submission
    publish(submission_id=other.pk, team=personal_team(user), by=user)
    text = text_of(visitor.get(ADDRESS, make_params(two_runs, other)))
    assert "Two runs and The same cannot be distinguished: equal on every task over their runs." in text


def test_three_systems_make_three_answers_and_the_same_is_significant_as_on_the_leaderboard(visitor, systems):
    response = visitor.get(ADDRESS, make_params(systems[0], systems[1], systems[4]))
    assert "2 of 3 pairs differ significantly" in headline_of(response)
    text = text_of(response)
    for answer in (
        "Alpha and Bravo cannot be distinguished: 8.0 points",
        "Alpha is significantly ahead of Echo by 46.0 points",
        "Bravo is significantly ahead of Echo by 38.0 points",
    ):
        assert answer in text
    # However few pairs are compared.
    for compared in ((0, 3, 4), (0, 3)):
        text = text_of(visitor.get(ADDRESS, make_params(*(systems[number] for number in compared))))
        assert "which allows for all 10 pairs of the leaderboard (Holm)" in text


def test_a_pair_significant_only_alone_is_explained(visitor, demo, user, good_file, systems):
    near = factories.make_published(user, demo, factories.with_wrong(good_file, 5), system="Near")
    # 5 to 0: p is .031 alone, and there are fifteen pairs.
    alone = "Alone p = .031; not significant among all 15 pairs of the leaderboard."
    several = "2 pairs would be significant alone, but not among all 15 pairs of the leaderboard."
    for compared, note in (((systems[0], near), alone), ((systems[0], near, systems[2]), several)):
        text = text_of(visitor.get(ADDRESS, make_params(*compared)))
        assert "Alpha and Near cannot be distinguished: 10.0 points, 95% interval 0." in text
        assert note in text
        assert "p = .031 on its own; significant below .0033" in text


def test_the_page_says_when_a_difference_rests_on_one_group(visitor, demo, user, good_file, systems):
    near = factories.make_published(user, demo, factories.with_wrong(good_file, 5), system="Near")
    demo.standings.exclude(system__name__in=["Alpha", "Near"]).delete()
    text = text_of(visitor.get(ADDRESS, make_params(systems[0], near)))
    assert "The difference rests on “" in text
    assert "on all other tasks the two are not significantly different (p = 1.00)." in text
    set_level(demo, Feedback.OVERALL)
    assert "rests on" not in text_of(visitor.get(ADDRESS, make_params(systems[0], near)))


def test_at_the_overall_level_the_same_is_significant_and_no_figure_is_shown(visitor, demo, systems):
    params = make_params(systems[0], systems[2], systems[3])
    detailed = text_of(visitor.get(ADDRESS, params))
    set_level(demo, Feedback.OVERALL)
    text = text_of(visitor.get(ADDRESS, params))
    for sentence in (
        "Alpha is significantly ahead of Delta by 30.0 points",
        "Alpha and Charlie cannot be distinguished: 12.0 points",
    ):
        assert sentence in text
        assert sentence in detailed
    assert "Only overall scores are shown, to protect the reference answers." in text
    assert "McNemar" not in text


def test_differences_by_type_have_intervals_in_the_table(visitor, systems):
    text = text_of(visitor.get(ADDRESS, make_params(systems[0], systems[3])))
    assert "All tasks +30.0 +16.4 to +43.4 50 47 32" in text
    assert "Replace magnesium if low few tasks 0.0" in text


def test_the_overall_level_shows_no_count_no_interval_and_no_exact_p(visitor, demo, systems):
    hidden_texts = ("+30.0", "magnesium", "16.4", "McNemar", "solved", "&lt;\xa0", "more tasks")
    compared = make_params(systems[0], systems[3])
    content = visitor.get(ADDRESS, compared).content.decode()
    assert [hidden for hidden in hidden_texts[:-1] if hidden not in content] == []
    set_level(demo, Feedback.OVERALL)
    response = visitor.get(ADDRESS, compared)
    assert "Alpha is significantly ahead of Delta by 30.0 points." in headline_of(response)
    content = response.content.decode().split("<main")[1]
    assert [hidden for hidden in (*hidden_texts, "p\xa0=", "task1_1") if hidden in content] == []


@pytest.mark.parametrize("level", [Feedback.OVERALL, Feedback.BY_TYPE])
def test_tasks_are_named_only_at_the_level_by_task(visitor, demo, systems, level):
    set_level(demo, level)
    content = visitor.get(ADDRESS, make_params(systems[0], systems[3])).content.decode()
    assert "task1_" not in content
    assert "Alpha" in content


def test_tasks_are_named_at_the_level_by_task(visitor, demo, systems):
    set_level(demo, Feedback.BY_TASK)
    response = visitor.get(ADDRESS, make_params(systems[0], systems[3]))
    assert "tasks that only Alpha solved" in text_of(response)
    assert "<code>task1_1</code>" in response.content.decode()


def test_precision_and_recall_are_compared_too(visitor, fhir_demo, user, good_answers):
    import json

    worse = json.loads(good_answers)
    for record in worse[:20]:
        record["agent_fhir_resources"] = None
    ids = []
    for name, raw in (("One", good_answers), ("Other", json.dumps(worse).encode())):
        submission = factories.make_scored(user, fhir_demo, raw, system=name)
        ids.append(publish(submission_id=submission.pk, team=personal_team(user), by=user).system_id)
    text = text_of(visitor.get(f"/benchmarks/{fhir_demo.slug}/compare/", {"system": ids}))
    assert re.search(r"Precision \S+ \S+ to \S+ – – –", text)
    assert re.search(r"Recall \S+ \S+ to \S+ – – –", text)


def test_a_difference_of_another_metric_over_too_few_tasks_is_left_out(
    visitor, fhir_demo, user, good_answers, monkeypatch
):
    monkeypatch.setattr(pair_tests, "FEWEST", 1_000_000)
    ids = []
    for number, name in enumerate(("One", "Other")):
        raw = good_answers + b" " * number
        ids.append(factories.make_published(user, fhir_demo, raw, system=name).system_id)
    response = visitor.get(f"/benchmarks/{fhir_demo.slug}/compare/", {"system": ids})
    assert response.status_code == 200
    assert "Precision" not in text_of(response)


def test_a_reported_row_is_shown_and_the_page_says_why_it_is_not_tested(visitor, demo, systems):
    row = put_row(demo, "Printed", counts=(40, 50))
    text = text_of(visitor.get(ADDRESS, {"system": [systems[0].system_id, row.system_id]}))
    assert "Alpha and Printed cannot be compared. Printed: Wardboard has no results by task of it." in text


def test_a_reported_row_has_the_claim_that_the_leaderboard_makes_from_its_rate(visitor, demo, systems):
    row = put_row(demo, "Printed", counts=(1, 50))
    compute_statistics(board_id=demo.pk)
    best = max(systems, key=lambda submission: submission.evaluation.rate.rate)
    text = text_of(visitor.get(ADDRESS, {"system": [best.system_id, row.system_id]}))
    assert f"{best.system.name} is significantly ahead of Printed by 92.0 points." in text
    assert "So the test is of rates and numbers of tasks alone." in text
    assert "cannot be compared" not in text


def test_without_chosen_systems_the_page_offers_the_first_of_the_board(visitor, systems):
    response = visitor.get(ADDRESS)
    assert response.status_code == 200
    assert "Choose two to four systems" in text_of(response)
    assert [row.name for row in response.context["offered"]] == ["Alpha", "Bravo", "Charlie", "Delta", "Echo"]


def test_one_chosen_system_is_kept_and_the_page_asks_for_another(visitor, systems):
    response = visitor.get(ADDRESS, make_params(systems[1]))
    assert response.status_code == 200
    assert [row.name for row in response.context["chosen"]] == ["Bravo"]
    assert "Choose two to four systems" in text_of(response)


def test_five_systems_are_too_many_and_the_page_says_what_to_do(visitor, systems):
    response = visitor.get(ADDRESS, make_params(*systems))
    assert response.status_code == 400
    assert "At most 4 systems can be compared at once; you chose 5." in text_of(response)
    assert len(response.context["chosen"]) == 5


def test_a_system_is_found_by_a_part_of_its_name(visitor, systems):
    response = visitor.get(ADDRESS, {"q": "CHAR", **make_params(systems[0])})
    assert [row.name for row in response.context["offered"]] == ["Charlie"]
    assert "No other scored system" in text_of(visitor.get(ADDRESS, {"q": "zebra"}))


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


def test_a_board_without_a_result_says_there_is_nothing_to_compare_yet(visitor, db):
    factories.make_demo(slug="empty")
    response = visitor.get("/benchmarks/empty/compare/")
    assert response.status_code == 200
    assert "There is nothing to compare yet" in text_of(response)


def test_a_comparison_takes_a_fixed_number_of_queries(visitor, demo, systems, django_assert_max_num_queries):
    def count_queries() -> int:
        visitor.get(ADDRESS, make_params(*systems[:4]))
        with django_assert_max_num_queries(15) as queries_of_page:
            visitor.get(ADDRESS, make_params(*systems[:4]))
        return len(queries_of_page)

    count = count_queries()
    for number in range(20):
        put_row(demo, f"Reported {number}", counts=(number, 50))
    assert count_queries() == count


@settings(max_examples=examples(60))
@given(
    system_params=st.lists(
        st.one_of(
            st.text(max_size=30), st.integers(-(10**30), 10**30).map(str), st.sampled_from(["²", "١", "0"])
        ),
        max_size=12,
    ),
    text=st.text(max_size=120),
)
def test_no_parameter_is_an_error(visitor, demo, system_params, text):
    assert visitor.get(ADDRESS, {"system": system_params, "q": text}).status_code in (200, 400, 404)


@pytest.mark.parametrize(
    ("exact", "expected_text"),
    [
        (0.5, "p = .50"),
        (0.1, "p = .10"),
        (0.0996, "p = .10"),
        (0.034, "p = .034"),
        (1.0, "p = 1.00"),
        (0.0499, "p < .05"),
        (0.0494, "p = .049"),
        (0.05, "p = .050"),
        (0.004, "p = .004"),
        (0.001, "p = .001"),
        (0.00001, "p < .001"),
    ],
)
def test_p_is_written_to_two_or_three_decimals_and_never_broken(exact, expected_text):
    assert p_words(PValue(exact=exact, is_significant=exact < 0.05)) == expected_text.replace(" ", "\xa0")


def test_systems_that_are_right_on_the_same_tasks_are_described_as_such(visitor, demo, user, good_file):
    files = {"One": good_file, "Other": good_file + b" "}
    pair = [factories.make_published(user, demo, raw, system=name) for name, raw in files.items()]
    text = text_of(visitor.get(ADDRESS, make_params(*pair)))
    assert "One and Other cannot be distinguished: they solved exactly the same tasks." in text
    assert "No feasible number of tasks would distinguish One and Other" in text


def test_a_hidden_p_is_explained_in_words():
    assert p_words(PValue(exact=None, is_significant=True)) == "significant"
    assert p_words(PValue(exact=None, is_significant=False)) == "not significant"


@pytest.mark.parametrize(
    ("difference", "expected_text"),
    [(0.034, "+3.4"), (-0.1, "−10.0"), (0.0, "0.0"), (-0.0001, "0.0"), (None, "–"), (1, "+100.0")],
)
def test_points_have_their_sign(difference, expected_text):
    assert points(difference) == expected_text


def state(submission, **conditions) -> None:
    Standing.objects.filter(system=submission.system_id).update(**conditions)
    raise_revision(submission.board)


def test_systems_under_different_harnesses_are_compared_with_a_warning(visitor, systems):
    warning = "Different harnesses: part of this may be the harness."
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
    # Both conditions differ between the first two, and one is the same for the others.
    assert "Conditions that differ (2)" in text


def test_a_harness_that_is_not_stated_is_said_to_be_unknown(visitor, systems):
    state(systems[0], harness="official")
    text = text_of(visitor.get(ADDRESS, make_params(systems[0], systems[3])))
    assert "Delta: no harness stated, so part of this may be the harness." in text
    assert "Different harnesses" not in text


def test_a_pair_that_is_not_distinguished_says_how_many_tasks_would_do(visitor, systems):
    text = text_of(visitor.get(ADDRESS, make_params(systems[1], systems[2])))
    assert re.search(r"To distinguish Bravo and Charlie you would need about [\d,]+ more tasks\.", text)
    # The runs of single runs say nothing of how much they vary.
    assert "runs each" not in text
    apart = text_of(visitor.get(ADDRESS, make_params(systems[0], systems[4])))
    assert "What would distinguish them" not in apart
