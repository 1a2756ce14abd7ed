"""The third wording of the half that the rules were written with, after it had been held out."""

from scoring.fhir_agentbench.judge.forms.facts import Vocabulary
from scoring.fhir_agentbench.judge.forms.wording import Wording

WORDS = Vocabulary(
    questions={
        "number": (
            ("How many emergency visits has patient {p} made since {y}?", "emergency visits"),
            ("Can you tell me the number of times patient {p} was given {drug} in {y}?", "doses of {drug}"),
            ("What was the maximum {lab} for patient {p} in {y}?", "maximum {lab}"),
            ("Retrieve the last {lab} measurement of patient {p} since {y}.", "last {lab}"),
        ),
        "date": (
            ("When did patient {p} last receive {drug} in {y}?", "the last {drug}"),
            (
                "Since {y}, when was the first time that patient {p} underwent {procedure}?",
                "the first {procedure}",
            ),
        ),
        "list": (
            ("Show all drugs given to patient {p} since {y}.", "drugs"),
            ("Which procedures has patient {p} had in {y}?", "procedures"),
        ),
        "name": (
            ("Which drug did patient {p} receive most recently in {y}?", "most recent drug"),
            ("What was the organism in the last sputum culture of patient {p} in {y}?", "organism"),
            ("What is the name of the procedure that patient {p} had last in {y}?", "procedure"),
        ),
        "yes-no": (
            ("Is there any order of {drug} for patient {p} in {y}?", "an order of {drug}"),
            ("Has patient {p} had {procedure} since {y}?", "{procedure}"),
        ),
    },
    drugs=("Ceftriaxone", "Potassium Chloride", "Hydralazine", "Gabapentin", "Lorazepam", "Pantoprazole"),
    procedures=("Endoscopy", "Tracheostomy", "Blood Transfusion", "Cardioversion", "CT Scan", "Biopsy"),
    organisms=(
        "ACINETOBACTER BAUMANNII",
        "CITROBACTER FREUNDII",
        "MORGANELLA MORGANII",
        "ASPERGILLUS FUMIGATUS",
        "HAEMOPHILUS INFLUENZAE",
    ),
    measured=(
        ("chloride", "mEq/L", 80, 130, 0),
        ("bilirubin", "mg/dL", 3, 30, 1),
        ("temperature", "C", 33, 41, 1),
        ("platelet count", "K/uL", 20, 600, 0),
    ),
)

WORDING = Wording(
    words=WORDS,
    sentences={
        "number": (
            "{value} {topic} can be seen in the data.|The {topic} seen in the data is {value}.",
            "I see {value} {topic} for patient {p}.|I see a {topic} of {value} for patient {p}.",
            "The total is {value} {topic}.|The {topic} stood at {value}.",
        ),
        "date": (
            "On {value}.",
            "{topic} was on {value}.",
            "It happened on {value} for patient {p}.",
        ),
        "list": (
            "{value}.",
            "Patient {p} had {value}.",
            "I see these {topic} for the patient: {value}.",
        ),
        "name": (
            "{value} was the {topic}.",
            "The record names {value}.",
            "The {topic} for patient {p} is {value}.",
        ),
        "yes": (
            "Yes, there is {topic} in {y}.",
            "There is {topic} for patient {p} on record.",
            "Yes - {topic} is on record.",
        ),
        "no": (
            "No, there is no {topic} in {y}.",
            "There is no {topic} for patient {p}.",
            "No - {topic} is not on record.",
        ),
        "none": (
            "Nothing about {topic} was recorded for patient {p}.",
            "The data do not contain any {topic}.",
            "{topic}: no data found.",
        ),
    },
    short_none=("No record", "null", "There are none.", "No results."),
    reasons=(
        "The search brought up {decoy}, but this is a different matter.",
        "My query returned ten hits. {decoy} is one that I discarded.",
        "Considering every resource in turn, {decoy} appears early on.",
    ),
    steps=(
        "- Searched everything: {decoy} turned up.",
        "- Kept the year {y} only, {decoy} is gone.",
        "- Took what remained.",
    ),
    conclusions=("In summary, {sentence}", "As a result, {sentence}", "Consequently, {sentence}"),
    markers=(
        "The final answer: {value}",
        "**Final Answer**: {value}",
        "Final Answer:\n{value}",
        "The answer is {value}",
        "_Result:_ {value}",
    ),
    headings=("#### Final Answer\n{value}", "Answer:\n\n{value}"),
    bold=("The data say **{value}**", "My finding: **{value}**", "**{value}**."),
    tables=("| Final answer |\n|:--|\n| {value} |", "| What | Result |\n|:--|--:|\n| {topic} | {value} |\n"),
    json=(
        '```json\n{{"patient": "{p}", "answer": {json}}}\n```',
        'Here is my answer.\n```json\n{{"steps": ["looked at {decoy}"], "final_answer": {json}}}\n```',
    ),
    ranges=("{value} {unit} (ref. {low}–{high})", "{value} {unit}; normal range {low} to {high} {unit}"),
    earlier=(
        "{many} entries were scanned, {few} remained, and the final answer is {value}.",
        "After {few} queries over {many} resources: {sentence}",
        "I fetched {few} pages with {many} rows. {sentence}",
    ),
    explained=(
        "Final answer: {value}\nReasoning: {decoy} was discarded as it lies in another year.",
        "{value}\n\n(I ignored {decoy}, because it is not what was asked.)",
    ),
)
