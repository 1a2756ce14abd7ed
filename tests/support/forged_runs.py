"""The runs of the demo, in which one response of the FHIR server states another date of birth."""

from wardboard.scoring.medagentbench.demo import RUNS

FORGED_REQUEST = "Patient?identifier=S9100001"
TRUE_DATE, FORGED_DATE = "1982-09-10", "1951-07-23"


def forged_runs() -> bytes:
    """Return the file. The forged response is to the second message of task2_1."""
    lines = RUNS.read_text().splitlines()
    (place,) = (n for n, line in enumerate(lines) if FORGED_REQUEST in line and "How old is" in line)
    lines[place] = lines[place].replace(TRUE_DATE, FORGED_DATE)
    assert FORGED_DATE in lines[place]
    return "\n".join(lines).encode()
