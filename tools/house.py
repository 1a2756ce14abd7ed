"""Print the shape of the code and fail where it breaks a limit of the house: python3 tools/house.py [ROOT]

Reads the sources under ROOT (by default this checkout) without importing them, so it needs Python alone.
docs/development.md explains the limits. The exit code is 1 when one of them is broken.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("leaderboard", "scoring", "wardboard", "tools")
# Listed with the others, but bound by no limit: a test is found by the module that it tests.
LISTED_ONLY = ("bench", "tests")
# Django writes these, and nobody opens them to find something.
GENERATED = ("leaderboard/migrations",)
# Django finds each migration and each command as a module of its own in one folder.
MODULES_EACH = ("leaderboard/migrations", "leaderboard/management/commands")

MOST_MODULES_IN_FOLDER = 14
# A fact, filter or column is declared by a call of one of these, and named in few other modules.
DECLARATIONS = frozenset({"Fact", "Filter", "Column"})
MOST_MODULES_WITH_KEY = 4
MOST_WIDESPREAD_KEYS = 4
MOST_FUNCTIONS_WITH_BOARD_AND_MOMENT = 4
BOARD_NAMES = frozenset({"board", "Board"})
MOMENT_NAMES = frozenset({"as_of", "moment", "AsOf", "Moment"})
# The packages under the contracts of pyproject.toml, which see no import by a name in a text, and of the
# standard library only whole packages: `urllib.parse` and `urllib.request` are the same to them.
UNDER_CONTRACT = ("leaderboard", "scoring", "wardboard")
UNSEEN_MODULES = (
    *("imp", "importlib", "pkgutil", "runpy", "zipimport", "django.utils.module_loading"),
    *("http.client", "urllib.request"),
)
UNSEEN_NAMES = frozenset({"__import__", "eval", "exec", "import_module", "import_string"})
# The only module that imports what installed distributions name, and what it does so with.
PLUGINS_DOOR = Path("scoring/registry/plugins.py")
PLUGINS_FINDER = ("importlib.metadata.EntryPoint", "importlib.metadata.entry_points")
# The only module that reads the hidden references of a revision.
REFERENCES_DOOR = Path("leaderboard/services/judging/references.py")
# The modules that decide who may do what, and what only they ask of a person.
RIGHTS_DOORS = (Path("leaderboard/services/access.py"), Path("leaderboard/admin.py"))
RIGHTS = frozenset({"has_perm", "has_perms", "has_module_perms", "organised_by", "organises"})
# What a template would ask of a person to decide itself.
RIGHTS_IN_TEMPLATE = re.compile(
    r"\bperms\b|\buser\.(?:is_staff|is_superuser|has_\w*perm|organis|may_|can_)\w*"
)
REFERENCES_COLUMN = "content"
REFERENCES_PARSER = "load_references"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Hold what a part of the code may cost.

    name: what developers call it.
    prefixes: beginnings of the paths of its files; of several rooms, the one with the longest takes a file.
    budget: lines of Python that it may have, migrations left out.
    """

    name: str
    prefixes: tuple[str, ...]
    budget: int


def _services(*names: str) -> tuple[str, ...]:
    return tuple(f"leaderboard/services/{name}" for name in names)


