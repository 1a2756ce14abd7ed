"""The second wording of the half that the rules were written with, after it had been held out."""

from scoring.fhir_agentbench.judge.forms.facts import Vocabulary
from scoring.fhir_agentbench.judge.forms.wording import Wording

WORDS = Vocabulary(
    questions={
        "number": (
            (
                "Count the number of hospital admissions that patient {p} had since {y}.",
                "hospital admissions",
            ),
            ("How often did patient {p} receive {drug} in {y}?", "administrations of {drug}"),
            ("What is the first {lab} measured for patient {p} in {y}?", "first {lab}"),
            ("Show me the minimum {lab} that patient {p} had in {y}.", "minimum {lab}"),
        ),
        "date": (
            ("When was {drug} first prescribed to patient {p} since {y}?", "{drug}"),
            ("What was the last time patient {p} had {procedure} in {y}?", "{procedure}"),
        ),
        "list": (
            ("List the medications ordered for patient {p} in {y}.", "medications"),
            ("What are the procedures that were performed on patient {p} since {y}?", "procedures"),
        ),
        "name": (
            ("What medication was patient {p} given last in {y}?", "last medication"),
            (
                "Tell me the organism detected in the first blood culture of patient {p} since {y}.",
                "organism",
            ),
            ("Which procedure did patient {p} undergo first in {y}?", "first procedure"),
        ),
        "yes-no": (
            ("Did patient {p} receive {drug} in {y}?", "receive {drug}"),
            ("Since {y}, did patient {p} undergo {procedure}?", "undergo {procedure}"),
        ),
    },
    drugs=("Lisinopril", "Docusate Sodium", "Atorvastatin", "Morphine Sulfate", "Cefazolin", "Omeprazole"),
    procedures=("Intubation", "Paracentesis", "PICC Line", "Lumbar Puncture", "Ultrasound", "Colonoscopy"),
    organisms=(
        "STAPH AUREUS COAG +",
        "PSEUDOMONAS AERUGINOSA",
        "CANDIDA ALBICANS",
        "SERRATIA MARCESCENS",
        "ENTEROBACTER CLOACAE",
    ),
    measured=(
        ("potassium", "mmol/L", 2, 9, 1),
        ("glucose", "mg/dL", 50, 390, 0),
        ("respiratory rate", "insp/min", 8, 40, 0),
        ("hemoglobin", "g/dL", 5, 19, 1),
    ),
)

WORDING = Wording(
    words=WORDS,
    sentences={
        "number": (
            "We count {value} {topic}.|The {topic} came to {value}.",
            "In total, {value} {topic} are documented for this patient.|A {topic} of {value} was documented.",
            "The patient's chart has {value} {topic}.|For patient {p}, the {topic} is {value}.",
        ),
        "date": (
            "This took place on {value}.",
            "{topic}: {value}.",
            "According to the chart, the date is {value}.",
        ),
        "list": (
            "They are {value}.",
            "The chart of patient {p} lists these {topic}: {value}.",
            "These {topic} are documented: {value}.",
        ),
        "name": (
            "This was {value}.",
            "According to the chart, the {topic} is {value}.",
            "For patient {p}, {value} was the {topic}.",
        ),
        "yes": (
            "Yes, patient {p} did {topic} in {y}.",
            "The patient did {topic}.",
            "Yes. The chart shows that the patient did {topic}.",
        ),
        "no": (
            "No, patient {p} did not {topic} in {y}.",
            "The patient did not {topic}.",
            "No. According to the chart, the patient did not {topic}.",
        ),
        "none": (
            "There is no {topic} in the chart of this patient.",
            "I could find no {topic} for patient {p}.",
            "No {topic} is documented in {y}.",
        ),
    },
    short_none=("none", "No data available", "no matching records", "Not found"),
    reasons=(
        "First I retrieved everything about the patient; {decoy} came up among the results.",
        "Several candidates had to be excluded, for example {decoy}.",
        "The chart mentions {decoy} as well, although that is outside the period asked for.",
    ),
    steps=(
        "1. Retrieve the resources: {decoy} is the first.",
        "2. Drop what is outside the period ({decoy}).",
        "3. Compare the remaining ones.",
    ),
    conclusions=("Thus {sentence}", "Overall, {sentence}", "Hence, {sentence}"),
    markers=(
        "FINAL ANSWER: {value}",
        "__Answer__: {value}",
        "Result: {value}",
        "**Answer: {value}**",
        "My final answer is {value}",
    ),
    headings=("# Answer\n{value}", "**Result**\n\n{value}"),
    bold=("After reviewing the chart, **{value}**", "Result of my review: **{value}**", "**{value}**"),
    tables=("| Item | Value |\n| --- | --- |\n| {topic} | {value} |", "|Answer|\n|:---:|\n|{value}|"),
    json=(
        '```\n{{"answer": {json}}}\n```',
        'Done.\n\n```json\n{{\n  "answer": {json},\n  "notes": "{decoy} excluded"\n}}\n```',
    ),
    ranges=("{value} {unit} [normal {low} - {high}]", "{value} {unit}, reference interval {low}–{high}"),
    earlier=(
        "{many} resources were retrieved and {few} matched the filter; the answer: {value}.",
        "Having gone through {few} bundles with {many} entries, I conclude: {value}.",
        "Pages: {few}. Entries: {many}. {sentence}",
    ),
    explained=(
        "{sentence} I did not consider {decoy}, which is outside the period.",
        "Result: {value}\n\nNote: {decoy} was also in the chart and does not count.",
    ),
)
