"""A pytest plugin: a test that passed is not run again while what it depends on is the same.

`tests/evidence.json` holds a key for each test module of which every test passed: a hash of the
files that their outcome can depend on (`tests.inputs`) and of the tools. A slow test has a line of
its own where its key is narrower, or where not all of its module passed. A result *holds* while one
of its keys is what it would be now. Of the results that hold, one in 20 is run all the same,
drawn from the run's seed.

    --evidence=hold    what holds is left out but for the sample; nothing is written (`make test`)
    --evidence=update  what holds is left out; what passed is written down (`make evidence`)
    --evidence=all     everything is run, and what passed is written down (`make test-all`)

Without the option every test is run. With CI set, a line of the manifest counts only if it stands
in the manifest of the base commit too: the commit that LDP_VERIFIED_BASE names, else where the
branch left origin/main. So a submission cannot bring its own evidence. On main itself there is no
base, and the manifest is taken as it is.

A run that writes does so once a minute, with each module of which all tests have passed by then:
what was cut off begins where it stopped.

A run of one folder that other runs leave out (`tests/on_devices`) reads and writes its own lines
alone, and keeps all others. Keys of what compiles clients hold the versions of compilers, too.

Nothing that failed or was skipped is recorded. Tests that look at the whole checkout (`NEVER`) are
always run. A statistical test that passed with fresh random numbers is evidence about the same
sources, as any other test; in the random sample it draws fresh numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from tests.inputs import MANIFEST, TESTS, Checkout
from tests.one_mechanism import of_one_mechanism
from tests.tools import ON_DEVICES, options, tools, used_tools

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NEVER = ("tests/repository/", "tests/package/")
MODES = ("hold", "update", "all")
ONE_IN = 20
"""Of so many results that hold one is redone at random: of all, two hours of tests, six minutes."""
SLOW_S = 0.5
"""A result that took less is not worth a line of its own."""
PAUSE_S = 60.0
"""Seconds between two times that a run writes."""

HELD, CHANGED, UNBELIEVED, SAMPLED = "held", "changed", "unbelieved", "sampled"
MARKER = (
    "evidence(of): of the catalogue, the test depends on nothing but the mechanism that its "
    "parameter with this name is, or is the name of"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("evidence")
    group.addoption("--evidence", choices=MODES, help="what recorded results are used for")
    group.addoption("--evidence-slow", type=float, default=SLOW_S, help="seconds worth a line")
    group.addoption("--evidence-pause", type=float, default=PAUSE_S, help="seconds between writes")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and take part in the run if asked to."""
    config.addinivalue_line("markers", MARKER)
    if config.getoption("evidence"):
        config.pluginmanager.register(Evidence(config), "evidence of this run")


def read_manifest(text: str) -> dict[str, dict[str, str]]:
    """The tools and the results of a manifest.

    Raises:
        pytest.UsageError: it is not one.
    """
    try:
        found = json.loads(text)
        parts = {part: dict(found[part]) for part in ("tools", "results")}
    except (ValueError, KeyError, TypeError) as error:
        raise pytest.UsageError(f"{MANIFEST}: is no manifest of evidence: {error!r}") from error
    if not all(isinstance(each, str) for part in parts.values() for each in part.values()):
        raise pytest.UsageError(f"{MANIFEST}: is no manifest of evidence: holds more than text")
    return parts


def base_results(root: Path) -> dict[str, str] | None:
    """The results in the manifest of the base commit; None where no commit is the base.

    Raises:
        pytest.UsageError: LDP_VERIFIED_BASE names no commit.
    """
    given = os.environ.get("LDP_VERIFIED_BASE")
    if (root / ".git").exists() and _git(root, "rev-parse", "HEAD") is None:
        return {}  # git does not answer, so nothing is known of the base
    base = _git(root, "merge-base", "HEAD", given or "origin/main")
    if given and base is None:
        raise pytest.UsageError(f"LDP_VERIFIED_BASE: must name a commit with our past: {given!r}")
    if base is None or (not given and base == _git(root, "rev-parse", "HEAD")):
        return None
    text = _git(root, "show", f"{base}:{MANIFEST}")
    return read_manifest(text)["results"] if text else {}


def _git(root: Path, *arguments: str) -> str | None:
    if not (root / ".git").exists() or not shutil.which("git"):
        return None
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def in_sample(seed: str, name: str) -> bool:
    """Return whether a run with this seed repeats this test although its result holds."""
    digest = hashlib.sha256(f"{seed}:{name}".encode()).digest()
    return int.from_bytes(digest) % ONE_IN == 0


def module_of(name: str) -> str:
    """Return the module of a test."""
    return name.split("::")[0]