# A ratchet: a commit that makes a room smaller lowers its budget, and none raises one without a reason.
ROOMS = (
    Room(name="scoring/medagentbench", prefixes=("scoring/medagentbench/",), budget=4_740),
    Room(name="scoring/fhir_agentbench without judge", prefixes=("scoring/fhir_agentbench/",), budget=3_405),
    Room(name="scoring/fhir_agentbench/judge", prefixes=("scoring/fhir_agentbench/judge/",), budget=4_380),
    Room(name="scoring/reading", prefixes=("scoring/reading/",), budget=9_220),
    Room(name="scoring: the rest", prefixes=("scoring/",), budget=6_225),
    Room(name="wardboard", prefixes=("wardboard/",), budget=5_085),
    Room(
        name="services: what reads a leaderboard",
        prefixes=_services(
            *("boards/", "rows/", "statistics/", "charts/", "exports/", "pictures/", "visibility.py")
        ),
        budget=7_630,
    ),
    Room(
        name="services: what changes a leaderboard",
        prefixes=_services(
            *("submissions/", "files/", "judging/", "publishing/", "traces/", "doubts/", "drafts/")
        ),
        budget=8_725,
    ),
    Room(name="services: the rest", prefixes=("leaderboard/services/",), budget=7_145),
    Room(name="web", prefixes=("leaderboard/web/",), budget=9_200),
    Room(name="api, http", prefixes=("leaderboard/api/", "leaderboard/http/"), budget=5_185),
    Room(name="leaderboard: the rest", prefixes=("leaderboard/",), budget=6_290),
    Room(name="tests", prefixes=("tests/",), budget=45_950),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Hold how many lines of text, that is no Python, there may be.

    name: what developers call it.
    patterns: of the paths of its files, from the root.
    budget: as that of a room.
    """

    name: str
    patterns: tuple[str, ...]
    budget: int


class Budget(NamedTuple):
    """How many lines a part has, and how many it may have."""

    name: str
    lines: int
    most: int


SHELVES = (
    Shelf(name="templates", patterns=("templates/**/*.*",), budget=8_035),
    Shelf(
        name="documents in all languages",
        patterns=("README.md", "CHANGELOG.md", "docs/**/*.md"),
        budget=4_800,
    ),
)
# The variables by which operators set a service, as leaderboard/env.py reads them.
MOST_VARIABLES = 60
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
# The rooms that users run: leaderboard, scoring and wardboard, in sum.
PRODUCT = ("leaderboard/", "scoring/", "wardboard/")
PRODUCT_BUDGET = 77_200


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """Hold a parsed file.

    path: from the root of the checkout.
    module: its dotted name.
    lines: how many it has.
    tree: its syntax tree.
    """

    path: Path
    module: str
    lines: int
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.path.parent.as_posix()

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def is_generated(self) -> bool:
        return self.folder in GENERATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Hold what one limit says: at most `limit` findings, each a line of text."""

    title: str
    findings: Sequence[str]
    limit: int = 0

    @property
    def is_broken(self) -> bool:
        return len(self.findings) > self.limit


def read_sources(root: Path, packages: Iterable[str]) -> list[SourceFile]:
    """Return the parsed Python files of `packages` under `root`, sorted by path.

    Raises SyntaxError for a file that is not Python.
    """
    sources = []
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            relative = path.relative_to(root)
            name = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
            sources.append(
                SourceFile(
                    path=relative,
                    # `wardboard/scoring` is a link to the folder at the top.
                    module=f"wardboard.{name}" if package == "scoring" else name,
                    lines=len(text.splitlines()),
                    tree=ast.parse(text, filename=str(relative)),
                )
            )
    return sources


def folder_sizes(sources: Iterable[SourceFile]) -> dict[str, tuple[int, int]]:
    """Return the number of modules and of lines of each folder.

    An `__init__.py` is not a module here: nobody looks for it by its name. Its lines count.
    """
    sizes: dict[str, tuple[int, int]] = {}
    for source in sources:
        modules, lines = sizes.get(source.folder, (0, 0))
        sizes[source.folder] = (modules + (not source.is_package), lines + source.lines)
    return sizes


def imports(sources: Sequence[SourceFile]) -> dict[str, set[str]]:
    """Return the modules of `sources` that each imports, at its top or inside a function.

    `import a.b.c` counts as c alone, though Python runs a and a.b too: a package may re-export its parts.
    """
    modules = {source.module for source in sources}
    graph = {}
    for source in sources:
        names = (name for node in ast.walk(source.tree) for name in _imported_names(node, source))
        targets = {_known_module(name, modules) for name in names}
        graph[source.module] = {target for target in targets if target and target != source.module}
    return graph


def _imported_names(node: ast.AST, source: SourceFile) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        origin = node.module or ""
        if node.level:
            parts = source.module.split(".")
            kept = len(parts) - node.level + source.is_package
            origin = ".".join([*parts[:kept], *filter(None, [node.module])])
        yield from (f"{origin}.{alias.name}" for alias in node.names)


def _known_module(name: str, modules: set[str]) -> str:
    """Return the longest part of the dotted `name` that is a module, or an empty string."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or not, the largest first."""
    reach = {module: _reachable(module, graph) for module in graph}
    groups = {
        tuple(sorted(other for other in reach[module] if module in reach[other]))
        for module in graph
        if module in reach[module]
    }
    return [list(group) for group in sorted(groups, key=lambda group: (-len(group), group))]


def _reachable(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Return the modules that imports lead to from `start`; `start` itself only by a circle."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    return reached


def functions_with_board_and_moment(sources: Iterable[SourceFile]) -> list[str]:
    """Return the functions that take a board and a moment, not one value with both.

    A parameter counts by its name or by a class in its annotation.
    """
    return [
        f"{source.path}:{node.lineno} {node.name}"
        for source in sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _takes(node, BOARD_NAMES)
        and _takes(node, MOMENT_NAMES)
    ]


def _takes(function: ast.FunctionDef | ast.AsyncFunctionDef, names: frozenset[str]) -> bool:
    arguments = function.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        annotation = ast.walk(parameter.annotation) if parameter.annotation else ()
        classes = {node.id for node in annotation if isinstance(node, ast.Name)}
        if names & {parameter.arg, *classes}:
            return True
    return False


def unseen_imports(sources: Iterable[SourceFile]) -> list[str]:
    """Return the imports that a contract cannot see: by name, or of a client inside a standard package."""
    return [
        f"{source.path}:{line} {name}"
        for source in sources
        if source.path.parts[0] in UNDER_CONTRACT
        for line, name in sorted(_unseen_in(source))
        if not (source.path == PLUGINS_DOOR and name in PLUGINS_FINDER)
    ]


def _unseen_in(source: SourceFile) -> Iterator[tuple[int, str]]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in _imported_names(node, source):
                if any(f"{name}.".startswith(f"{module}.") for module in UNSEEN_MODULES):
                    yield node.lineno, name
        # `getattr(builtins, "__import__")` counts too; a method may be called `eval` or `exec`.
        elif isinstance(node, ast.Name) and node.id in UNSEEN_NAMES:
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and node.attr in UNSEEN_NAMES - {"eval", "exec"}:
            yield node.lineno, node.attr
        elif isinstance(node, ast.Constant) and node.value == "__import__":
            yield node.lineno, "__import__"


def reference_readers(sources: Iterable[SourceFile]) -> list[str]:
    """Return where the service reads hidden references, but for the one module that may.

    This is where it parses references, reads an attribute `content` of anything but a response or a token of
    a document, or names the column to a function. Deferring the column reads nothing, and importing
    references only writes it.
    """
    return [
        f"{source.path}:{line}"
        for source in sources
        if source.path.parts[0] == "leaderboard" and source.path != REFERENCES_DOOR
        for line in sorted(
            {
                node.lineno
                for node in ast.walk(source.tree)
                if isinstance(node, ast.Attribute | ast.Call) and _reads_references(node)
            }
        )
    ]


def _reads_references(node: ast.Attribute | ast.Call) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="response" | "token"), attr="content"):
            return False
        case ast.Attribute(attr=name):
            return name in (REFERENCES_COLUMN, REFERENCES_PARSER)
        case ast.Call(func=ast.Attribute(attr="defer")):
            return False
        case ast.Call(args=args):
            texts = (arg.value for arg in args if isinstance(arg, ast.Constant))
            return any(str(text).split("__")[-1] in (REFERENCES_COLUMN, REFERENCES_PARSER) for text in texts)
    return False


