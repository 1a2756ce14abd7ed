"""The codes of the problems and warnings that only a log of inspect_ai can have."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class LogCode(ProblemCode):
    """What is wrong with the file; what is wrong with its samples has the codes of every log."""

    VERSION = (
        "inspect.version",
        "The log of inspect_ai is of a version other than 2, the one that is read.",
        phrase(
            "Write it with a release of inspect_ai that writes version 2 (0.3 does), or convert it with one: "
            "inspect log convert FILE --to json --output-dir ."
        ),
    )
    DAMAGED = (
        "inspect.damaged",
        "The log of inspect_ai cannot be read to its end.",
        phrase("Send the log as inspect_ai wrote it, complete and unchanged."),
    )
    ZSTANDARD = (
        "inspect.zstandard",
        "The log is compressed with Zstandard, which this installation cannot read; the service can.",
        phrase(
            "Install it (pip install backports.zstd), or write the log as JSON: inspect log convert FILE "
            "--to json --output-dir ."
        ),
    )
    TOO_LARGE = (
        "inspect.too-large",
        "The log of inspect_ai is larger than the limit once unpacked, or lists too many files.",
        phrase(
            "Run the benchmark with fewer events in the log (--no-log-images, and without --log-model-api)."
        ),
    )
    NO_SAMPLES = (
        "inspect.no-samples",
        "The log of inspect_ai holds no samples.",
        phrase("Run the evaluation with its samples logged, and send the whole log, not its header."),
    )
    SAMPLE_INVALID = (
        "inspect.sample-invalid",
        "A sample of the log is not an object with an `id` and an `epoch`.",
        phrase("Send the log as inspect_ai wrote it, complete and unchanged."),
    )
    SEVERAL = (
        "inspect.several-logs",
        "The logs of the archive are neither parts of one run, nor complete runs, nor retries after errors.",
        phrase("Send only the logs that count: of each run one log, or logs without a sample in common."),
    )