class Keys:
    """The key of each test: the content of all that it can depend on, and the tools."""

    def __init__(self, root: Path, digests: dict[str, str], found: dict[str, str]) -> None:
        self.checkout = Checkout(root)
        self.digests = digests
        self.tools = found
        self.options = options(root)

    def used(self, module: str) -> str:
        """The tools and settings that tests of a module run with, as text."""
        return json.dumps([used_tools(self.tools, module), self.options], sort_keys=True)

    def of_module(self, module: str) -> str:
        """The key of the tests of a module, if nothing narrows it."""
        if module not in self.digests:
            inputs = self.checkout.inputs(module)
            self.digests[module] = self.checkout.digest(inputs, self.used(module))
        return self.digests[module]

    def of_item(self, item: pytest.Item) -> str | None:
        """The key of a test; None where it has to be run always."""
        root = self.checkout.root
        if not item.path.is_relative_to(root):
            return None
        module = item.path.relative_to(root).as_posix()
        if not module.startswith(TESTS + "/") or module.startswith(NEVER):
            return None
        marker = item.get_closest_marker("evidence")
        if marker is None:
            return self.of_module(module)
        assert isinstance(item, pytest.Function)  # the marker stands at parametrised functions only
        given: Any = item.callspec.params[marker.kwargs["of"]]
        name = getattr(given, "name", given)
        paths = of_one_mechanism(self.checkout, self.checkout.inputs(module), name)
        return self.checkout.digest(paths, self.used(module))