def right_deciders(sources: Iterable[SourceFile]) -> list[str]:
    """Return where the service decides who may do what, but for the two modules that may."""
    return [
        f"{source.path}:{line} {name}"
        for source in sources
        if source.path.parts[0] == "leaderboard" and source.path not in RIGHTS_DOORS
        for line, name in sorted(
            (node.lineno, node.attr)
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Attribute) and node.attr in RIGHTS
        )
    ]


def right_deciders_in_templates(root: Path) -> list[str]:
    """Return the lines of the templates under `root` that ask what a person may do."""
    return [
        f"{path.relative_to(root)}:{number} {found.group()}"
        for path in sorted((root / "templates").rglob("*.*"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for found in RIGHTS_IN_TEMPLATE.finditer(line)
    ]


def widespread_keys(sources: Sequence[SourceFile]) -> list[str]:
    """Return the keys of facts, filters and columns that too many modules name, each with their number.

    Only a key with an underscore counts, such as `task_memory`: one like `runs` is a word of other things.
    """
    declared = {
        str(keyword.value.value)
        for source in sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DECLARATIONS
        for keyword in node.keywords
        if keyword.arg in ("key", "stored_as") and isinstance(keyword.value, ast.Constant)
    }
    keys = {key for key in declared if "_" in key}
    modules: dict[str, set[str]] = {key: set() for key in keys}
    for source in sources:
        if source.path.parts[0] in UNDER_CONTRACT and not source.is_generated:
            for name in {name for node in ast.walk(source.tree) for name in _names_in(node)} & keys:
                modules[name].add(source.module)
    return [
        f"{key}: {len(modules[key])} modules"
        for key in sorted(keys)
        if len(modules[key]) > MOST_MODULES_WITH_KEY
    ]


def _names_in(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(name)) | ast.Attribute(attr=name) | ast.Name(id=name):
            yield name
        case ast.keyword(arg=str(name)):
            yield name


def read_contracts(root: Path) -> list[dict[str, Any]]:
    """Return the contracts of imports in pyproject.toml; none without that file."""
    path = root / "pyproject.toml"
    settings = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    contracts: list[dict[str, Any]] = settings.get("tool", {}).get("importlinter", {}).get("contracts", [])
    return contracts


def benchmarks_without_contracts(
    sources: Iterable[SourceFile], contracts: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the benchmarks, folders of `scoring`, that a contract leaves out.

    A contract that forbids one benchmark must forbid all, and each must have the order of its own folders.
    """
    benchmarks = sorted(
        source.module.removesuffix(".benchmark")
        for source in sources
        if source.path.match("scoring/*/benchmark.py")
    )
    forbidding = [
        each for each in contracts if not set(benchmarks).isdisjoint(each.get("forbidden_modules", ()))
    ]
    left_out = [
        f"{benchmark}: not in the contract {contract['name']!r}"
        for benchmark in benchmarks
        for contract in forbidding
        if benchmark not in contract["forbidden_modules"]
    ]
    ordered = {name for contract in contracts for name in contract.get("containers", ())}
    return left_out + [
        f"{benchmark}: no contract for its folders" for benchmark in benchmarks if benchmark not in ordered
    ]


def large_folders(sources: Iterable[SourceFile]) -> list[str]:
    """Return the folders with too many modules, but for those where Django wants one for each thing."""
    return [
        f"{folder}: {modules} modules"
        for folder, (modules, _) in folder_sizes(sources).items()
        if modules > MOST_MODULES_IN_FOLDER and folder not in MODULES_EACH
    ]


def check(sources: Sequence[SourceFile], contracts: Sequence[Mapping[str, Any]] = ()) -> list[Check]:
    """Return every check of the house on `sources` and the contracts of their imports."""
    return [
        Check(
            title="Circles of imports",
            findings=[" <-> ".join(circle) for circle in circles(imports(sources))],
        ),
        Check(
            title="Functions that take a board and a moment",
            findings=functions_with_board_and_moment(sources),
            limit=MOST_FUNCTIONS_WITH_BOARD_AND_MOMENT,
        ),
        Check(
            title=f"Folders of more than {MOST_MODULES_IN_FOLDER} modules",
            findings=large_folders(sources),
        ),
        Check(
            title=f"Keys of facts, filters and columns in more than {MOST_MODULES_WITH_KEY} modules",
            findings=widespread_keys(sources),
            limit=MOST_WIDESPREAD_KEYS,
        ),
        Check(title="Imports that no contract sees", findings=unseen_imports(sources)),
        Check(title=f"Readers of references beside {REFERENCES_DOOR}", findings=reference_readers(sources)),
        Check(
            title=f"Rights decided beside {' and '.join(map(str, RIGHTS_DOORS))}",
            findings=right_deciders(sources),
        ),
        Check(title="Environment variables", findings=variables(sources), limit=MOST_VARIABLES),
        Check(
            title="Benchmarks that a contract leaves out",
            findings=benchmarks_without_contracts(sources, contracts),
        ),
    ]


def room_sizes(sources: Iterable[SourceFile], rooms: Sequence[Room] = ROOMS) -> dict[Room, int]:
    """Return the lines of each room. A file of no room counts nowhere, and neither does generated code."""
    owners = sorted(
        ((prefix, room) for room in rooms for prefix in room.prefixes), key=lambda owner: -len(owner[0])
    )
    sizes = dict.fromkeys(rooms, 0)
    for source in sources:
        path = source.path.as_posix()
        room = next((room for prefix, room in owners if path.startswith(prefix)), None)
        if room and not source.is_generated:
            sizes[room] += source.lines
    return sizes


def product_size(sizes: Mapping[Room, int]) -> int:
    """Return the lines of the rooms that users run."""
    return sum(lines for room, lines in sizes.items() if room.prefixes[0].startswith(PRODUCT))


def shelf_sizes(root: Path, shelves: Sequence[Shelf] = SHELVES) -> dict[Shelf, int]:
    """Return the lines of each shelf of the checkout at `root`."""
    return {
        shelf: sum(
            len(path.read_text(encoding="utf-8").splitlines())
            for pattern in shelf.patterns
            for path in root.glob(pattern)
        )
        for shelf in shelves
    }


def variables(sources: Iterable[SourceFile]) -> list[str]:
    """Return the names of the environment variables that the service reads, sorted."""
    nodes = (
        node for source in sources if source.path.parts[0] == "leaderboard" for node in ast.walk(source.tree)
    )
    return sorted({name for node in nodes if (name := _variable_of(node))})


def _variable_of(node: ast.AST) -> str | None:
    """Return the variable that a call of `env` reads; None of any other node."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="env")), args=[ast.Constant(value=str(name)), *_]):
            return name if VARIABLE.fullmatch(name) else None
    return None


def budgets(
    sizes: Mapping[Room, int], shelves: Mapping[Shelf, int], product_budget: int = PRODUCT_BUDGET
) -> list[Budget]:
    """Return what each room has, their sum, and what each shelf has."""
    parts: list[tuple[Room | Shelf, int]] = [*sizes.items(), *shelves.items()]
    rows = [Budget(part.name, lines, part.budget) for part, lines in parts]
    rows.append(Budget("the product, without migrations and tests", product_size(sizes), product_budget))
    return rows


def over_budget(rows: Iterable[Budget]) -> list[str]:
    """Return what has more lines than it may."""
    return [f"{row.name}: {row.lines} lines, {row.most} allowed" for row in rows if row.lines > row.most]


def budget_lines(rows: Iterable[Budget]) -> Iterator[str]:
    """Yield the lines of a table: each budget with what there is and what there may be."""
    yield f"{'room':48} {'lines':>8} {'budget':>8}"
    for row in rows:
        yield f"{row.name:48} {row.lines:8} {row.most:8}"


def folder_lines(sources: Iterable[SourceFile]) -> Iterator[str]:
    """Yield the lines of a table: each folder with its number of modules and of lines."""
    yield f"{'folder':48} {'modules':>8} {'lines':>8}"
    for folder, (modules, lines) in folder_sizes(sources).items():
        yield f"{folder:48} {modules:8} {lines:8}"


def check_lines(check: Check) -> Iterator[str]:
    """Yield the title of a check with its verdict, then its findings."""
    verdict = "BROKEN" if check.is_broken else "ok"
    yield f"{check.title}: {len(check.findings)} (at most {check.limit}): {verdict}"
    yield from (f"  {finding}" for finding in check.findings)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report and return 1 when a limit is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--quiet", action="store_true", help="print broken limits only")
    options = parser.parse_args(arguments)
    sources = read_sources(options.root, PACKAGES)
    listed = [*sources, *read_sources(options.root, LISTED_ONLY)]
    rows = budgets(room_sizes(listed), shelf_sizes(options.root))
    if not options.quiet:
        print("\n".join([*folder_lines(listed), "", *budget_lines(rows), ""]))
    checks = [
        *check(sources, read_contracts(options.root)),
        Check(title="Templates that decide a right", findings=right_deciders_in_templates(options.root)),
        Check(title="Rooms over their budget", findings=over_budget(rows)),
    ]
    for each in checks:
        if each.is_broken or not options.quiet:
            print("\n".join(check_lines(each)))
    return int(any(each.is_broken for each in checks))


if __name__ == "__main__":
    sys.exit(main())
