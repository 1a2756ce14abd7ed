"""The first wording of the half that the rules were written with."""

from scoring.fhir_agentbench.judge.forms.facts import Vocabulary
from scoring.fhir_agentbench.judge.forms.wording import Wording

WORDS = Vocabulary(
    questions={
        "number": (
            ("How many icu visits did patient {p} have in {y}?", "ICU visits"),
            ("How many times was {drug} prescribed to patient {p} since {y}?", "prescriptions of {drug}"),
            ("What was the last {lab} of patient {p} in {y}?", "last {lab}"),
            ("Tell me the highest {lab} of patient {p} since {y}.", "highest {lab}"),
        ),
        "date": (
            ("When was the last time that patient {p} was prescribed {drug} in {y}?", "{drug}"),
            ("When did patient {p} first undergo {procedure} in {y}?", "{procedure}"),
        ),
        "list": (
            ("Which drugs was patient {p} prescribed in {y}?", "drugs"),
            ("What procedures did patient {p} undergo in {y}?", "procedures"),
        ),
        "name": (
            ("What was the name of the first drug prescribed to patient {p} in {y}?", "first drug"),
            ("What organism was found in the last urine culture of patient {p} in {y}?", "organism"),
            ("What was the last procedure of patient {p} in {y}?", "last procedure"),
        ),
        "yes-no": (
            ("Was patient {p} prescribed {drug} in {y}?", "prescribed {drug}"),
            ("Has patient {p} been given {drug} since {y}?", "given {drug}"),
        ),
    },
    drugs=("Heparin", "Senna", "Furosemide", "Insulin", "Warfarin", "Metoprolol Tartrate", "Vancomycin"),
    procedures=("Arterial Line", "Chest X-Ray", "Dialysis Catheter", "Bronchoscopy", "Thoracentesis", "EKG"),
    organisms=("ESCHERICHIA COLI", "KLEBSIELLA PNEUMONIAE", "YEAST", "ENTEROCOCCUS SP.", "PROTEUS MIRABILIS"),
    measured=(
        ("sodium", "mEq/L", 120, 160, 0),
        ("creatinine", "mg/dL", 3, 14, 1),
        ("heart rate", "bpm", 45, 160, 0),
        ("weight", "kg", 40, 140, 1),
    ),
)

WORDING = Wording(
    words=WORDS,
    sentences={
        "number": (
            "The number of {topic} is {value}.|The {topic} of patient {p} was {value}.",
            "Patient {p} had {value} {topic}.|The patient's {topic} was {value}.",
            "There were {value} {topic} in the records of patient {p}.|The {topic} in {y} was {value}.",
        ),
        "date": (
            "It was {value}.",
            "The date for {topic} is {value}.",
            "Patient {p} had {topic} on {value}.",
        ),
        "list": (
            "The {topic} were {value}.",
            "Patient {p} had the following {topic}: {value}.",
            "In {y}, the {topic} of the patient were {value}.",
        ),
        "name": ("The {topic} was {value}.", "It was {value}.", "The {topic} of patient {p} was {value}."),
        "yes": (
            "Patient {p} was {topic} in {y}.",
            "Yes, the patient was {topic}.",
            "Yes, the records show that patient {p} was {topic}.",
        ),
        "no": (
            "Patient {p} was not {topic} in {y}.",
            "No, the patient was not {topic}.",
            "The patient was never {topic}.",
        ),
        "none": (
            "No {topic} was found for patient {p}.",
            "There are no records of {topic} for the patient.",
            "The patient has no {topic} on record.",
        ),
    },
    short_none=("None", "No records found", "N/A", "Nothing was found"),
    reasons=(
        "I searched the resources of patient {p} and found {decoy} first.",
        "The patient's records of {y} hold several entries, among them {decoy}.",
        "Looking at all entries: one has {decoy}, which does not belong to the question.",
    ),
    steps=(
        "Step 1: I listed all entries. The first one has {decoy}.",
        "Step 2: I filtered by year {y}, which removed {decoy}.",
        "Step 3: I sorted what was left by date.",
    ),
    conclusions=("So, {sentence}", "Therefore, {sentence}", "In conclusion, {sentence}"),
    markers=(
        "Final answer: {value}",
        "**Final answer:** {value}",
        "Answer: {value}",
        "The final answer is: {value}",
    ),
    headings=("## Result\n\n{value}", "### Final answer\n\n{value}"),
    bold=("Having checked the record: **{value}**", "**{value}**", "The answer is **{value}**."),
    tables=("| Result |\n|---|\n| {value} |", "| Question | Answer |\n|---|---|\n| {topic} | {value} |"),
    json=(
        '```json\n{{"answer": {json}}}\n```',
        '```json\n{{"reasoning": "checked {decoy}", "answer": {json}}}\n```',
    ),
    ranges=("{value} {unit} (reference range {low}-{high} {unit})", "{value} (normal: {low} to {high})"),
    earlier=(
        "Out of {many} entries, of which {few} are of {y}, the answer is {value}.",
        "I read {many} resources on {few} pages. {sentence}",
        "{few} of {many} resources are relevant. The result is {value}.",
    ),
    explained=(
        "{sentence}\n\nExplanation: the other entries, such as {decoy}, are of another year.",
        "Answer: {value}\n\nI left out {decoy} because it was not asked for.",
    ),
)
