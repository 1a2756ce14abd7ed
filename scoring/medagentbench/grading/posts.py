"""Find the POSTs in a history as the official graders do: in the text of the agent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.medagentbench.reading.answers import parse_json

# Some models write the request into a block of code.
_REQUEST = re.compile(r"\s*(?:POST|```(?:tool_code)?\s*POST\s)")
_ACCEPTED = "POST request accepted"


class EndsInPost(Exception):
    """The last item is a POST: the official grader fails because there is no next item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A POST, with its address and its payload: parsed JSON of any type, or the text that is none."""

    url: str
    payload: Any
    is_json: bool


def any_post(history: Sequence[Any]) -> bool:
    """Return whether any item of the agent contains POST: COMPOST counts, post does not."""
    return any(_is_post(item) for item in history)


def has_request(history: Sequence[Any]) -> bool:
    """Return whether any item of the agent is a POST, and not a text that has the word."""
    return any(_REQUEST.match(_content(item)) for item in history if _is_post(item))


def all_posts(history: Sequence[Any]) -> list[tuple[Post, bool]]:
    """Return every item of the agent that contains POST, and whether the next item accepts it.

    A payload that does not parse is the text of it.
    """
    posts = []
    for position, item in enumerate(history):
        if not _is_post(item):
            continue
        answer = _content(history[position + 1]) if position + 1 < len(history) else ""
        line, _, payload = item["content"].partition("\n")
        try:
            parsed, is_json = parse_json(payload), True
        except ValueError:
            parsed, is_json = payload, False
        # Cut off four characters without looking at them, so that `POSThttp://...` has an address too.
        post = Post(url=line[4:].strip(), payload=parsed, is_json=is_json)
        posts.append((post, _ACCEPTED in answer))
    return posts


def accepted_posts(history: Sequence[Any]) -> list[Post]:
    """Return the POSTs whose next item, whatever its role, says "POST request accepted".

    history: items {"role", "content"}; anything else is neither a POST nor an acceptance.
    A POST whose payload does not parse is left out. Raises EndsInPost.
    """
    if history and _is_post(history[-1]):
        raise EndsInPost
    # The official grader silently skips a POST whose payload does not parse, so it does not count.
    return [post for post, is_accepted in all_posts(history) if is_accepted and post.is_json]


def _is_post(item: Any) -> bool:
    return "POST" in _content(item) and item["role"] == "agent"


def _content(item: Any) -> str:
    """Return the content of a well-formed item, "" for any other."""
    if isinstance(item, dict) and "role" in item and isinstance(content := item.get("content"), str):
        return content
    return ""
