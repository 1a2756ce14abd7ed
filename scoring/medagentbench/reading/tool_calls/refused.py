"""Add the refused POSTs that only the log of an agent has to the accepted ones of an answer file."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import parse_json
from wardboard.scoring.medagentbench.reading.tool_calls.replies import ACCEPTED
from wardboard.scoring.reading.collector import Steps
from wardboard.scoring.reading.formats.attempts import Message

Item = dict[str, str]
_MOST_COMPARED = 100_000  # POSTs of a log times those of its answer file; an agent sends a few


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A POST with its reply, as items of a history.

    accepted: None if the log proves neither. is_known: whether the log shows its body
    """

    items: tuple[Item, ...]
    places: tuple[Steps, ...] = ()
    url: str | None = None
    payload: Any = None
    accepted: bool | None = None
    is_known: bool = True

    def is_same(self, other: "Post") -> bool:
        return (self.url, self.payload) == (other.url, other.payload)


def posts_of_history(history: Sequence[Item]) -> list[Post]:
    """Return the items of a history, each POST with its reply, and any other item by itself."""
    posts, at = list[Post](), 0
    while at < len(history):
        item, following = history[at], history[at + 1 : at + 2]
        has_reply = item["role"] == "agent" and bool(following) and following[0]["role"] == "user"
        items = (item, *(following if has_reply else ()))
        posts.append(_post(items, ()))
        at += len(items)
    return posts


def _post(items: tuple[Item, ...], places: tuple[Steps, ...]) -> Post:
    line, _, body = items[0]["content"].partition("\n")
    if not line.lstrip().startswith("POST"):
        return Post(items=items, places=places)
    try:
        payload = parse_json(body)
    except ValueError:
        payload = body
    accepted = ACCEPTED in items[1]["content"] if len(items) > 1 else None
    url = line.strip().removeprefix("POST").strip()
    return Post(items=items, places=places, url=url, payload=payload, accepted=accepted)


def posts_of_texts(messages: Sequence[Message]) -> list[Post]:
    """Return the POSTs that an agent without tools wrote as texts."""
    posts = []
    for message, following in zip_longest(messages, messages[1:]):
        if message.role == "agent" and message.text.lstrip().startswith("POST"):
            pair = (message, *((following,) if following and following.role == "user" else ()))
            items = tuple({"role": each.role, "content": each.text} for each in pair)
            posts.append(_post(items, tuple(each.text_place for each in pair)))
    return posts


def with_refused(stated: Sequence[Post], seen: Sequence[Post]) -> list[Post] | None:
    """Return the POSTs of an answer file, with those among `seen` that were sent and not accepted, in order.

    The answer file has all that were accepted: one with an unclear reply that it does not have was not. None
    if `seen` has an accepted POST that the answer file does not have, or not in that order, or both have too
    many to compare.
    """
    if len(stated) * len(seen) > _MOST_COMPARED:
        return None
    merged, at = list[Post](), 0
    for post in seen:
        if post.accepted:
            place = next((n for n in range(at, len(stated)) if stated[n].is_same(post)), None)
            if place is None:
                return None
            merged += stated[at : place + 1]
            at = place + 1
        elif post.accepted is False or (
            post.is_known and len(post.items) > 1 and not any(map(post.is_same, stated))
        ):
            merged.append(post)
    return [*merged, *stated[at:]]
