"""Read an archive of trajectories in ATIF, one or several of each attempt."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.atif.model import Placed, Trajectory
from wardboard.scoring.reading.formats.atif.trajectories import attempts_of
from wardboard.scoring.reading.formats.attempts import Attempt
from wardboard.scoring.reading.formats.folders import Folder, steps_of
from wardboard.scoring.reading.formats.systems import has_several_systems
from wardboard.scoring.reading.limits import KIB

_MARK = b'"ATIF-v'
_HEAD = 64 * KIB
_MOST_LOADED = 5  # how often other files may take one into their attempts


def holds_trajectories(folder: Folder) -> bool:
    """Return whether one of the first five JSON files begins like a trajectory."""
    names = sorted(name for name in folder.names if name.endswith(".json"))
    return any(_MARK in folder.head(name, _HEAD) for name in names[:5])


def attempts_of_trajectories(folder: Folder, findings: Findings) -> Iterator[Attempt]:
    """Yield the attempts of all trajectories to which no other refers. Raises Unreadable."""
    names = [name for name in sorted(folder.names) if name.endswith(".json")]
    names = [name for name in names if _MARK in folder.head(name, _HEAD)]
    folder.left_out += sorted(set(folder.names) - set(names))
    referred = _referred(folder, names, findings)

    def trajectories() -> Iterator[tuple[Findings, str, Trajectory | None]]:
        for name in names:
            findings.check_time()
            here = findings.at(*steps_of(name))
            if name not in referred:
                yield here, name, folder.struct(name, Trajectory, here)

    systems = dict[str, tuple[str, str]]()
    known = Counter(dict.fromkeys(folder.names, _MOST_LOADED))
    for attempt in attempts_of(trajectories(), partial(_load, folder, findings, known)):
        systems["/".join(map(str, attempt.place))] = (attempt.facts.harness, attempt.facts.model)
        yield attempt
    has_several_systems(systems, findings)


def _referred(folder: Folder, names: Sequence[str], findings: Findings) -> set[str]:
    """Return those of `names` to which another trajectory refers: they are parts of its attempt."""
    referred: set[str] = set()
    for name in names if len(names) > 1 else ():
        findings.check_time()
        if found := folder.struct(name, Trajectory, findings.discarded()):
            referred.update(path for each in _references(found) if (path := _beside(name, each)) != name)
    return referred


def _references(trajectory: Trajectory) -> Iterator[str]:
    """Yield the names of the files to which a trajectory refers."""
    found = [each for step in trajectory.steps for result in step.results for each in result.references]
    yield from filter(None, [trajectory.continued_trajectory_ref, *(each.trajectory_path for each in found)])


def _beside(name: str, reference: str) -> str:
    """Return the name of a file to which the trajectory in the file `name` refers."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), reference))


def _load(folder: Folder, findings: Findings, left: Counter[str], name: str, reference: str) -> Placed | None:
    """Return the trajectory to which the one in the file `name` refers. left: file -> loads that are left."""
    path = _beside(name, reference)
    if left[path] <= 0:
        return None
    left[path] -= 1
    trajectory = folder.struct(path, Trajectory, findings.at(*steps_of(path)))
    # The place of the attempt is that of its first file.
    return (steps_of(reference), trajectory) if trajectory else None
