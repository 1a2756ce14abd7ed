"""Say once for a whole file what was completed by rule in the calls of its tools."""

from collections.abc import Callable, Mapping

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tool_calls.calls import Sign
from wardboard.scoring.medagentbench.reading.tool_calls.histories import ToolHistory
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.messages import Phrase, phrase_n
from wardboard.scoring.reading.problems import quote

_MOST_NAMED = 5  # tasks that a remark names
# Of a number of tasks, which are named. Signs of single calls that a person has to look at are not here: the
# history reports each.
_SAYS: Mapping[Sign, Callable[[int, str], Phrase]] = {
    Sign.JOINED: lambda n, named: phrase_n(
        "POSTs of {n:,} task had a relative address, which is joined to that of the server: {named}",
        "POSTs of {n:,} tasks had relative addresses, which are joined to that of the server: {named}",
        n,
        named=named,
    ),
    Sign.ENCODED_TWICE: lambda n, named: phrase_n(
        "POSTs of {n:,} task had a body that was encoded twice, and is decoded: {named}",
        "POSTs of {n:,} tasks had bodies that were encoded twice, and are decoded: {named}",
        n,
        named=named,
    ),
    Sign.FROM_RESULT: lambda n, named: phrase_n(
        "POSTs of {n:,} task have the body that the tool sent, which is not the agent’s: {named}",
        "POSTs of {n:,} tasks have the bodies that the tool sent, which are not the agent’s: {named}",
        n,
        named=named,
    ),
    Sign.PHRASE_REMOVED: lambda n, named: phrase_n(
        "POSTs of {n:,} task have a reply that accepts them with a status that does not; they do not "
        "count: {named}",
        "POSTs of {n:,} tasks have replies that accept them with a status that does not; they do not "
        "count: {named}",
        n,
        named=named,
    ),
    Sign.SEARCH: lambda n, named: phrase_n(
        "POSTs of {n:,} task are searches, and count as POSTs all the same: {named}",
        "POSTs of {n:,} tasks are searches, and count as POSTs all the same: {named}",
        n,
        named=named,
    ),
    Sign.OPERATION: lambda n, named: phrase_n(
        "POSTs of {n:,} task call an operation, and count as POSTs all the same: {named}",
        "POSTs of {n:,} tasks call operations, and count as POSTs all the same: {named}",
        n,
        named=named,
    ),
    Sign.BUNDLE: lambda n, named: phrase_n(
        "POSTs of {n:,} task send a Bundle, which counts as one POST: {named}",
        "POSTs of {n:,} tasks send Bundles, each of which counts as one POST: {named}",
        n,
        named=named,
    ),
    Sign.LIKE_A_POST: lambda n, named: phrase_n(
        "tools of {n:,} task were given a resource and replied as to a POST, but nothing says that they sent "
        "one, so it is none: {named}",
        "tools of {n:,} tasks were given resources and replied as to a POST, but nothing says that they sent "
        "one, so it is none: {named}",
        n,
        named=named,
    ),
    Sign.NOT_SENT: lambda n, named: phrase_n(
        "The tools of {n:,} task refused a POST before they sent it, so it is none: {named}",
        "The tools of {n:,} tasks refused POSTs before they sent them, so they are none: {named}",
        n,
        named=named,
    ),
}


class SignTotals:
    """The signs of the calls of a file, by task."""

    def __init__(self) -> None:
        self._tasks: dict[Sign, dict[str, Findings]] = {}

    def add(self, task_id: str, tools: ToolHistory, here: Findings) -> None:
        """Add what the calls of a task show. here: its place."""
        for sign in tools.signs:
            self._tasks.setdefault(sign, {}).setdefault(task_id, here)

    def report(self) -> None:
        """Add a warning for each sign, at the place of its first task."""
        for sign, says in _SAYS.items():
            if tasks := self._tasks.get(sign):
                named = ", ".join(quote(task) for task in list(tasks)[:_MOST_NAMED])
                named += ", …" if len(tasks) > _MOST_NAMED else ""
                next(iter(tasks.values())).warning(Code.POST_CONVERTED, (), says(len(tasks), named))
