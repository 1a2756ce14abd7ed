"""Add a public result file to those that the organisers are shown: its digests, and where it is.

`python -m tools.public_files BENCHMARK FILE ADDRESS` writes `public_files.json` of the benchmark.
"""

import argparse
import json
from io import BytesIO
from pathlib import Path

from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.runs import encode_answer, public_digest

_SCORING = Path(__file__).parent.parent / "scoring"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", help="medagentbench, for example")
    parser.add_argument("file", type=Path)
    parser.add_argument("address", help="of the file on the web, at a fixed commit")
    options = parser.parse_args()
    path = _SCORING / options.benchmark.replace("-", "_") / "public_files.json"
    files = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    files[options.address] = digest_file(registry.get(options.benchmark), options.file.read_bytes())
    lines = [f"{json.dumps(address)}: {json.dumps(digests)}" for address, digests in sorted(files.items())]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def digest_file(benchmark: Benchmark, content: bytes) -> dict[str, str]:
    """Return task id -> digest of its answer, of a result file with a list of `results`.

    Raises SubmissionInvalid.
    """
    kept, version = BytesIO(), benchmark.cli().stated_version(BytesIO(content))
    tasks = [result["task_id"] for result in json.loads(content)["results"]]
    benchmark.read(BytesIO(content), task_ids=tasks, version=version, limits=benchmark.limits, keep=kept)
    kept.seek(0)
    answers = [(each.task_id, encode_answer(benchmark, each)) for each in benchmark.records(kept)]
    return {task: public_digest(text) for task, text in answers if text is not None}


if __name__ == "__main__":
    main()
