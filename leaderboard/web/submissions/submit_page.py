"""What the page for submitting shows, at each of its steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.validators import slug_re
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from leaderboard.http.addresses import sender_digest
from leaderboard.models import Board, Draft, System, Team, TeamApproval, User
from leaderboard.services import data_class
from leaderboard.services.accounts import find_team, new_team, personal_team
from leaderboard.services.errors import NotFound
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.submissions import quotas
from leaderboard.services.submissions.score_draft import scored_tasks
from leaderboard.services.teams.members import choose_team, shared_teams
from leaderboard.services.text import read_key
from leaderboard.web.submissions import waiting
from leaderboard.web.submissions.forms import FactsForm, suggestions_for
from leaderboard.web.submissions.report import FileReport
from leaderboard.web.submissions.scored import score_context
from leaderboard.web.submissions.uploads import limits_context
from wardboard.scoring import registry


def asked_board(fields: Mapping[str, str]) -> str:
    """Return the slug of the leaderboard that a query or form names; "" if it names none or is not a slug."""
    # PostgreSQL refuses a NUL character in a query.
    slug = fields.get("benchmark", "")
    return slug if slug_re.match(slug) else ""


def choose_path(request: HttpRequest, preferred: str) -> str:
    """Return the path of the page, for the leaderboard, the system and the team that were asked for."""
    values = {"benchmark": preferred, **{name: request.GET.get(name, "") for name in ("system", "team")}}
    query = urlencode({name: value for name, value in values.items() if value})
    return reverse("web:choose") + (f"?{query}" if query else "")


@dataclass(slots=True, kw_only=True)
class Page:
    """A page to be rendered.

    preferred: slug of the leaderboard that was chosen or asked for, "" for none.
    direct: the leaderboard of a form that sends file and facts at once.
    systems: of the file, of which one has to be chosen.
    report: of a file with problems, and closest, the leaderboard for which it was read.
    """

    request: HttpRequest
    form: FactsForm
    preferred: str = ""
    draft: Draft | None = None
    direct: Board | None = None
    report: FileReport | None = None
    filename: str = ""
    systems: Sequence[Mapping[str, Any]] = ()
    closest: Board | None = None
    file_error: str = ""
    board_error: str = ""
    terms_error: str = ""
    empty_error: str = ""
    refusal: str = ""

    def render(self, status: int = 200) -> HttpResponse:
        return render(self.request, "web/submissions/submit.html", self._context(), status=status)

    def _context(self) -> dict[str, Any]:
        user = waiting.user_of(self.request)
        team = self._team(user) if user else None
        targets = waiting.targets_of(self.request, self.draft, team) if self.draft else []
        target = self._chosen(targets)
        named = Board.objects.without_references().filter(slug=self.preferred)
        aim = self.direct or (named.first() if self.preferred else None)
        board = self.direct or (target["board"] if target else None if self.draft else aim)
        systems = self.systems or (self.draft.systems if self.draft else None) or ()
        open_boards = [self.direct] if self.direct else waiting.open_boards()
        few = targets[0]["report"].head if targets else None
        score = self._score_context(target, open_boards)
        # Facts may come without a file that could be read.
        has_facts = self.draft or ("system" in self.request.POST and self.report is None)
        return {
            **{each.name: getattr(self, each.name) for each in fields(self)},
            "board": board,
            "aim": aim,
            "lead_rules": LeadRules.of(board) if board else None,
            "targets": targets,
            "target": target,
            "few": few,
            # With a score, how many tasks are wrong says more, unless most were never tried.
            "gap": targets[0]["gap"] if targets and (few or not score) else "",
            "is_elsewhere": bool(targets and aim and all(one["board"] != aim for one in targets)),
            "draft_hours": settings.DRAFT_HOURS,
            "samples": waiting.samples_of(open_boards),
            **score,
            "systems": systems,
            "shows_facts": bool(self.direct or (user and not systems and has_facts)),
            "known": suggestions_for(team),
            "team": team,
            "teams": self._choices(user),
            "terms": data_class if board and board.is_credentialed else None,
            "asks_empty": self.empty_error or (target and target["report"].head),
            "data_note": registry.get(board.benchmark).about.data if board else "",
            # A browser forgets the chosen file with a new page: name the one to choose again.
            "again": self.direct and self.filename and not (self.report and self.report.problems.total),
            "allowance": target["allowance"] if target else self._allowance(board, team),
            "approval": TeamApproval.objects.filter(board=board, team=team).first()
            if team and board and board.needs_approval
            else None,
            "designate": "designate" in self.request.POST,
            "action": reverse("web:submit", args=[self.direct.slug])
            if self.direct
            else choose_path(self.request, self.preferred),
            "open_boards": open_boards,
            "credentialed": waiting.credentialed_boards() if not (aim or self.draft) else [],
            **limits_context([aim] if aim else open_boards, has_account=user is not None),
        }

    def _score_context(self, target: Mapping[str, Any] | None, boards: Sequence[Board]) -> dict[str, Any]:
        """Return the context of the draft's score; {} without one, and for another leaderboard."""
        listed = scored_tasks(self.draft, boards) if self.draft else None
        if self.draft is None or listed is None or (target and target["board"] != listed.submission.board):
            return {}
        return score_context(self.request, self.draft, listed)

    def team_to_act(self, user: User) -> Team:
        """Return the team that the file is submitted for. Raises NotFound for a team of others."""
        return chosen_team(self.request, user) or personal_team(user)

    def _team(self, user: User) -> Team | None:
        try:
            return chosen_team(self.request, user)
        except NotFound:
            return find_team(user)

    def _choices(self, user: User | None) -> list[Team]:
        """Return the teams to choose from; none for someone in no shared team."""
        shared = shared_teams(user) if user else []
        return [find_team(user) or new_team(user), *shared] if user and shared else []

    def _chosen(self, targets: list[dict[str, Any]]) -> dict[str, Any] | None:
        asked = [one for one in targets if one["slug"] == self.preferred]
        return next(iter([*asked, *(one for one in targets if one["is_likeliest"])]), None)

    def _allowance(self, board: Board | None, team: Team | None) -> quotas.Allowance | None:
        user = waiting.user_of(self.request)
        if board is None or user is None:
            return None
        return quotas.allowance(board, team, user, timezone.now(), digest=sender_digest(self.request))


def chosen_team(request: HttpRequest, user: User) -> Team | None:
    """Return the team that was chosen; the person's own without a choice, None where there is none yet.

    A link that names a system means the team of that system.
    Raises NotFound for a team that the person is not in.
    """
    handle = request.POST.get("team", request.GET.get("team", ""))
    system_id = 0 if "team" in request.POST else read_key(request.GET.get("system", ""))
    return choose_team(user, handle=handle, system_id=system_id)


def find_own_system(user: User, key: str) -> System | None:
    """Return a system of any of the person's teams by its primary key; None for others and for no number."""
    if not (system := read_key(key)):
        return None
    return System.objects.filter(team__memberships__user=user, pk=system).first()
