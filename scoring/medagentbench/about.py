"""Texts about MedAgentBench and its metrics, for its pages."""

from scoring.about import About, Defect, Work
from scoring.benchmark import Metric

ABOUT = About(
    asks=(
        "A system receives an instruction as a clinician would write it, and has access to a FHIR server "
        "with patient records. It must find the requested information, or place the order or entry that is "
        "due.",
        "Two task files have been published. The MedAgentBench leaderboard uses the 300 tasks of "
        "test_data_v2, on which the paper reports; MedAgentBench pilot uses the 100 tasks of test_data_v1.",
        "There are ten task types with the same number of tasks each. Five are queries, which need an "
        "answer and must not change a record: find a patient, compute an age, the last magnesium within 24 "
        "hours, the mean glucose over 24 hours, the last glucose. Five are actions, which must be posted to "
        "the server, some of them only if a lab value requires it: record a blood pressure, replace "
        "magnesium, refer to orthopaedics, replace potassium and order a repeat test, order a new HbA1c.",
    ),
    graded=(
        "Each task is correct or wrong by the rules of the official graders, whose verdicts are reproduced "
        "case by case. For a query, the answer must equal the reference answer. For an action, the number "
        "of POSTs, their URLs and the fields that the grader checks must be exactly those that the task "
        "requires. Any POST in a query makes the task wrong.",
        "A task that the file leaves out is wrong, and so is one without an answer, which the official "
        "harness never grades. The success rate always divides by all tasks of the benchmark.",
        "Each reference answer is computed once from the patient records, when the organiser imports the "
        "reference answers. Grading uses no server and no language model, so the same file always gets the "
        "same scores.",
    ),
    caveats=(
        "The harness can decide the score. Gemini 3 Flash and Claude Haiku 4.5 reached 100% when the data "
        "for each task were fetched beforehand and the model wrote code, but 38.3% and 20.7% in the "
        "multi-turn official harness (MedAgentBench, issue 6). A table that ignores the harness compares "
        "harnesses, so filter by harness before you compare models.",
        "In the literature, “MedAgentBench v2” is another benchmark, with 300 new tasks; neither leaderboard "
        'uses it. The "v1" or "v2" in a result file is the version of its task file.',
        "An answer is correct if the official grader accepts it. The grader's quirks are kept, so that "
        "scores are comparable with published ones: it rejects some harmless differences in form, and "
        "ignores fields that no rule names.",
        "The tasks of a type repeat one instruction for different patients. A system that fails one of them "
        "often fails them all, so scores by type say more than the overall score.",
    ),
    works=(
        Work(
            title="MedAgentBench: the project's page, with its paper",
            url="https://stanfordmlgroup.github.io/projects/medagentbench",
        ),
        Work(
            title="MedAgentBench: tasks and official graders (MIT licence)",
            url="https://github.com/stanfordmlgroup/MedAgentBench",
        ),
        Work(
            title="MedAgentBench, issue 6: two models under two harnesses (April 2026)",
            url="https://github.com/stanfordmlgroup/MedAgentBench/issues/6",
        ),
        Work(title="HL7 FHIR, release 4", url="https://hl7.org/fhir/R4/"),
    ),
    defects=(
        Defect(
            tasks="task5, task9",
            text="The published schema defines the route of an order as an object with a text, as FHIR "
            "does. The official grader compares the route with a plain string, so it rejects an order that "
            "follows the schema. Wardboard reproduces this, and warns if a file contains such an order.",
            source=Work(
                title="MedAgentBench, issue 8 (August 2026)",
                url="https://github.com/stanfordmlgroup/MedAgentBench/issues/8",
            ),
        ),
        Defect(
            tasks="task3, task5, task8, task9, task10",
            text="The official harness accepts every POST whose payload is JSON and never sends it to the "
            "server. The grader reads the transcript, not the server. A system that looks up its own order "
            "does not find it. Wardboard warns if a history in the file shows such a lookup.",
            source=Work(
                title="MedAgentBench, issue 10 (September 2026)",
                url="https://github.com/stanfordmlgroup/MedAgentBench/issues/10",
            ),
        ),
    ),
    data="MedAgentBench uses the deidentified records that were published with it. Do not upload records of "
    "other patients.",
    published_references="The task files, the image with the patients' records and the graders of "
    "MedAgentBench are public. Anyone can compute its reference answers from them.",
)

_PAPER = "MedAgentBench paper"
METRICS = (
    Metric(
        key="success_rate",
        label="Success rate",
        short="SR",
        public=True,
        stands_for="Share of all tasks that the official graders accept.",
        formula="SR = correct tasks / all tasks",
        source=_PAPER,
    ),
    Metric(
        key="query_success_rate",
        label="Query success rate",
        short="Query",
        stands_for="Success rate on the tasks of the five types that ask for an answer (1, 2, 4, 6, 7).",
        formula="correct query tasks / all query tasks",
        source=_PAPER,
    ),
    Metric(
        key="action_success_rate",
        label="Action success rate",
        short="Action",
        stands_for="Success rate on the tasks of the five types that may end in an order (3, 5, 8, 9, 10).",
        formula="correct action tasks / all action tasks",
        source=_PAPER,
    ),
    Metric(
        key="coverage",
        label="Answer rate",
        short="Answered",
        public=True,
        stands_for="Share of all tasks whose answer in the file is not null.",
        formula="tasks with an answer / all tasks",
        source="Wardboard",
        # Nearly all rows have all tasks answered.
        column=False,
    ),
)
