"""Write emails: subject and text, in the language of who gets them, or of who invites."""

import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.models import EmailKind, Notification, TeamInvitation, User
from leaderboard.services.desk.attention import STATE_OF_NEED, NeedKind
from leaderboard.services.notifications.choices import FOR_ORGANISERS, make_token
from leaderboard.services.notifications.digest import DISK, JUDGE, KIND_OF
from leaderboard.services.teams import invitations
from leaderboard.services.text import join_names, join_sentences, percent, remove_hidden_characters

LABELS = {
    EmailKind.SUBMISSION: gettext_lazy("A submission finished or failed (if it took over a minute)"),
    EmailKind.DECISION: gettext_lazy("The organisers disqualify or reinstate a submission"),
    EmailKind.RESCORED: gettext_lazy("A published result was rescored, and its score or rank changed"),
    EmailKind.APPROVAL: gettext_lazy("Your team was approved or declined"),
    EmailKind.ANNOUNCEMENT: gettext_lazy("An announcement on a leaderboard with a published result of yours"),
    EmailKind.TOKEN: gettext_lazy("An API token of yours expires in a week"),
    EmailKind.TEAM: gettext_lazy("Someone joins a team that you own, or you are removed or made an owner"),
    EmailKind.ASKED: gettext_lazy("A team asks for approval, or reports a doubtful reference answer"),
    EmailKind.FAILURES: gettext_lazy("A submission failed, or has waited too long"),
    EmailKind.SUSPECTS: gettext_lazy("Suspicious answers, or files that are nearly the same"),
    EmailKind.LIMITS: gettext_lazy(
        "The judge’s budget, the disk, or a leaderboard’s room for files is nearly used up"
    ),
}
# What holds an address together: evil.example, http://…, name@host.
_IN_LINKS = re.compile(r"(?<=\S)[.:/@]+(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailText:
    """The words of an email, and the URL at which its kind is switched off; "" for an invitation."""

    subject: str
    body: str
    switch_off_url: str


def compose(notification: Notification) -> EmailText:
    """Write an email in the language of its receiver."""
    with translation.override(_language(notification.user)):
        subject, *paragraphs = _subject_and_paragraphs(notification)
        board_title = _(notification.board.title) if notification.board else "Wardboard"
        switch_off_url = _url("web:emails-off", make_token(notification.user, kinds_in(notification)))
        choices = _("Choose your emails: %(url)s") % {"url": _url("web:emails")}
        footer = [choices, _("No more emails of this kind: %(url)s") % {"url": switch_off_url}]
        return EmailText(
            subject=remove_hidden_characters(f"[{board_title}] {subject}"),
            body="\n\n".join([*filter(None, paragraphs), "-- \n" + "\n".join(footer)]) + "\n",
            switch_off_url=switch_off_url,
        )


def compose_invitation(invitation: TeamInvitation) -> EmailText:
    """Write the email of an invitation, in the language of who invites; its receiver may have no account."""
    with translation.override(_language(invitation.invited_by)):
        return _invitation(invitation)


def kinds_in(notification: Notification) -> list[EmailKind]:
    """Return the kinds that an email holds: several where it is for organisers."""
    if notification.kind != EmailKind.DESK:
        return [EmailKind(notification.kind)]
    needed_kinds = {KIND_OF[need] for need, _count in notification.data["needs"]}
    return [kind for kind in FOR_ORGANISERS if kind in needed_kinds]


def need_words(need: str, count: int) -> str:
    """Return what needs an organiser. count: of the things, or the percent that is used."""
    match need:
        case NeedKind.FAILED:
            text = ngettext("%(n)s submission failed", "%(n)s submissions failed", count)
        case NeedKind.STUCK:
            text = ngettext(
                "%(n)s submission has waited too long", "%(n)s submissions have waited too long", count
            )
        case NeedKind.APPROVALS:
            text = ngettext("%(n)s team asks for approval", "%(n)s teams ask for approval", count)
        case NeedKind.DOUBTS:
            text = ngettext(
                "%(n)s report of a doubtful reference answer",
                "%(n)s reports of doubtful reference answers",
                count,
            )
        case NeedKind.SUSPECTS:
            text = ngettext(
                "%(n)s submission has answers that address the judge",
                "%(n)s submissions have answers that address the judge",
                count,
            )
        case NeedKind.NAMESAKES:
            text = ngettext(
                "%(n)s system has the name of another team’s system",
                "%(n)s systems have the names of other teams’ systems",
                count,
            )
        case NeedKind.SIMILAR:
            text = ngettext("%(n)s group of similar files", "%(n)s groups of similar files", count)
        case NeedKind.OUTDATED:
            text = ngettext("%(n)s score to rescore", "%(n)s scores to rescore", count)
        case NeedKind.PREPARED:
            text = ngettext(
                "%(n)s revision of the reference answers is prepared and not active",
                "%(n)s revisions of the reference answers are prepared and not active",
                count,
            )
        case NeedKind.STORAGE:
            text = _("%(n)s%% of the room for files is taken")
        case other:
            names = {
                JUDGE: _("%(n)s%% of the judge’s budget of today is spent"),
                DISK: _("The disk is nearly full: soon, uploads are refused"),
            }
            text = names[other]
    return text % {"n": count}


def need_path(need: str, slug: str) -> str:
    """Return the path of the page where an organiser acts on a need."""
    if state := STATE_OF_NEED.get(NeedKind(need)):
        query = urlencode({"board": slug, "state": state.value})
        return f"{reverse('web:organise-submissions')}?{query}"
    pages = {
        NeedKind.SIMILAR: "web:organise-similar",
        NeedKind.APPROVALS: "web:organise-teams",
        NeedKind.DOUBTS: "web:organise-doubts",
        NeedKind.OUTDATED: "web:organise-rescoring",
        NeedKind.PREPARED: "web:organise-references",
    }
    return reverse(pages.get(NeedKind(need), "web:organise-board"), args=[slug])


def _language(user: User) -> str:
    available = {code for code, _name in settings.LANGUAGES}
    return user.language if user.language in available else settings.LANGUAGE_CODE


def _url(name: str, *args: object) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def _subject_and_paragraphs(notification: Notification) -> list[str]:
    """Return the subject, without the leaderboard, and the paragraphs."""
    writers = {
        EmailKind.SUBMISSION: _about_submission,
        EmailKind.DECISION: _about_submission,
        EmailKind.RESCORED: _about_rescoring,
        EmailKind.APPROVAL: _about_approval,
        EmailKind.ANNOUNCEMENT: _about_announcement,
        EmailKind.TOKEN: _about_token,
        EmailKind.TEAM: _about_team,
    }
    return writers.get(EmailKind(notification.kind), _about_needs)(notification)


def _about_submission(notification: Notification) -> list[str]:
    submission = notification.submission
    if submission is None:
        raise ValueError(f"notification {notification.pk} has no submission")
    values = {"system": submission.system.name, "time": f"{submission.received_at:%Y-%m-%d %H:%M} UTC"}
    texts = {
        "scored": (
            _("Your submission is scored"),
            _("Your submission for “%(system)s”, received at %(time)s, is scored."),
        ),
        "rejected": (
            _("Your file has errors"),
            _(
                "Your submission for “%(system)s”, received at %(time)s, was not scored, because its file "
                "has errors. The report lists them and says how to fix them."
            ),
        ),
        "failed": (
            _("Your submission failed"),
            _(
                "Your submission for “%(system)s”, received at %(time)s, could not be scored. Its page says "
                "why."
            ),
        ),
        "disqualified": (
            _("Your submission was disqualified"),
            _(
                "The organisers disqualified your submission for “%(system)s”, received at %(time)s. It "
                "cannot be published, and if it was, it is no longer on the leaderboard."
            ),
        ),
        "reinstated": (
            _("Your submission was reinstated"),
            _(
                "The organisers reinstated your submission for “%(system)s”, received at %(time)s. If it was "
                "published, it is published again."
            ),
        ),
    }
    subject, text = texts[notification.data["what"]]
    reason = notification.data.get("reason")
    why = _("Reason: %(reason)s") % {"reason": reason} if reason else ""
    return [subject, text % values, why, _url("web:submission", submission.pk)]


def _about_rescoring(notification: Notification) -> list[str]:
    intro = _(
        "The leaderboard was rescored, because its reference answers, its grader or its judge changed. These "
        "published results of your team have another score or rank:"
    )
    lines = [_rescored_line(**line) for line in notification.data["lines"]]
    return [_("Your results were rescored"), intro, "\n".join(lines), *_links(notification, "web:changes")]


def _rescored_line(*, system: str, scores: list[float | None], ranks: list[int | None]) -> str:
    parts = [_("score %(before)s before, %(now)s now") % _pair(*map(percent, scores))]
    if ranks[0] != ranks[1]:
        parts.append(_("rank %(before)s before, %(now)s now") % _pair(*(str(rank or "–") for rank in ranks)))
    return f"- {system}: {join_names(parts)}"


def _pair(before: str, now: str) -> dict[str, str]:
    return {"before": before, "now": now}


def _about_approval(notification: Notification) -> list[str]:
    if notification.data["what"] == "approved":
        text = _(
            "The organisers approved your team. The limits for new teams no longer apply to it, and it may "
            "publish results."
        )
        return [_("Your team is approved"), text, *_links(notification, "web:board")]
    answer = notification.data["answer"]
    why = _("Their answer: %(answer)s") % {"answer": answer} if answer else ""
    text = _("The organisers did not approve your team. What it has published stays.")
    return [_("Your team was not approved"), text, why, *_links(notification, "web:board")]


def _about_announcement(notification: Notification) -> list[str]:
    language = translation.get_language() or ""
    text = (notification.data["text_zh"] if language.startswith("zh") else "") or notification.data["text"]
    return [_("Announcement of the organisers"), text, *_links(notification, "web:board")]


def _about_token(notification: Notification) -> list[str]:
    if "team" in notification.data:
        text = _(
            "The API token “%(name)s” of the team “%(team)s”, which begins with %(key)s, expires on %(at)s "
            "UTC. From then on, requests with it are refused. Create a new one before, and put it where this "
            "one is used."
        )
        return [_("An API token of your team expires soon"), text % notification.data, _url("web:tokens")]
    text = _(
        "Your API token “%(name)s”, which begins with %(key)s, expires on %(at)s UTC. From then on, requests "
        "with it are refused. Create a new one before, and put it where this one is used."
    )
    return [_("Your API token expires soon"), text % notification.data, _url("web:tokens")]


def _about_team(notification: Notification) -> list[str]:
    texts = {
        "joined": (
            _("%(name)s joined your team"),
            _("%(name)s joined the team “%(team)s”. Its owners change roles and remove people on this page:"),
        ),
        "owner": (
            _("You own a team now"),
            _(
                "You are an owner of the team “%(team)s” now: you can invite and remove people, rename the "
                "team and manage its tokens."
            ),
        ),
        "removed": (
            _("You are no longer in a team"),
            _(
                "You were removed from the team “%(team)s”. What you submitted for it stays with the team, "
                "and you no longer see it."
            ),
        ),
    }
    change, handle = notification.data["what"], notification.data["handle"]
    subject, text = texts[change]
    link = _url("web:team", handle) if handle and change != "removed" else ""
    return [subject % notification.data, text % notification.data, link]


def _invitation(invitation: TeamInvitation) -> EmailText:
    inviter = _without_links(invitation.invited_by.get_full_name()) or invitation.invited_by.email
    values = {"name": inviter, "team": _without_links(invitation.team.name), "days": invitations.DAYS}
    paragraphs = (
        _("%(name)s invites you to the team “%(team)s” on Wardboard. Open this link to join:") % values,
        _url("web:join-team", invitations.token_for(invitation)),
        join_sentences(
            [
                _("The link works once, for %(days)s days.") % values,
                _("If you do not know this person, you can ignore this email."),
            ]
        ),
    )
    return EmailText(
        subject=settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + _("Invitation to a team"),
        body="\n\n".join(paragraphs) + "\n",
        switch_off_url="",
    )


def _without_links(name: str) -> str:
    """Return a name that no program for email makes a link of: strangers get it from our address."""
    return _IN_LINKS.sub(" ", name)


def _links(notification: Notification, name: str) -> list[str]:
    return [_url(name, notification.board.slug)] if notification.board else []


def _about_needs(notification: Notification) -> list[str]:
    needs = [(need, need_words(need, count)) for need, count in notification.data["needs"]]
    lines = [f"- {text}" for _need, text in needs]
    if notification.board:
        slug = notification.board.slug
        lines = [f"- {text}\n  {settings.SITE_URL}{need_path(need, slug)}" for need, text in needs]
    subject = needs[0][1] if len(needs) == 1 else _("The leaderboard needs you")
    return [subject, "\n".join(lines), _url("web:organise")]
