"""The fifth wording of the half that the rules were written with, after it had been held out."""

from scoring.fhir_agentbench.judge.forms.facts import Vocabulary
from scoring.fhir_agentbench.judge.forms.wording import Wording

WORDS = Vocabulary(
    questions={
        "number": (
            ("How many times has patient {p} been admitted to the hospital since {y}?", "admissions"),
            ("What is the total count of {drug} prescriptions for patient {p} in {y}?", "prescriptions"),
            ("What was the {lab} of patient {p} when last checked in {y}?", "{lab}"),
            ("Calculate the average {lab} of patient {p} in {y}.", "average {lab}"),
        ),
        "date": (
            ("When was the first {drug} prescription of patient {p} in {y}?", "{drug} prescription"),
            ("When was the last {procedure} of patient {p} since {y}?", "{procedure}"),
        ),
        "list": (
            ("What drugs were prescribed to patient {p} in {y}?", "drugs"),
            ("List the procedures of patient {p} since {y}.", "procedures"),
        ),
        "name": (
            ("What was the drug that patient {p} was first prescribed since {y}?", "drug"),
            (
                "What is the name of the organism in the first stool culture of patient {p} in {y}?",
                "organism",
            ),
            ("What was the first procedure done for patient {p} in {y}?", "first procedure"),
        ),
        "yes-no": (
            ("Did patient {p} get {drug} in {y}?", "{drug}"),
            ("Has patient {p} undergone {procedure} since {y}?", "{procedure}"),
        ),
    },
    drugs=("Clopidogrel", "Sertraline", "Ondansetron", "Ferrous Sulfate", "Digoxin", "Tamsulosin"),
    procedures=("Hemodialysis", "Laparoscopy", "Nasal Swab", "Stent Placement", "Craniotomy", "MRI"),
    organisms=(
        "CLOSTRIDIUM DIFFICILE",
        "STENOTROPHOMONAS MALTOPHILIA",
        "LACTOBACILLUS SPECIES",
        "SALMONELLA ENTERITIDIS",
        "NEISSERIA MENINGITIDIS",
    ),
    measured=(
        ("albumin", "g/L", 15, 55, 1),
        ("anion gap", "mEq/L", 5, 40, 0),
        ("urea nitrogen", "mg/dL", 5, 130, 0),
        ("height", "cm", 140, 200, 0),
    ),
)

WORDING = Wording(
    words=WORDS,
    sentences={
        "number": (
            "There have been {value} {topic}.|The {topic} was {value}.",
            "The patient has {value} {topic} on record.|Patient {p} has a {topic} of {value}.",
            "I found {value} {topic}.|The value of the {topic} is {value}.",
        ),
        "date": (
            "The {topic} was on {value}.",
            "The time of the {topic} is {value}.",
            "It took place at {value}.",
        ),
        "list": (
            "These are {value}.",
            "I found the following {topic}: {value}.",
            "The {topic} of patient {p} are: {value}.",
        ),
        "name": (
            "I found {value}.",
            "The answer to this question is {value}.",
            "In {y}, the {topic} was {value}.",
        ),
        "yes": (
            "Yes, {topic} is recorded for the patient.",
            "There is a record of {topic} for patient {p}.",
            "Yes, that happened in {y}.",
        ),
        "no": (
            "No, {topic} is not recorded for the patient.",
            "There is no record of {topic} for patient {p}.",
            "No, that did not happen.",
        ),
        "none": (
            "There were no {topic} entries for patient {p}.",
            "No record of any {topic} could be found.",
            "The patient does not have any {topic}.",
        ),
    },
    short_none=("No records", "n/a", "None found", "No matching data found."),
    reasons=(
        "I began with all resources of the patient. One of them is {decoy}, which I excluded.",
        "In the patient's data, {decoy} is listed, yet it is not within the period.",
        "Going through the observations, orders and procedures, I saw {decoy}, among other entries.",
    ),
    steps=(
        "Step 1 - Get the data. It includes {decoy}.",
        "Step 2 - Apply the filter. This excludes {decoy}.",
        "Step 3 - Read off the result.",
    ),
    conclusions=("So {sentence}", "This means that {sentence}", "In short, {sentence}"),
    markers=(
        "Final answer is: {value}",
        "**The final answer is: {value}**",
        "ANSWER: {value}",
        "Final result: {value}",
        "*Answer:* {value}",
    ),
    headings=("## Answer\n\n{value}", "### Result:\n{value}"),
    bold=("According to the records: **{value}**", "The patient's value is **{value}**", "**{value}**\n"),
    tables=(
        "| Answer |\n|--------|\n| {value} |",
        "Summary:\n\n| Item | Answer |\n|------|--------|\n| {topic} | {value} |",
    ),
    json=(
        '```json\n{{"answer": {json}, "sources": 3}}\n```\nDone.',
        'I looked at {decoy} too.\n\n```json\n{{"answer": {json}}}\n```',
    ),
    ranges=(
        "{value} {unit} (normal range: {low} - {high} {unit})",
        "{value} {unit} (target {low} to {high})",
    ),
    earlier=(
        "I checked {many} records on {few} pages. The final answer is {value}.",
        "The query gave {many} rows, {few} of them in {y}. Final answer: {value}",
        "There are {many} resources in {few} pages. {sentence}",
    ),
    explained=(
        "Answer: {value}\n\nDetails: I excluded {decoy}.",
        "{sentence} ({decoy} is not part of it.)",
    ),
)
