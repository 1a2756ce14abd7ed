"""What MedAgentBench is and what its figures stand for, in words for its pages."""

from scoring.about import About, Defect, Work
from scoring.benchmark import Metric

ABOUT = About(
    asks=(
        "A system is given instructions as a clinician would write them, and a FHIR server with the records "
        "of patients. It has to find what is asked for, or to place the order or record that is called for.",
        "There are two published task files. The leaderboard called MedAgentBench has the 300 tasks of "
        "test_data_v2, which the paper reports on; MedAgentBench pilot has the 100 tasks of test_data_v1.",
        "There are ten types of task, with the same number of tasks each. Five are queries, which are to be "
        "answered and must not change a record: find a patient, work out an age, the last magnesium of a "
        "day, the mean glucose of a day, the last glucose. Five are actions, which have to be posted to the "
        "server, some of them only where a value calls for it: record a blood pressure, replace magnesium, "
        "refer to orthopaedics, replace potassium and have it checked, order a new HbA1c.",
    ),
    graded=(
        "A task is right or wrong, by the rules of the official graders, whose verdicts are reproduced case "
        "by case. For a query the answer has to equal the reference. For an action the address and the "
        "named fields of what was posted have to be those that the task asks for, no more and no fewer "
        "posts; any post in a query makes it wrong.",
        "A task without a record in the file is wrong, and so is one without an answer, which the official "
        "harness never grades. The number of tasks is that of the benchmark, whatever a file holds.",
        "Each reference is worked out once from the patients' records when the ground truth is imported. "
        "Grading a file asks no server and no language model, so the same file always has the same figures.",
    ),
    caveats=(
        "The harness can decide the score. Gemini 3 Flash and Claude Haiku 4.5 reached 100% when the data of "
        "a task were fetched beforehand and the model wrote code, and 38.3% and 20.7% over the rounds of the "
        "official harness (MedAgentBench, issue 6). A table without the column Harness compares harnesses, "
        "so filter by harness before you compare models.",
        "“MedAgentBench v2” in the literature is another benchmark, with 300 new tasks; it is on neither "
        'leaderboard. A result file still states "v1" or "v2", after its task file.',
        "A right answer is one that the official grader accepts. Its quirks are kept, so that figures "
        "compare with published ones: some harmless deviations in form are wrong, and fields that no rule "
        "names are not looked at.",
        "Tasks of a type are variations of one instruction on different patients. A system that has a type "
        "wrong has often all of it wrong, so figures by type say more than the overall one.",
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
            text="The published schema describes the route of an order as an object with a text, as FHIR "
            "does. The official grader compares the route with a bare string, so an order that follows the "
            "schema is wrong. Wardboard reproduces this, and warns when a file has such an order.",
            source=Work(
                title="MedAgentBench, issue 8 (August 2026)",
                url="https://github.com/stanfordmlgroup/MedAgentBench/issues/8",
            ),
        ),
        Defect(
            tasks="task3, task5, task8, task9, task10",
            text="The official harness accepts every POST whose payload is JSON and never sends it to the "
            "server. The grader reads the transcript, not the server. A system that reads its order back "
            "does not find it. Wardboard warns when the history of a file shows such a read.",
            source=Work(
                title="MedAgentBench, issue 10 (September 2026)",
                url="https://github.com/stanfordmlgroup/MedAgentBench/issues/10",
            ),
        ),
    ),
    data="MedAgentBench uses deidentified records that were published with it. Send no records of other "
    "patients.",
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
        stands_for="Share of all tasks that the official graders find right.",
        formula="SR = tasks that are right / all tasks",
        source=_PAPER,
    ),
    Metric(
        key="query_success_rate",
        label="Query success rate",
        short="Query",
        stands_for="Success rate on the tasks of the five types that ask for an answer (1, 2, 4, 6, 7).",
        formula="query tasks that are right / all query tasks",
        source=_PAPER,
    ),
    Metric(
        key="action_success_rate",
        label="Action success rate",
        short="Action",
        stands_for="Success rate on the tasks of the five types that may end in an order (3, 5, 8, 9, 10).",
        formula="action tasks that are right / all action tasks",
        source=_PAPER,
    ),
    Metric(
        key="coverage",
        label="Share of tasks answered",
        short="Coverage",
        public=True,
        stands_for="Share of all tasks whose answer in the file is not null.",
        formula="tasks with an answer / all tasks",
        source="Wardboard",
        # Nearly all rows have all tasks answered.
        column=False,
    ),
)
