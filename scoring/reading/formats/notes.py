"""Say once for a whole log what its attempts have as notes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.systems import listed
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.problems import quote


def unread_message(name: str) -> Phrase:
    """Return what to say of a part of a message, called `name`, that is not read."""
    return phrase(
        "the message holds “{name}”, which is not read: a call or an answer in it does not count",
        name=quote(name),
    )


def attempts_of_one_run(attempts: Iterable[Attempt], findings: Findings) -> Iterator[Attempt]:
    """Yield `attempts` up to one of another run, which is a problem; at the end, warn of their notes."""
    noted: defaultdict[FormatCode, list[Attempt]] = defaultdict(list)
    run = None
    for attempt in attempts:
        findings.check_time()
        run = attempt.run if run is None else run
        if attempt.run != run:
            message = phrase("the log holds several attempts at {task}", task=quote(attempt.task_id))
            attempt.here(findings).problem(FormatCode.SEVERAL_RUNS, (), message)
            break
        for note in dict.fromkeys(attempt.notes):
            noted[note].append(Attempt(task_id=attempt.task_id, place=attempt.place, line=attempt.line))
        if attempt.unread:
            place, name = attempt.unread
            attempt.here(findings).warning(FormatCode.PART_UNREAD, place, unread_message(name))
        yield attempt
        # Free this attempt before the next one is read.
        del attempt
    for note, noting in noted.items():
        here = noting[0].here(findings) if len(noting) == 1 else findings
        message = phrase_n(
            "{meaning} {n:,} attempt: {tasks}",
            "{meaning} {n:,} attempts: {tasks}",
            len(noting),
            meaning=note.meaning,
            tasks=listed([attempt.task_id for attempt in noting]),
        )
        findings.warning_first(note, here.base, message, line=here.line)
