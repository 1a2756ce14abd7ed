"""What each format of a log is called within a sentence."""

from collections.abc import Mapping
from types import MappingProxyType

from wardboard.scoring.reading.formats.atif.trajectories import ATIF
from wardboard.scoring.reading.formats.attempts import ATTEMPT_LINES
from wardboard.scoring.reading.formats.harbor.jobs import HARBOR_JOB
from wardboard.scoring.reading.formats.harbor.slices import HARBOR_SLICES
from wardboard.scoring.reading.formats.inspect_log import INSPECT_LOG
from wardboard.scoring.reading.formats.lm_eval import LM_EVAL_SAMPLES
from wardboard.scoring.reading.formats.openai.logs import OPENAI_BATCH, OPENAI_CHAT, OPENAI_RESPONSES
from wardboard.scoring.reading.formats.verifiers.results import VERIFIERS_RESULTS
from wardboard.scoring.reading.formats.verifiers.traces import VERIFIERS_TRACES

LOG_NAMES: Mapping[str, str] = MappingProxyType(
    {
        INSPECT_LOG: "a log of inspect_ai",
        HARBOR_JOB: "a job of Harbor",
        HARBOR_SLICES: "trials of Harbor with many tasks each",
        ATIF: "trajectories (ATIF)",
        VERIFIERS_RESULTS: "verifiers results",
        VERIFIERS_TRACES: "verifiers traces",
        OPENAI_CHAT: "OpenAI chat messages",
        OPENAI_RESPONSES: "OpenAI responses",
        OPENAI_BATCH: "OpenAI batch output",
        LM_EVAL_SAMPLES: "lm-eval samples",
        ATTEMPT_LINES: "a run of a log",
    }
)