class Evidence:
    """The use of recorded results in one run, or in one of its worker processes."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.mode = config.getoption("evidence")
        self.root = config.rootpath
        self.worker = getattr(config, "workerinput", None)
        path = self.root / MANIFEST
        text = path.read_text(encoding="utf-8") if path.is_file() else '{"tools":{},"results":{}}'
        self.recorded = read_manifest(text)
        self.base = base_results(self.root) if os.environ.get("CI") else None
        handed = self.worker["evidence"] if self.worker else {}
        self.tools = handed["tools"] if handed else tools(self.root)
        self.keys = Keys(self.root, handed.get("digests", {}), self.tools)
        self.key_of: dict[str, str] = {}
        self.did: Counter[str] = Counter()
        self.kept: list[str] = []
        self.collected: set[str] = set()
        self.ended = False
        self.seconds: dict[str, float] = defaultdict(float)
        self.outcomes: dict[str, set[str]] = {}
        self.waiting: Counter[str] = Counter()
        self.whole: set[str] = set()
        self.written_at = time.time()

    def decide(self, name: str, key: str | None) -> str:
        """Return the decision on the recorded results of a test; empty if there is none."""
        recorded, module = self.recorded["results"], module_of(name)
        if key is None or self.mode == "all" or not {name, module} & recorded.keys():
            return ""
        now = {name: key, module: self.keys.of_module(module)}
        holds = [line for line, this in now.items() if recorded.get(line) == this]
        if not holds:
            return CHANGED
        if self.base is not None and not any(self.base.get(line) == now[line] for line in holds):
            return UNBELIEVED
        again = self.mode == "hold" and in_sample(os.environ.get("LDP_VERIFIED_SEED", ""), name)
        return SAMPLED if again else HELD

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what holds."""
        run: list[pytest.Item] = []
        held: list[pytest.Item] = []
        for item in items:
            key = self.keys.of_item(item)
            if key is not None:
                self.key_of[item.nodeid] = key
            what = self.decide(item.nodeid, key)
            self.did[what] += 1
            (held if what == HELD else run).append(item)
        self.collected = {item.nodeid for item in items}
        self.kept = [item.nodeid for item in held]
        if held:
            items[:] = run
            self.config.hook.pytest_deselected(items=held)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand the tools and the hashes of all test modules to a worker: they take seconds."""
        if not self.keys.digests:
            for path in self.keys.checkout.files.get(TESTS, ()):
                if re.search(r"/test_[^/]*\.py$", path) and not path.startswith(NEVER):
                    self.keys.of_module(path)
        node.workerinput["evidence"] = {"tools": self.tools, "digests": self.keys.digests}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker process collected; all collect the same."""
        sent = getattr(node, "workeroutput", {}).get("evidence")
        if sent:
            self.key_of, self.did, self.kept = sent["keys"], Counter(sent["did"]), sent["kept"]
            self.collected = {*sent["collected"]}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Note how many tests of each module are to run; all workers have the same."""
        self.waiting = self.waiting or Counter(map(module_of, ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test went; write down the modules that are done, if a minute has passed."""
        self.seconds[report.nodeid] += report.duration
        self.outcomes.setdefault(report.nodeid, set()).add(report.outcome)
        module = module_of(report.nodeid)
        if report.when != "teardown" or not self.waiting:
            return
        if self.outcomes[report.nodeid] == {"passed"}:
            self.waiting[module] -= 1
        if not self.waiting[module] and module in self.keys.digests:
            self.whole.add(module)
        pause = self.config.getoption("evidence_pause")
        if self.mode != "hold" and self.whole and time.time() >= self.written_at + pause:
            self.written_at = time.time()
            done = {m: self.keys.of_module(m) for m in self.whole if self.in_whole_folder(m)}
            self.save(self.recorded["results"] | done)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was collected, or judge and write the manifest."""
        if self.worker is not None:
            # xdist sets this attribute on a worker's Config, and pytest's type does not declare it.
            self.config.workeroutput["evidence"] = {  # type: ignore[attr-defined]  # set by xdist
                "keys": self.key_of,
                "did": dict(self.did),
                "kept": self.kept,
                "collected": sorted(self.collected),
            }
            return
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.kept:
            session.exitstatus = pytest.ExitCode.OK
        self.ended = session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
        if self.mode != "hold" and self.collected:
            self.write()

    def covers(self, name: str) -> bool:
        """Return whether this run would have collected a test, if there were one of this name."""
        return self.ended and self.in_whole_folder(name)

    def in_whole_folder(self, name: str) -> bool:
        """Return whether this run has all tests of a folder in which this one is."""
        option = self.config.option
        if option.keyword or option.markexpr or getattr(option, "deselect", None):
            return False
        start = self.config.invocation_params.dir
        given = [start / argument for argument in self.config.args]
        folders = [path.relative_to(self.root).as_posix() for path in given if path.is_dir()]
        above = [folder for folder in folders if name.startswith(f"{folder}/")]
        left_out = self.config.getini("norecursedirs")
        return any(
            not {*module_of(name).removeprefix(f"{folder}/").split("/")[:-1]} & {*left_out}
            for folder in above
        )

    def strangers(self) -> list[str]:
        """Lines of the manifest about tests that there are not."""
        if not self.collected:
            return []
        known = self.collected | {module_of(name) for name in self.collected}
        unknown = self.recorded["results"].keys() - known
        return sorted(name for name in unknown if self.covers(name))

    def passed(self) -> Iterable[str]:
        """Tests that were run and passed in each phase."""
        return (name for name, said in self.outcomes.items() if said == {"passed"})

    def lines(self) -> dict[str, str]:
        """Lines of the manifest: what still holds, and what was run and passed."""
        passed = {*self.passed()}
        now = {module: self.keys.of_module(module) for module in map(module_of, self.key_of)}
        missed = {module_of(name) for name in self.collected - passed - {*self.kept}}
        failed = {module_of(name) for name in self.outcomes.keys() - passed}
        whole = {m for m in now.keys() - missed if self.covers(m)}
        found = {module: now[module] for module in whole}
        for name, key in self.recorded["results"].items():
            module = module_of(name)
            if name == module:
                keeps = not self.covers(name) and name not in failed and now.get(name, key) == key
            elif name in self.collected:
                keeps = name not in self.outcomes and self.key_of.get(name) == key
            else:
                keeps = not self.covers(name)
            if keeps:
                found[name] = key
        slow = self.config.getoption("evidence_slow")
        found |= {
            name: self.key_of[name]
            for name in passed & self.key_of.keys()
            if self.seconds[name] >= slow
        }
        return {
            name: key
            for name, key in found.items()
            if name == module_of(name) or found.get(module_of(name)) != key
        }

    def write(self) -> None:
        """Write the manifest of the whole run."""
        self.save(self.lines())

    def save(self, results: dict[str, str]) -> None:
        """Write a manifest of these results; it is whole at any moment."""
        tools = self.tools | {
            # A run that these are no tools of may be on a machine that lacks them.
            name: self.recorded["tools"][name]
            for name in {*ON_DEVICES[1]} & self.recorded["tools"].keys()
            if self.tools.get(name, "none") == "none"
        }
        parts = {"tools": tools, "results": results}
        text = json.dumps(parts, indent=0, sort_keys=True, ensure_ascii=False)
        part = self.root / f"{MANIFEST}.part"
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(self.root / MANIFEST)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was run, what was not, and why."""
        did, say = self.did, terminalreporter.write_line
        terminalreporter.section("evidence")
        seed = os.environ.get("LDP_VERIFIED_SEED", "")
        say(f"{did[HELD]} tests not run: they passed before, on the same files and tools.")
        say(f"{did[CHANGED]} recorded tests redone, because what they depend on changed.")
        if self.base is not None:
            say(f"{did[UNBELIEVED]} redone, because this submission brought the recorded result.")
        if self.mode == "hold":
            say(f"{did[SAMPLED]} redone, one in {ONE_IN} of what holds (seed {seed}).")
        say(f"{did['']} tests without a recorded result run.")
        then = self.recorded["tools"]
        for name in sorted(then.keys() | self.tools.keys()) if then else ():
            if then.get(name) != self.tools.get(name):
                what = "no result of a client" if name in ON_DEVICES[1] else "no result"
                say(f"{name} was {then.get(name)} and is {self.tools.get(name)}: {what} holds.")
        for name in self.strangers() if self.mode == "hold" else ():
            say(f"{MANIFEST}: there is no test {name} any more; `make evidence` takes it out.")
