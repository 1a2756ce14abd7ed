"""Decide who may do what: a right is one function here, which pages, API and commands ask.

- Everyone reads what is published, and traces that a team made public.
- The members of a team read all of its submissions, and change them.
- Organisers of a board manage it and read all submissions to it: people who were appointed to it, and staff
  who may change boards, submissions and approvals, for all boards.
- Staff who may view submissions read all of them, and change none.

The last two are rights over others. A session has them once it gave a second factor where staff need one, and
a token by the scope `organise`, which only operators give. How much of a result a reader sees, `visibility`
says; whether its state allows a change, the service that makes it.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from leaderboard.models import Board, BoardOrganiser, Membership, Scope, Submission, System, Team, User
from leaderboard.models.boards import BoardQuerySet
from leaderboard.services import visibility
from leaderboard.services.errors import NotFound

_RIGHTS_OF_ORGANISERS = (
    "leaderboard.change_board",
    "leaderboard.change_submission",
    "leaderboard.change_teamapproval",
)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who asks, with all that rights follow from; made once a request, and read where a right first needs it.

    - user: anonymous for a visitor
    - team: the only one to act for; None for each of the person's
    - board: key of the only board that a token is good for; None for all
    - scopes: of a token; None without one
    - gave_second_factor: asks the session
    """

    user: User | AnonymousUser = field(default_factory=AnonymousUser)
    team: Team | None = None
    board: int | None = None
    scopes: Collection[Scope] | None = None
    gave_second_factor: Callable[[], bool] = lambda: False

    @cached_property
    def teams(self) -> frozenset[int]:
        """Keys of the teams to act for."""
        if self.team is not None:
            return frozenset([self.team.pk])
        if not self.user.is_authenticated:
            return frozenset()
        return frozenset(Membership.objects.filter(user=self.user).values_list("team", flat=True))

    @cached_property
    def is_confirmed(self) -> bool:
        """Whether rights over others count."""
        if self.scopes is not None:
            return Scope.ORGANISE in self.scopes
        return not settings.STAFF_SECOND_FACTOR or self.gave_second_factor()

    @cached_property
    def organises_all(self) -> bool:
        """Whether all boards are given to the person, confirmed or not."""
        return self.user.is_active and self.user.is_staff and self.user.has_perms(_RIGHTS_OF_ORGANISERS)

    @cached_property
    def boards(self) -> frozenset[int]:
        """Keys of the boards that the person was appointed to, confirmed or not."""
        if not self.user.is_active:
            return frozenset()
        return frozenset(BoardOrganiser.objects.filter(user=self.user).values_list("board", flat=True))

    def confirmed(self) -> "Reader":
        """Return the reader who gave a second factor: whether it is what is missing."""
        return replace(self, gave_second_factor=lambda: True)

    @property
    def is_organiser(self) -> bool:
        """Whether some board is given to the person, who may still have to confirm that."""
        return self.organises_all or bool(self.boards)

    def has(self, scope: Scope) -> bool:
        """Whether a token allows this; a session allows all."""
        return self.scopes is None or scope in self.scopes


VISITOR = Reader()


def managed_boards(reader: Reader) -> BoardQuerySet:
    """Select the boards whose desk a reader may use, without references."""
    if not reader.is_organiser or not reader.is_confirmed:
        return Board.objects.none()
    boards = Board.objects.without_references()
    if not reader.organises_all:
        boards = boards.filter(pk__in=reader.boards)
    return boards if reader.board is None else boards.filter(pk=reader.board)


def may_manage(reader: Reader, board: Board) -> bool:
    """Return whether a reader may use a board's desk: disqualify, rescore, decide about teams."""
    return managed_boards(reader).filter(pk=board.pk).exists()


def may_manage_all(reader: Reader) -> bool:
    """Return whether a reader may change all settings of every board, and who organises it."""
    return reader.organises_all and reader.is_confirmed and reader.board is None


def may_use_admin(reader: Reader) -> bool:
    user = reader.user
    return user.is_active and user.is_staff and user.is_superuser and reader.is_confirmed


def may_oversee(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see a submission as an organiser does: with all figures and its cost."""
    user = reader.user
    views_all = user.is_active and user.is_staff and user.has_perm("leaderboard.view_submission")
    is_of_token = reader.has(Scope.READ) and reader.board in (None, submission.board_id)
    return is_of_token and ((views_all and reader.is_confirmed) or may_manage(reader, submission.board))


def may_read_as_team(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see what is for the submission's own team, such as names of files."""
    return _is_own(reader, submission, Scope.READ)


def may_read(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see a submission, and of its result what the board shows."""
    return submission.is_published or may_read_report(reader, submission)


def may_read_report(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see the report on the submitted file."""
    return may_read_as_team(reader, submission) or may_oversee(reader, submission)


def may_read_traces(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see what the agent did at each task, where traces are stored."""
    return submission.has_public_traces or may_read_report(reader, submission)


def may_read_verdicts(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may see right and wrong task by task."""
    is_public = submission.is_published and visibility.by_task_to_all(submission.board)
    return visibility.shows_tasks(submission) and (is_public or may_read_as_team(reader, submission))


def may_publish(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may publish and withdraw a result, and make its traces public."""
    return _is_own(reader, submission, Scope.PUBLISH)


def may_change(reader: Reader, submission: Submission) -> bool:
    """Return whether a reader may cancel a submission, link to it for reviewers, and doubt its references."""
    return _is_own(reader, submission, Scope.SUBMIT)


def may_correct(reader: Reader, system: System) -> bool:
    """Return whether a reader may correct the facts of a system: its team, and organisers of its boards.

    No token does: the change is previewed on a page first.
    """
    if system.team_id is None or reader.scopes is not None:
        return False
    is_organised = managed_boards(reader).filter(submissions__system=system)
    return system.team_id in reader.teams or is_organised.exists()


def has_rights_over_others(user: User) -> bool:
    """Return whether a person has any, confirmed or not."""
    return user.is_staff or user.is_superuser or Reader(user=user).is_organiser


def find_submission(reader: Reader, submission_id: UUID) -> Submission:
    """Return a submission that a reader may see. Raises NotFound."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    if submission is None or not may_read(reader, submission):
        raise NotFound(_("This submission does not exist, or it is not published."))
    return submission


def find_own(
    reader: Reader, submission_id: UUID, may: Callable[[Reader, Submission], bool] = may_change
) -> Submission:
    """Return a submission that a reader may change in the way that `may` decides. Raises NotFound."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    if submission is None or not may(reader, submission):
        raise NotFound(_("You have no such submission."))
    return submission


def _is_own(reader: Reader, submission: Submission, scope: Scope) -> bool:
    is_of_token = reader.has(scope) and reader.board in (None, submission.board_id)
    return is_of_token and submission.team_id in reader.teams


def lock_submission(submission_id: UUID, team: Team | None) -> Submission:
    """Lock a submission, of a team or of any, so that changes come one after the other. Raises NotFound."""
    submission = Submission.objects.locked(team).filter(pk=submission_id).first()
    if submission is None:
        raise NotFound(_("You have no such submission.") if team else _("This submission does not exist."))
    return submission
