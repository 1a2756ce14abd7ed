"""Keep a file for a day, until its sender has an account and has described the system.

A draft costs no quota. What is kept is bounded: of a network address without an account, of all such visitors
together, and of an account, which has one draft. A visitor's draft that an account takes over counts still
for the address. Requests that arrive at the same moment may
exceed a bound by what they bring.
"""

import uuid
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Sum
from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.models import Draft, Submission, User
from leaderboard.services.drafts.identify import Identified, Match
from leaderboard.services.errors import StorageSpent
from leaderboard.services.files import store
from leaderboard.services.files.arrivals import RunFile, StoredFile
from leaderboard.services.files.remarks import columns_of
from leaderboard.services.text import file_size


def new_draft(
    file: StoredFile, *, identified: Identified, filename: str, owner: User | None, digest: str
) -> Draft:
    """Return the draft, unsaved, of a file that was read.

    owner: who is signed in; None for a visitor. digest: of the network address, "" where it is not known.
    """
    return Draft(
        owner=owner,
        address_digest=digest if owner is None else "",
        stored_as=file.id,
        sha256=file.sha256,
        size_bytes=file.size,
        run_files=[asdict(run) for run in file.runs] or None,
        left_out=file.left_out,
        is_compressed=file.is_compressed,
        filename="".join(c for c in filename if c.isprintable())[:255],
        matches=[_as_stored(match, identified) for match in identified.matches],
        systems=[asdict(system) for system in identified.systems] or None,
    )


def keep(draft: Draft, *, before: Draft | None = None) -> None:
    """Keep an unsaved draft with its file; one of a visitor for whom no room is left stays unsaved.

    The caller discards that one once its report is shown.
    before: the draft that it takes the place of.
    Raises StorageSpent, NoRoom, StorageAway, without keeping the file.
    """
    if before is not None and before.submission_id is not None:
        before = None
    try:
        if draft.owner is None and not _has_room_for_visitor(draft, before):
            return
        if draft.owner is not None and draft.size_bytes > settings.DRAFT_ACCOUNT_BYTES:
            text = gettext("A file that waits to be submitted may have %(size)s at most.")
            raise StorageSpent([], text % {"size": file_size(settings.DRAFT_ACCOUNT_BYTES)})
        store.sync(draft.stored_as)
        draft.made_at = timezone.now()
        draft.save(force_insert=True)
    except BaseException:
        store.remove(draft.stored_as)
        raise
    finally:
        store.release(draft.stored_as)
    if draft.owner is not None:
        discard(Draft.objects.filter(owner=draft.owner).exclude(pk=draft.pk))
    if before is not None:
        discard([before])


def find(draft_id: uuid.UUID | None, user: User | None) -> Draft | None:
    """Return a draft that has not expired, if `user` may see it; None otherwise.

    A draft of a visitor is open to anyone with its id. The first who signs in with it becomes its owner.
    One that has an owner is shown to nobody else, nor to a visitor.
    """
    draft = _living().filter(pk=draft_id).select_related("submission").first() if draft_id else None
    if draft is None:
        return None
    visitors = Draft.objects.filter(pk=draft.pk, owner=None)
    # It keeps the digest of the address: otherwise one could bring in any number, account by account. If two
    # people sign in at once with the same draft, the first one owns it.
    if draft.owner_id is None and user is not None and visitors.update(owner=user):
        draft.owner_id = user.pk
        discard(Draft.objects.filter(owner=user).exclude(pk=draft.pk))
    return draft if draft.owner_id == (user.pk if user else None) else None


def find_waiting(draft_id: uuid.UUID | None) -> Draft | None:
    """Return the draft with this id while it waits, of any owner: everyone with the id may read its score."""
    return _living().filter(pk=draft_id, submission=None).first() if draft_id else None


def file_of(draft: Draft) -> StoredFile:
    """Return the draft's file, which stays its own."""
    return StoredFile(
        id=draft.stored_as,
        sha256=draft.sha256,
        size=draft.size_bytes,
        runs=tuple(RunFile(**run) for run in draft.run_files or ()),
        left_out=tuple(draft.left_out),
        is_compressed=draft.is_compressed,
    )


def finish(draft: Draft, submission: Submission) -> None:
    """Remove the file of a draft that became a submission; the row leads a second click to it."""
    Draft.objects.filter(pk=draft.pk).update(
        submission=submission, matches=[], size_bytes=0, address_digest=""
    )
    store.remove(draft.stored_as)


def discard(drafts: Iterable[Draft]) -> None:
    """Remove drafts and their files. Repeatable."""
    for draft in drafts:
        store.remove(draft.stored_as)
        Draft.objects.filter(pk=draft.pk).delete()


def clear_expired() -> None:
    """Remove the drafts that have expired. Raises StorageAway."""
    discard(Draft.objects.filter(made_at__lte=_oldest()))


def expires_at(draft: Draft) -> datetime:
    return draft.made_at + timedelta(hours=settings.DRAFT_HOURS)


def _oldest() -> datetime:
    return timezone.now() - timedelta(hours=settings.DRAFT_HOURS)


def _living() -> Any:
    return Draft.objects.filter(made_at__gt=_oldest())


def _has_room_for_visitor(draft: Draft, before: Draft | None) -> bool:
    size, digest = draft.size_bytes, draft.address_digest
    others = Draft.objects.exclude(pk__in=[before.pk] if before else [])
    of_visitors = others.filter(owner=None)
    # Without an address, all visitors count as one.
    at_address = others.filter(address_digest=digest) if digest else of_visitors
    used = at_address.aggregate(files=Count("pk"), bytes=Sum("size_bytes", default=0))
    total = of_visitors.aggregate(bytes=Sum("size_bytes", default=0))["bytes"]
    return bool(
        used["files"] < settings.DRAFT_ADDRESS_FILES
        and used["bytes"] + size <= settings.DRAFT_ADDRESS_BYTES
        and total + size <= settings.DRAFT_VISITORS_BYTES
    )


def _as_stored(match: Match, identified: Identified) -> dict[str, Any]:
    reading = match.reading
    of_board = {"slug": match.board.slug, "is_likeliest": match is identified.likeliest}
    if reading is None:
        return of_board
    return {
        **of_board,
        "format": reading.format,
        "version": reading.version,
        "count": reading.count,
        "log_facts": reading.log_facts.as_json(),
        **columns_of(warnings=reading.warnings),
        "answer_forms": reading.forms and reading.forms.as_dict(),
    }
