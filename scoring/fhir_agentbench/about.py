"""Texts about FHIR-AgentBench and its metrics, for its pages."""

from scoring.about import About, Work
from scoring.benchmark import Metric, Unit

ABOUT = About(
    asks=(
        "A system receives a question about one patient in plain words, such as a measurement, a medication "
        "or a hospital stay, and has access to a FHIR server with the patient's records. It must retrieve "
        "the resources that contain the answer, and answer in words.",
        "The published benchmark has 2,931 questions. The resources that contain each answer (the gold "
        "resources) are known, so retrieval and answering are measured separately. For about a quarter of "
        "the questions there is nothing to find, and the correct answer says so.",
    ),
    graded=(
        "A judge decides whether an answer is correct. Every row names its judge, because scores by "
        "different judges are not comparable. The official judge is a language model with a rubric: content "
        "matters, not form. Numbers must be equal after rounding, dates must be the same day, and lists "
        "must be complete with nothing extra.",
        "If rules alone judge, they leave an answer open when they cannot read it with certainty. Answer "
        "correctness is then a range: from the share of correct answers to the share of correct or open "
        "ones. Rows are ranked by the lower end.",
        "Some answers are decided before any judge sees them. An answer is wrong if the file records an "
        "error or an exceeded input limit for it, or if it is empty although there is something to find. It "
        "is correct if there is nothing to find and no answer is given.",
        "Retrieved resources are compared with the gold resources by id, by the rules of the official "
        "evaluator. A question that the file leaves out counts as unanswered, with nothing retrieved.",
    ),
    caveats=(
        "Recall is all-or-nothing for each question: one missing resource makes it 0.",
        "Resources of types that a question does not need do not lower precision, because the official "
        "evaluator ignores them. “Precision, all types” counts them; it is shown on each system's page.",
        "Where there is nothing to find, precision and recall are 1 whatever was retrieved, and “no answer” "
        "is correct. A system that always says that there is nothing is therefore correct on 23.9% of the "
        "published questions: it is the baseline on the leaderboard.",
    ),
    works=(
        Work(title="FHIR-AgentBench: the paper", url="https://arxiv.org/abs/2509.19319"),
        Work(title="HL7 FHIR, release 4", url="https://hl7.org/fhir/R4/"),
    ),
    data="The published questions of FHIR-AgentBench use the open demonstration data of MIMIC-IV on FHIR. "
    "Results of runs on the full MIMIC-IV contain credentialed data: do not upload them to a leaderboard "
    "that uses open data.",
    published_references="The question table of FHIR-AgentBench is public, with its answers and resources.",
)

_PAPER = "FHIR-AgentBench paper, section 4.1"
_EVALUATOR = "FHIR-AgentBench, official evaluator"
METRICS = (
    Metric(
        key="answer_correctness",
        label="Answer correctness",
        short="AC",
        public=True,
        stands_for="Share of all questions answered correctly, according to the judge named in the row.",
        formula="AC = questions answered correctly / all questions",
        source=_PAPER,
        upper_key="answer_correctness_upper",
    ),
    Metric(
        key="answer_correctness_upper",
        label="Answer correctness, upper end",
        short="AC up to",
        public=True,
        column=False,
        stands_for="Answer correctness if every answer that the rules left open were correct. "
        "Rows are ranked by the lower end, which counts none of them as correct.",
        formula="(questions answered correctly + questions left open) / all questions",
        source="Wardboard",
    ),
    Metric(
        key="left_open",
        label="Left open by the rules",
        short="Open",
        public=True,
        higher_is_better=False,
        column=False,
        stands_for="Share of all questions whose answer the rules could not decide. These answers count "
        "neither as correct nor as wrong.",
        formula="questions left open / all questions",
        source="Wardboard",
    ),
    Metric(
        key="precision",
        label="Precision",
        short="P",
        stands_for="Share of the retrieved resources that are needed, among the types that the question "
        "needs; the mean over the questions where it is defined.",
        formula="P = mean over questions of: needed ids retrieved / ids retrieved, of the types needed",
        source=_EVALUATOR,
    ),
    Metric(
        key="recall",
        label="Recall",
        short="R",
        stands_for="All-or-nothing recall: share of questions for which every needed resource was retrieved.",
        formula="R = mean over questions of: 1 if every needed id was retrieved, else 0",
        source=_EVALUATOR,
    ),
    Metric(
        key="f1",
        label="F1",
        short="F1",
        stands_for="2PR/(P+R) of mean precision and mean recall. For rows as published it is computed here "
        "from the printed precision and recall.",
        formula="F1 = 2PR / (P + R)",
        source=_EVALUATOR,
    ),
    Metric(
        key="precision_all_types",
        label="Precision, all types",
        short="P all",
        column=False,
        stands_for="The paper's formula: share of all distinct retrieved resources that are needed.",
        formula="mean over questions of: |retrieved ∩ needed| / |retrieved|",
        source=_PAPER,
    ),
    Metric(
        key="recall_fraction",
        label="Mean recall (partial credit)",
        short="Mean R",
        column=False,
        stands_for="The paper's formula: share of the needed resources that were retrieved.",
        formula="mean over questions of: |retrieved ∩ needed| / |needed|",
        source=_PAPER,
    ),
    Metric(
        key="coverage",
        label="Answer rate",
        short="Answered",
        public=True,
        stands_for="Share of all questions whose answer in the file is not null.",
        formula="questions with an answer / all questions",
        source="Wardboard",
        # Nearly every row has answers to all questions.
        column=False,
    ),
    Metric(
        key="tokens_per_question",
        label="Tokens per question",
        short="Tokens",
        public=True,
        unit=Unit.COUNT,
        higher_is_better=False,
        stands_for="Mean number of tokens per question, over the questions for which the file states it.",
        formula="tokens / questions with a stated number",
        source="Wardboard, from the file",
    ),
    Metric(
        key="cost_per_question",
        label="Cost per question",
        short="Cost",
        public=True,
        unit=Unit.USD,
        higher_is_better=False,
        stands_for="Mean cost per question in US dollars, over the questions for which the file states it.",
        formula="US dollars / questions with a stated cost",
        source="Wardboard, from the file",
    ),
)
