"""The benchmark that a declaration makes, by the interface that every benchmark has."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import rfc8785

from wardboard.scoring.about import About
from wardboard.scoring.benchmark import Benchmark, Breakdown, Clusters, Metric, Reading, Watch
from wardboard.scoring.benchmark_cli import FAULT, BenchmarkCli, Failure
from wardboard.scoring.declared.declaration import field_of, read_declaration
from wardboard.scoring.declared.matching import Matcher
from wardboard.scoring.declared.reading import DeclaredRow, read_rows, row_schema
from wardboard.scoring.explanations import ExpectedWork, as_text
from wardboard.scoring.fhir_agentbench.grading.figures import GradedQuestion, pack, rate_of, unpack
from wardboard.scoring.fhir_agentbench.grading.precheck import verdict_of
from wardboard.scoring.fhir_agentbench.grading.reasons import FAILURES, REMARKS, FhirReason, is_correct
from wardboard.scoring.fhir_agentbench.grading.score import judge_cases
from wardboard.scoring.fhir_agentbench.reading.records import encode_record
from wardboard.scoring.ground_truth import (
    BoardPlan,
    GroundTruth,
    GroundTruthInvalid,
    HiddenReference,
    ImportFile,
    load_rows,
    read_file,
)
from wardboard.scoring.judging import Case, Judge, JudgeUnavailable, Ledger
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.table import LOG_NAMES
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.packed_lines import keeping, kept_lines
from wardboard.scoring.reading.places import RecordLayout
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid
from wardboard.scoring.verdicts import Scorecard, Verdict, known_mean

_TEXTS = json.loads(Path(__file__).with_name("texts.json").read_bytes())
_REMARKS = {**REMARKS, FhirReason.WRONG_NOT_TEXT: "not of the form that is asked for"}
_DUMP = "declared-references/1"
_OURS = ("references.", "records.", "question-id.", "field.missing")
_decoder = msgspec.json.Decoder(DeclaredRow)


class Declared(Benchmark):
    """A declared benchmark. Its declaration is all that differs from another one.

    - text: its declaration; document: what that holds; rules: the same with the defaults of the schema
    - digest: SHA-256 of the canonical JSON (RFC 8785) of `document`, in hexadecimal digits
    """

    limits = Limits()
    reasons = tuple(FhirReason)
    missing = FhirReason.MISSING
    remarks: Mapping[str, str] = _REMARKS
    failures: Mapping[str, str] = {**FAILURES, **_REMARKS, FhirReason.WRONG_BY_RULES: "wrong answer"}
    formats: Mapping[str, str] = {"json-lines": "JSON Lines", "json": "JSON", "csv": "CSV", **LOG_NAMES}
    is_correct = staticmethod(is_correct)

    def __init__(self, declaration: bytes) -> None:
        """declaration: YAML, or JSON if it begins with a brace. Raises SubmissionInvalid."""
        self.text, (self.document, self.rules) = declaration, read_declaration(declaration)
        self.digest = hashlib.sha256(rfc8785.dumps(self.document)).hexdigest()
        rules, self._matcher = self.rules, Matcher(self.rules)
        self.slug, self.title = rules["slug"], rules["title"]
        self.scorer_version = f"1 {self.digest[:12]}"
        self.needs_judge = "judge" in rules
        self.about = msgspec.convert(_about(rules), About)
        self.metrics = msgspec.convert(list(_metrics(rules)), tuple[Metric, ...])
        self.breakdowns = msgspec.convert(rules["breakdowns"], tuple[Breakdown, ...])
        self.strata = next((each.key for each in self.breakdowns if each.is_known), "")
        self.clusters = msgspec.convert(rules["clusters"], tuple[Clusters, ...])
        answers, references = rules["answers"], rules["references"]
        self.layout = RecordLayout(id_field=answers["id"])
        means = (each for each in rules["metrics"] if each["kind"] == "mean")
        figures = {field_of(each): _TEXTS["figures"][each.get("unit", "count")] for each in means}
        self._answer = row_schema([answers["id"], answers["answer"]], figures)
        self.fields = ", ".join(self._answer["properties"])
        labels = list(map(field_of, (*rules["breakdowns"], *rules["clusters"])))
        names = list(dict.fromkeys((references["id"], references["gold"], *labels)))
        columns = dict.fromkeys((*labels, references["question"]), _TEXTS["column"])
        self._reference = row_schema(names, columns)
        label = f"Reference answers ({references['format']}): {', '.join(names)}"
        self.import_files = (ImportFile(option="references", label=label),)

    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        return {"answers": {"title": f"{self.title}: answers", "type": "array", "items": self._answer}}

    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        limits: Limits,
        keep: BinaryIO | None = None,
        **_: Any,
    ) -> Reading:
        reading, rows = read_rows(file, self._answer, Findings.under(limits), task_ids=task_ids)
        with keeping(keep) as add:
            for row in rows.values():
                add(encode_record(row))
        return reading

    def records(self, kept: BinaryIO) -> Iterable[DeclaredRow]:
        return map(_decoder.decode, kept_lines(kept))

    def plain_file(self, records: Iterable[DeclaredRow], *, version: str | None) -> str:
        id_field, answer_field = self._answer["required"]
        rows = ({id_field: each.task_id, answer_field: each.answer, **each.fields} for each in records)
        return "".join(json.dumps(row) + "\n" for row in rows)

    def graded_part(self, record: DeclaredRow) -> Any:
        return None if record.answer is None else [record.answer, record.fields]

    def expected_work(self, record: DeclaredRow | None, reference: DeclaredRow) -> ExpectedWork:
        golds = self._matcher.golds(reference.answer)
        return ExpectedWork(answers=tuple(as_text(gold) or "" for gold in golds))

    def instruction(self, reference: DeclaredRow) -> str:
        return str(reference.fields.get(self.rules["references"]["question"], ""))

    def score(
        self,
        records: Iterable[DeclaredRow],
        references: Mapping[str, DeclaredRow],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        if self.needs_judge and judge is None:
            raise ValueError(f"{self.title} cannot be scored without a judge")
        answers = {record.task_id: record for record in records}
        by_task = {
            task: GradedQuestion(outcome=self._outcome(answers.get(task), reference), retrieval=None)
            for task, reference in references.items()
        }
        undecided, suspects = judge_cases(by_task, judge, watch, read=len(answers)) if judge else ({}, [])
        groups, rate = self.groups(references), rate_of(list(by_task.values()))
        metrics = {"exact_match": rate.rate}
        if self.needs_judge:
            metrics["exact_match_upper"] = rate.rate if rate.upper is None else rate.upper
        nothing = DeclaredRow(task_id="")
        pairs = [(answers.get(task, nothing), reference) for task, reference in references.items()]
        figures = dict[str, list[float | None]]()
        for metric in self.rules["metrics"][1:]:
            key, of = metric.get("key", "token_f1"), self._matcher
            if metric["kind"] == "mean":
                figures[key] = [answer.fields.get(field_of(metric)) for answer, _ in pairs]
                metrics[f"{key}_share"] = known_mean(float(value is not None) for value in figures[key])
            else:
                figures[key] = [of.token_f1(of.extracted(each.answer), gold.answer) for each, gold in pairs]
            metrics[key] = known_mean(figures[key])
        return Scorecard(
            overall=rate,
            metrics=metrics,
            breakdowns={
                part.key: {
                    group: rate_of([by_task[task] for task, of in groups[part.key].items() if of == group])
                    for group in part.groups
                }
                for part in self.breakdowns
            },
            verdicts={
                key: each.outcome for key, each in by_task.items() if isinstance(each.outcome, Verdict)
            },
            undecided=dict(undecided),
            suspects=tuple(suspects),
            details=pack(figures) if figures else b"",
        )

    def _outcome(self, answer: DeclaredRow | None, reference: DeclaredRow) -> Verdict | Case:
        """Return what the file and the match decide, or the case that a judge has to decide."""
        if answer is None:
            return verdict_of(FhirReason.MISSING)
        text = as_text(answer.answer) or ""
        if not text.strip():
            return verdict_of(FhirReason.WRONG_NULL)
        form = self._matcher.form(self._matcher.extracted(answer.answer))
        if form is not None and self._matcher.is_right(form, reference.answer):
            return verdict_of(FhirReason.RIGHT_BY_RULES)
        if not self.needs_judge:
            return verdict_of(FhirReason.WRONG_NOT_TEXT if form is None else FhirReason.WRONG_BY_RULES)
        question, gold = self.instruction(reference), as_text(reference.answer) or ""
        return Case(question=question, assumption=None, true_answer=gold, agent_answer=text)

    def dump_references(self, references: Mapping[str, DeclaredRow]) -> bytes:
        return msgspec.json.encode({"format": _DUMP, "references": list(references.values())})

    def load_references(self, data: bytes) -> Mapping[str, DeclaredRow]:
        return load_rows(data, _DUMP, lambda row: msgspec.convert(row, DeclaredRow), "references")

    def groups(self, references: Mapping[str, DeclaredRow]) -> Mapping[str, Mapping[str, str]]:
        return {part["key"]: _labels_of(references, part) for part in self.rules["breakdowns"]}

    def cluster_labels(self, references: Mapping[str, DeclaredRow]) -> Mapping[str, Mapping[str, str]]:
        labels = ((part["key"], _labels_of(references, part)) for part in self.rules["clusters"])
        return {key: of_tasks for key, of_tasks in labels if of_tasks}

    def figures(self, details: bytes, count: int) -> Mapping[str, Sequence[float | None]]:
        return unpack(details, count) if details else {}

    def judge(self, mode: str, *, options: Mapping[str, Any], ledger: Ledger | None) -> Judge | None:
        if not self.needs_judge:
            return None
        # Import them here: the judges take long to import, and only judging needs them.
        from wardboard.scoring.declared.judge import DeclaredDialogue, NoJudge  # noqa: PLC0415
        from wardboard.scoring.fhir_agentbench.judge import LlmJudge, LlmOptions  # noqa: PLC0415

        if mode == "official":
            raise JudgeUnavailable("A declared benchmark has no official judge: choose the LLM.")
        dialogue = DeclaredDialogue(self.rules["judge"])
        return NoJudge() if mode == "rules" else LlmJudge(LlmOptions(**options), ledger, dialogue)

    def read_ground_truth(self, options: Mapping[str, Any]) -> GroundTruth:
        slug, version = options["slug"] or self.slug, options["board_version"] or "1"
        raw, findings = read_file(file := options["references"]), Findings.under(self.limits)
        try:
            _, references = read_rows(BytesIO(raw), self._reference, findings, faults=self.faults)
        except SubmissionInvalid as error:
            hidden = phrase("this part of the file cannot be read")
            problems = [
                replace(each, file=file.name, message=hidden if _may_quote(each) else each.message)
                for each in error.problems.listed
            ]
            raise GroundTruthInvalid(problems) from None
        texts = {task: text for task, each in references.items() if (text := self.instruction(each))}
        return GroundTruth(
            board=BoardPlan(slug=slug, version=version, title=self.title, question=self.about.asks[0]),
            references=references,
            origin=f"references {file.name} sha256 {hashlib.sha256(raw).hexdigest()[:12]}",
            texts=texts if len(texts) == len(references) else {},
        )

    def faults(self, reference: DeclaredRow) -> Iterator[tuple[str, Phrase]]:
        """Yield the field and the text of what is wrong with a reference, without quoting it."""
        golds, kind = self._matcher.golds(reference.answer), self.rules["match"]["kind"]
        if not golds or any(self._matcher.form(gold) is None for gold in golds):
            yield self._reference["required"][1], phrase("{kind} cannot read the reference answer", kind=kind)
        for part in self.rules["breakdowns"]:
            if field_of(part) in reference.fields and not _labels_of({"": reference}, part):
                yield field_of(part), phrase("{key} has no such group", key=part["key"])

    def misfit(self, references: Mapping[str, DeclaredRow]) -> tuple[int, str]:
        """Return how many references do not fit, and why: all, where none has a group of some breakdown."""
        if bare := [key for key, labels in self.groups(references).items() if not labels]:
            return len(references), f"none has a group of {bare[0]}"
        faults = [found[0][1] for each in references.values() if (found := [*self.faults(each)])]
        return len(faults), str(faults[0]) if faults else ""

    def cli(self) -> BenchmarkCli:
        return _Cli(self, self._answer["required"])


class _Cli(BenchmarkCli):
    """It takes the file of reference answers that organisers import, too."""

    def __init__(self, benchmark: Declared, fields: Sequence[str]) -> None:
        super().__init__(benchmark.load_references, fields)
        self._read = benchmark.read_ground_truth

    def references(self, arguments: Mapping[str, Any]) -> Mapping[str, HiddenReference]:
        if arguments["references"].is_dir():
            return super().references(arguments)
        options = {"slug": None, "board_version": None, **arguments}
        try:
            return self._read(options).references
        except GroundTruthInvalid as error:
            raise Failure(FAULT, str(error)) from None


def _may_quote(problem: Problem) -> bool:
    """Return whether a message may quote an answer: it is not ours, and has more than words and numbers."""
    values = getattr(problem.message, "values", {"": ""}).values()
    return not problem.code.startswith(_OURS) and any(isinstance(value, str) for value in values)


def _labels_of(references: Mapping[str, DeclaredRow], part: Mapping[str, Any]) -> dict[str, str]:
    """Return task id -> label in a breakdown, or in clusters, without tasks that have none.

    References that were imported by another declaration may have labels that this one lacks.
    """
    name = field_of(part)
    labels = {key: str(each.fields[name]).strip() for key, each in references.items() if name in each.fields}
    return {task: label for task, label in labels.items() if label in part.get("groups", (label,))}


def _about(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the benchmark says of itself."""
    match, texts = rules["match"], _TEXTS["graded"]
    graded = [texts[match["kind"]].format(**match), texts["any_of"] * match["any_of"]]
    graded += [texts[part].format(**rules[part]) for part in ("extract", "judge") if part in rules]
    return {
        "asks": list(filter(None, map(str.strip, re.split(r"\n\s*\n", rules["description"])))),
        "graded": [*filter(None, graded), texts["missing"]],
        "caveats": rules["caveats"],
        "works": [rules["source"]] if "source" in rules else [],
    }


def _metrics(rules: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each metric, then the one that its range or its tasks need."""
    texts = _TEXTS["metrics"]
    for number, each in enumerate(rules["metrics"]):
        is_judged = number == 0 and "judge" in rules
        metric = texts["judged" if is_judged else each["kind"]] | each
        share = f"{metric['key']}_share"
        yield metric | ({"over_key": share} if each["kind"] == "mean" else {})
        if is_judged:
            yield texts["upper"] | {"label": f"{metric['label']} {texts['upper']['label']}"}
        elif each["kind"] == "mean":
            yield texts["share"] | {"key": share, "label": f"{metric['label']}: tasks with a number"}
