"""Count the answers that have a form which the rules can read. Nothing here looks at a reference.

What an answer of such a form says may still be left open. Whether an answer addresses the judge does not
matter here: a check would show everyone what is detected.
"""

import time
from collections.abc import Iterable

from wardboard.scoring.answer_forms import MOST_LISTED, AnswerForms, UnreadAnswer
from wardboard.scoring.fhir_agentbench.grading.precheck import has_token_limit, judged_text
from wardboard.scoring.fhir_agentbench.judge.rules.marks import clean, find_marked
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import sentences
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import read_question
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.reading.no_answers import is_blank
from wardboard.scoring.reading.problems import quote

_NO_QUESTION = read_question("", None)


def count_forms(records: Iterable[AnswerRecord], *, seconds: float) -> AnswerForms:
    """Return the forms of the answers that a judge gets; of the first ones, after so many seconds."""
    ends = time.monotonic() + seconds
    answers, unread, is_part = 0, 0, False
    listed: list[UnreadAnswer] = []
    for record in records:
        if time.monotonic() > ends:
            is_part = True
            break
        is_none = record.fingerprint is None or has_token_limit(record.answer)
        if is_none or (text := judged_text(record.answer)) is None:
            continue
        answers += 1
        if not has_readable_form(text):
            unread += 1
            if len(listed) < MOST_LISTED:
                listed.append(UnreadAnswer(task=record.task_id, answer=quote(text)))
    return AnswerForms(answers=answers, readable=answers - unread, unread=listed, is_part=is_part)


def has_readable_form(answer: str) -> bool:
    """Return whether `answer` marks one part as the answer, or is short enough to be read as a whole."""
    text = clean(answer)
    marked = find_marked(text, _NO_QUESTION.kind)
    if marked and marked.is_named:
        return len(marked.answers) == 1 and not is_blank(marked.answers[0])
    part = Answer(text, _NO_QUESTION)
    return marked is not None or not (
        part.is_cut or part.is_data or part.is_question or len(sentences(text)) > 1
    )
