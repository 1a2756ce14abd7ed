import dataclasses
import hashlib

import pytest

from leaderboard.models import (
    AuditEvent,
    Board,
    BoardEvent,
    Evaluation,
    Kind,
    ReferenceRevision,
    Standing,
)
from leaderboard.services import audit
from leaderboard.services.publishing.import_references import (
    ImportRefused,
    import_references,
)
from leaderboard.services.submissions import rescore
from tests.support.factories import (
    correct_references,
    demo_references,
    fhir_references,
    make_published,
    make_scored,
)
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases


def with_unusable():
    references = dict(demo_references())
    references["task4_1"] = dataclasses.replace(references["task4_1"], unusable="no time")
    return references


def actions():
    return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def test_the_first_import_makes_the_board_and_opens_it(demo):
    revision = ReferenceRevision.objects.get()
    content = registry.get("medagentbench").dump_references(demo_references())
    assert (demo.active_revision, demo.is_open, revision.number) == (revision, True, 1)
    assert revision.digest == hashlib.sha256(content).hexdigest()
    assert revision.task_ids == list(demo_references())
    assert revision.origin == "tests"
    assert actions() == ["references.imported", "references.activated"]


def test_new_content_is_a_new_revision_and_content_that_is_known_is_not(demo, user, good_file):
    make_scored(user, demo, good_file)
    same = import_references(board=demo, references=demo_references(), origin="again")
    assert (same.changed, same.revision.number, same.revision.origin) == (False, 1, "tests")
    assert actions().count("references.activated") == 1
    new = correct_references(demo)
    assert (new.changed, new.revision.number) == (True, 2)
    demo.refresh_from_db()
    assert demo.active_revision == new.revision
    back = import_references(board=demo, references=demo_references(), origin="back")
    assert (back.changed, back.revision.number) == (True, 1)
    assert ReferenceRevision.objects.count() == 2
    assert actions()[-1] == "references.activated"


@pytest.mark.parametrize("stop_at", [AuditEvent.Action.IMPORTED, AuditEvent.Action.ACTIVATED])
def test_a_failure_half_way_leaves_the_old_revision_active(demo, monkeypatch, stop_at):
    old = demo.active_revision
    real = audit.record

    def record(action, **data):
        if action == stop_at:
            raise OSError("the disk is full")
        real(action, **data)

    monkeypatch.setattr(audit, "record", record)
    with pytest.raises(OSError, match="disk is full"):
        correct_references(demo)
    assert demo.active_revision == old
    assert ReferenceRevision.objects.count() == 1
    assert len(actions()) == 2


def test_the_next_import_adds_the_baselines_of_a_killed_one(fhir_demo, monkeypatch):
    fewer = dict(list(fhir_references().items())[:-1])
    options = {"board": fhir_demo, "references": fewer, "origin": "mended"}
    baselines = Standing.objects.filter(kind=Kind.BASELINE)
    with monkeypatch.context() as killed:
        killed.setattr("leaderboard.services.publishing.import_references.put_baselines", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            import_references(**options)
    fhir_demo.refresh_from_db()
    assert fhir_demo.active_revision.number == 2
    assert [row.total for row in baselines] == [60]
    assert not import_references(**options).changed
    assert [row.total for row in baselines.all()] == [59]
    events = BoardEvent.objects.count()
    import_references(**options)
    assert BoardEvent.objects.count() == events


def test_unusable_references_stop_the_import_and_are_named_unless_they_are_allowed(demo):
    with pytest.raises(ImportRefused) as refused:
        import_references(board=demo, references=with_unusable(), origin="x")
    assert refused.value.unusable == {"task4_1": "no time"}
    assert ReferenceRevision.objects.count() == 1
    result = import_references(board=demo, references=with_unusable(), origin="x", allow_unusable=True)
    assert (result.changed, result.revision.unusable_count) == (True, 1)


class TestRescoring:
    def test_old_evaluations_stay_and_the_board_follows(self, demo, user, good_file):
        submission = make_published(user, demo, good_file)
        old = submission.evaluation
        correct_references(demo)
        assert [rescore.rescore(board=demo).changed for _ in range(2)] == [1, 0]
        submission.refresh_from_db()
        assert (submission.evaluation.right, submission.evaluation.revision.number) == (46, 2)
        assert Evaluation.objects.get(pk=old.pk).right == 47
        row = Standing.objects.get()
        assert (row.evaluation, row.right) == (submission.evaluation, 46)
        # To return to an earlier revision restores its evaluation.
        import_references(board=demo, references=demo_references(), origin="back")
        demo.refresh_from_db()
        rescore.rescore(board=demo)
        submission.refresh_from_db()
        assert submission.evaluation == old
        assert Evaluation.objects.count() == 2

    @pytest.fixture
    def meanwhile(self, monkeypatch):
        """Return a function that has `act` done once, after a file was graded and before that is stored."""
        graded = rescore.grade.grade

        def do(act):
            acts = [act]

            def grade(*args, **options):
                result = graded(*args, **options)
                while acts:
                    acts.pop()()
                return result

            monkeypatch.setattr(rescore.grade, "grade", grade)

        return do

    def test_a_result_that_two_organisers_rescore_at_a_time_is_rescored_once(
        self, demo, user, good_file, meanwhile
    ):
        make_published(user, demo, good_file)
        correct_references(demo)
        meanwhile(lambda: rescore.rescore(board=demo))
        assert rescore.rescore(board=demo).skipped == {}
        assert BoardEvent.objects.filter(action="rescored").count() == 1
        assert actions().count("submission.scored") == 2

    def test_a_revision_that_becomes_active_while_a_file_is_rescored_is_not_undone(
        self, demo, user, good_file, meanwhile
    ):
        submission = make_scored(user, demo, good_file)
        correct_references(demo)

        def roll_back():
            import_references(board=demo, references=demo_references(), origin="as before")
            rescore.rescore(board=Board.objects.get(pk=demo.pk))

        meanwhile(roll_back)
        rescore.rescore(board=demo)
        submission.refresh_from_db()
        assert submission.evaluation.revision.number == 1
        assert not rescore.outdated(Board.objects.get(pk=demo.pk)).exists()
