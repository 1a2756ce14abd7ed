"""Write emails: subject and text, in the language of who gets them, or of who invites."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.models import BoardAction, EmailKind, Notification, TeamInvitation, User
from leaderboard.services.desk.attention import Need
from leaderboard.services.notifications.choices import make_token
from leaderboard.services.teams import invitations
from leaderboard.services.text import remove_hidden_characters

LABELS = {
    EmailKind.SUBMISSION: gettext_lazy("A submission finished or failed (if it took over a minute)"),
    EmailKind.DECISION: gettext_lazy(
        "A submission was disqualified or reinstated, or a published result was scored again"
    ),
    EmailKind.APPROVAL: gettext_lazy("Your team was approved or declined"),
    EmailKind.ANNOUNCEMENT: gettext_lazy(
        "An announcement on a leaderboard with a published result of yours, or a change on one that you watch"
    ),
    EmailKind.TOKEN: gettext_lazy("A token of yours expires in a week"),
    EmailKind.TEAM: gettext_lazy("Someone joins a team that you own"),
    EmailKind.DESK: gettext_lazy("A leaderboard that you organise needs you"),
}
_CHANGES = {
    BoardAction.PUBLISHED: gettext_lazy("%(system)s was published"),
    BoardAction.WITHDRAWN: gettext_lazy("%(system)s was withdrawn"),
    BoardAction.DISQUALIFIED: gettext_lazy("%(system)s was disqualified"),
    BoardAction.REINSTATED: gettext_lazy("%(system)s was reinstated"),
    BoardAction.ACTIVATED: gettext_lazy("New reference answers are active"),
}
# What holds an address together: evil.example, http://…, name@host.
_IN_LINKS = re.compile(r"(?<=\S)[.:/@]+(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailText:
    """The words of an email, and the URL at which its kind is switched off; "" for an invitation."""

    subject: str
    body: str
    switch_off_url: str


def compose(notification: Notification, needs: Sequence[Need] = ()) -> EmailText:
    """Write an email in the language of its receiver. needs: what an email of the kind DESK lists."""
    with translation.override(_language(notification.user)):
        subject, text = _render(f"{notification.kind}.txt", _context(notification, needs))
        board_title = _(notification.board.title) if notification.board else "Wardboard"
        switch_off_url = _url("web:emails-off", make_token(notification.user, notification.kind))
        choices = _("Choose your emails: %(url)s") % {"url": _url("web:emails")}
        footer = [choices, _("No more emails of this kind: %(url)s") % {"url": switch_off_url}]
        return EmailText(
            subject=remove_hidden_characters(f"[{board_title}] {subject}"),
            body="\n\n".join([text, _page_of(notification), "-- \n" + "\n".join(footer)]) + "\n",
            switch_off_url=switch_off_url,
        )


def compose_invitation(invitation: TeamInvitation) -> EmailText:
    """Write the email of an invitation, in the language of who invites; its receiver may have no account."""
    inviter = _without_links(invitation.invited_by.get_full_name()) or invitation.invited_by.email
    with translation.override(_language(invitation.invited_by)):
        values = {
            "name": inviter,
            "team": _without_links(invitation.team.name),
            "days": invitations.DAYS,
            "link": _url("web:join-team", invitations.token_for(invitation)),
        }
        subject, text = _render("invitation.txt", values)
    return EmailText(subject=remove_hidden_characters(subject), body=f"{text}\n", switch_off_url="")


def _render(template: str, context: dict[str, object]) -> tuple[str, str]:
    """Return the subject, which is the first line of a template, and the paragraphs after it."""
    subject, _line, text = render_to_string(f"emails/{template}", context).strip().partition("\n")
    return subject, re.sub(r"\n{3,}", "\n\n", text.strip())


def _context(notification: Notification, needs: Sequence[Need]) -> dict[str, object]:
    data, submission = dict(notification.data), notification.submission
    if submission is not None:
        data |= {"system": submission.system.name, "time": f"{submission.received_at:%Y-%m-%d %H:%M} UTC"}
    data["changes"] = [
        _CHANGES[BoardAction(action)] % {"system": _without_links(name)}
        for action, name in data.get("changes", ())
    ]
    data["news"] = (_language(notification.user) == "zh-hant" and data.get("text_zh")) or data.get("text")
    data["needs"] = [(need.text, settings.SITE_URL + need.path) for need in needs]
    return data


def _page_of(notification: Notification) -> str:
    if notification.submission_id is not None:
        return _url("web:submission", notification.submission_id)
    match notification.kind:
        case EmailKind.TOKEN:
            return _url("web:tokens")
        case EmailKind.TEAM:
            return _url("web:team", notification.data["handle"])
        case EmailKind.DESK:
            return _url("web:organise")
    assert notification.board is not None
    is_rescored = notification.kind == EmailKind.DECISION
    return _url("web:changes" if is_rescored else "web:board", notification.board.slug)


def _language(user: User) -> str:
    available = {code for code, _name in settings.LANGUAGES}
    return user.language if user.language in available else settings.LANGUAGE_CODE


def _url(name: str, *args: object) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def _without_links(name: str) -> str:
    """Return a name that no program for email makes a link of: strangers get it from our address."""
    return _IN_LINKS.sub(" ", name)
