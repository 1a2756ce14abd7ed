"""The samples of lm-evaluation-harness: `samples_<task>_<time>.jsonl`, one answer of a model each.

Source: lm-evaluation-harness, `--log_samples`. Its `target` and its metrics hold references and verdicts,
and are not read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, Row
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.formats.values import count, first_text, number, value_at
from wardboard.scoring.reading.messages import phrase

LM_EVAL_SAMPLES = "lm-eval-samples"


def is_lm_eval_sample(record: Any) -> bool:
    return isinstance(record, dict) and {"doc_id", "doc", "resps"} <= record.keys()


def read_lm_eval_samples(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts of samples, of which a task has as many as repeats.

    The answer is what the model wrote, not what a filter made of it. Each filter writes a line of its own.
    """
    filters: defaultdict[Any, list[Any]] = defaultdict(list)
    for here, record in rows:
        answers = value_at(record, "resps", 0) if is_lm_eval_sample(record) else None
        if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
            message = phrase("this is no sample with the texts that a model wrote")
            here.problem(FormatCode.DAMAGED, ("resps",), message)
            continue
        earlier = filters[count(record["doc_id"])]
        if earlier and record.get("filter") not in earlier:
            continue
        earlier.append(record.get("filter"))
        doc, prompt = record["doc"], value_at(record, "arguments", "gen_args_0")
        asked = first_text(value_at(prompt, "arg_0"), value_at(record, "arguments", 0, 0))
        options = value_at(prompt, "arg_1") or value_at(record, "arguments", 0, 1)
        for repeat, answer in enumerate(answers):
            yield Attempt(
                task_id=first_text(*(value_at(doc, key) for key in ("task_id", "id", "question_id"))),
                place=here.base,
                line=here.line,
                run=repeat + 1,
                messages=(
                    Message(role="user", text=asked, place=("arguments", "gen_args_0"), text_field="arg_0"),
                    Message(role="agent", text=answer, place=("resps", 0), text_field=str(repeat)),
                ),
                answer_place=("resps", 0, repeat),
                history=(),
                facts=Facts(rounds=1, temperature=number(value_at(options, "temperature"))),
                notes=(FormatCode.SINGLE_TURN,),
            )
