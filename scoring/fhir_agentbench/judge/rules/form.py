"""Count the answers that have a form which the rules can read. Nothing here looks at a reference.

A form is what the rules look for: a part that is called the answer, a JSON object with an `answer`, a table
of one row, the only bold part, a conclusion, or one statement beside which the others only say how it was
found. What an answer of such a form says may still be left open. Whether an answer addresses the judge does
not matter here: a check would show everyone what is detected.
"""

import re
import time
from collections.abc import Callable, Iterable

from scoring.answer_forms import MOST_LISTED, AnswerForms, UnreadAnswer
from scoring.fhir_agentbench.grading.precheck import has_token_limit, judged_text
from scoring.fhir_agentbench.judge.rules.final_answer_rule import SETS_ASIDE, TELLS_HOW
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.final_answer import FinalAnswer, find_final_answers
from scoring.fhir_agentbench.judge.rules.text.languages import is_unread_language
from scoring.fhir_agentbench.judge.rules.text.normalise import MOST_CHARACTERS, sentences
from scoring.fhir_agentbench.judge.rules.text.questions import read_question
from scoring.fhir_agentbench.reading.records import AnswerRecord
from scoring.reading.problems import quote

_NO_QUESTION = read_question("", None)
# The end of a statement. A semicolon may separate the items of a list.
_ENDED = re.compile(r"[.!?]\s+(?=\S)|\n")


def count_forms(
    records: Iterable[AnswerRecord], *, seconds: float, clock: Callable[[], float] = time.monotonic
) -> AnswerForms:
    """Return the forms of the answers that a judge gets; of the first ones, after so many seconds."""
    ends = clock() + seconds
    answers, unread, is_part = 0, 0, False
    listed: list[UnreadAnswer] = []
    for record in records:
        if clock() > ends:
            is_part = True
            break
        text = None if record.failed or has_token_limit(record.answer) else judged_text(record.answer)
        if text is None or not text.strip():
            continue
        answers += 1
        if not has_readable_form(text):
            unread += 1
            if len(listed) < MOST_LISTED:
                listed.append(UnreadAnswer(task=record.task_id, answer=quote(text)))
    return AnswerForms(answers=answers, readable=answers - unread, unread=listed, is_part=is_part)


def has_readable_form(answer: str) -> bool:
    """Return whether the rules find one part of `answer` that they can judge."""
    if is_unread_language(answer):
        return False
    finals = find_final_answers(answer)
    explicit = {final.segments[-1][0].casefold() for final in finals if final.is_explicit and final.segments}
    if len(explicit) > 1 or (not explicit and len(answer) > MOST_CHARACTERS):
        return False
    part = Answer(next(iter(explicit), answer), _NO_QUESTION)
    if part.is_data or part.is_question:
        return False
    return bool(explicit) or not _ENDED.search(part.text) or any(map(_is_alone, finals))


def _is_alone(final: FinalAnswer) -> bool:
    """Return whether a part stands where a conclusion does, and nothing beside it may be the answer too."""
    if not final.segments or not final.is_plain:
        return bool(final.segments)
    segment, after = final.segments[0]
    others = sentences(f"{final.before}\n{after}")
    are_aside = all(SETS_ASIDE.search(other) or TELLS_HOW.search(other) for other in others)
    return are_aside and not SETS_ASIDE.search(segment)
