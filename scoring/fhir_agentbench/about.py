"""The text of FHIR-AgentBench's About page."""

from scoring.benchmark import About, Work

ABOUT = About(
    asks=(
        "A system is asked a question on one patient in plain words, such as one on a measurement, a "
        "medication or a stay, and has a FHIR server with the patient's records. It has to retrieve the "
        "resources that hold the answer, and to answer in words.",
        "The published benchmark has 2,931 questions. For each the resources that hold its answer are known, "
        "so that finding and answering are measured apart. About a quarter of the questions have nothing to "
        "find, and the right answer says so.",
    ),
    graded=(
        "Whether an answer is right is decided by a judge, which every row of the board names, since "
        "figures of different judges do not compare. Officially it is a language model with a rubric: "
        "content counts, not form; numbers agree when they are equal as rounded, dates on the day, lists "
        "when they are complete and hold nothing more.",
        "Before any judge, an answer is wrong where the record says an error or ran out of input, or where "
        "there is none; it is right where there is nothing to find and no answer is given.",
        "What was retrieved is compared with the true resources by their ids, by the rules of the official "
        "evaluator. A question without a record in the file counts as one that was not answered and for "
        "which nothing was retrieved.",
    ),
    caveats=(
        "Recall is all or nothing a question: one resource that is missing makes it 0.",
        "Resources of types that a question does not need cost no precision, as the official evaluator "
        "leaves them out. The figure for all types, which stands with a system's other figures, counts them.",
        "Where there is nothing to find, precision and recall are 1 whatever was retrieved, so a system that "
        "always says that there is nothing reaches 23.9% of the published ones: the baseline on the board.",
    ),
    works=(
        Work(title="FHIR-AgentBench: the paper", url="https://arxiv.org/abs/2509.19319"),
        Work(title="HL7 FHIR, release 4", url="https://hl7.org/fhir/R4/"),
    ),
)
