"""What a benchmark says of itself to newcomers: its tasks, its sources, its known defects."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A publication, data set or program that a benchmark comes from. url: "" if it has none."""

    title: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A known defect of a benchmark, which its official grader keeps. tasks: the types it concerns."""

    tasks: str
    text: str
    source: Work


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A description of a benchmark for newcomers, in English paragraphs of plain text.

    - asks: the tasks that it sets a system
    - graded: how an answer comes to be right or wrong
    - caveats: what its figures do not show
    - defects: known defects, with the report of each
    - published_references: how far its reference answers are public already; "" if they are not
    - data: whose data it uses, and what must not be sent; "" where there is nothing to say

    All of it is public at every feedback level.
    """

    asks: tuple[str, ...]
    graded: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    works: tuple[Work, ...] = ()
    defects: tuple[Defect, ...] = ()
    published_references: str = ""
    data: str = ""
