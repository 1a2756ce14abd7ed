"""The fourth wording of the half that the rules were written with, after it had been held out."""

from scoring.fhir_agentbench.judge.forms.facts import Vocabulary
from scoring.fhir_agentbench.judge.forms.wording import Wording

WORDS = Vocabulary(
    questions={
        "number": (
            ("What is the number of hospital stays patient {p} had in {y}?", "hospital stays"),
            ("How frequently was {drug} ordered for patient {p} since {y}?", "orders of {drug}"),
            ("What was the lowest {lab} of patient {p} in {y}?", "lowest {lab}"),
            ("Give me the {lab} last measured for patient {p} since {y}.", "{lab}"),
        ),
        "date": (
            ("When was patient {p} first given {drug} in {y}?", "{drug}"),
            ("Tell me the last time patient {p} received {procedure} since {y}.", "{procedure}"),
        ),
        "list": (
            ("Name the drugs that patient {p} received in {y}.", "drugs"),
            ("What are all procedures that patient {p} has undergone since {y}?", "procedures"),
        ),
        "name": (
            ("What drug was last ordered for patient {p} in {y}?", "drug"),
            ("Which organism was found in the first wound culture of patient {p} since {y}?", "organism"),
            ("What procedure did patient {p} receive first in {y}?", "procedure"),
        ),
        "yes-no": (
            ("Was {drug} ordered for patient {p} in {y}?", "{drug}"),
            ("Was patient {p} given any {drug} since {y}?", "{drug}"),
        ),
    },
    drugs=("Amiodarone", "Levothyroxine Sodium", "Diltiazem", "Prednisone", "Albuterol", "Famotidine"),
    procedures=("Appendectomy", "Chest Tube", "Skin Graft", "Mammography", "Angiogram", "Extubation"),
    organisms=(
        "BACTEROIDES FRAGILIS",
        "ENTEROBACTER AEROGENES",
        "VIRIDANS STREPTOCOCCI",
        "CORYNEBACTERIUM SPECIES",
        "LISTERIA MONOCYTOGENES",
    ),
    measured=(
        ("calcium", "mg/dL", 5, 15, 1),
        ("hematocrit", "%", 18, 55, 1),
        ("lactate", "mmol/L", 3, 18, 1),
        ("systolic blood pressure", "mmHg", 70, 210, 0),
    ),
)

WORDING = Wording(
    words=WORDS,
    sentences={
        "number": (
            "My count is {value} {topic}.|The {topic} read {value}.",
            "Patient {p} accumulated {value} {topic}.|The {topic} was recorded as {value}.",
            "{value} {topic} match the question.|It amounts to {value}.",
        ),
        "date": (
            "The date was {value}.",
            "Patient {p} got {topic} on {value}.",
            "{value} is when it took place.",
        ),
        "list": (
            "The complete list is {value}.",
            "{value} are the {topic}.",
            "The patient got the {topic} {value}.",
        ),
        "name": (
            "That would be {value}.",
            "The {topic} in question is {value}.",
            "Patient {p}: {value}.",
        ),
        "yes": (
            "Yes, {topic} was ordered and given.",
            "{topic} was given to patient {p} in {y}.",
            "That is correct, {topic} was given.",
        ),
        "no": (
            "No, {topic} was not given.",
            "{topic} was not given to patient {p}.",
            "Negative, no {topic} was given.",
        ),
        "none": (
            "No {topic} exists for the patient.",
            "I did not find any {topic} for patient {p}.",
            "The patient's data lack any {topic}.",
        ),
    },
    short_none=("no data", "No results found.", "NA", "Nothing found"),
    reasons=(
        "To answer this, I went through the data and met {decoy}, which is unrelated.",
        "{decoy} was in the response but belongs to a later period.",
        "The bundle starts with {decoy}. That entry does not fit.",
    ),
    steps=(
        "First, get the bundle (it starts with {decoy}).",
        "Second, keep {y}; this drops {decoy}.",
        "Third, take the one in question.",
    ),
    conclusions=("Accordingly, {sentence}", "To conclude, {sentence}", "All in all, {sentence}"),
    markers=(
        "Final Answer - {value}",
        "**FINAL ANSWER**\n{value}",
        "So the final answer is {value}",
        "> Answer: {value}",
        "Conclusion: {value}",
    ),
    headings=("## Final result\n\n{value}", "**Answer**\n{value}"),
    bold=("I get **{value}**", "Outcome: **{value}**", "Here it is: **{value}**"),
    tables=("| Response |\n| - |\n| {value} |", "| Topic | Final answer |\n|---|---|\n| {topic} | {value} |"),
    json=(
        '```json\n{{"Answer": {json}, "confidence": 0.9}}\n```',
        '{{"thought": "I saw {decoy}", "answer": {json}}}',
    ),
    ranges=(
        "{value} {unit} (reference interval: {low} to {high})",
        "{value} (normal range {low}-{high} {unit})",
    ),
    earlier=(
        "{few} of the {many} entries fit the question. Answer: {value}",
        "The server sent {many} entries in {few} bundles. {sentence}",
        "Checked {many} resources ({few} pages); result: {value}.",
    ),
    explained=(
        "The answer is {value}\n\nJustification: {decoy} falls into another period.",
        "{sentence}\n\nPlease note that {decoy} was left out on purpose.",
    ),
)
