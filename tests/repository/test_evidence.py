"""Recorded results are believed while nothing that they rest on changed, and no longer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.evidence import in_sample, read_manifest
from tests.repository.evidence_project import (
    CHECKER,
    DRAWS,
    MODULES,
    NAMES,
    SETTINGS,
    TEST,
    Project,
)
from tests.tools import used_tools

WEAK = CHECKER.replace('claim == "right"', "True")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project with a manifest of all its tests, to be copied."""
    made = Project(tmp_path_factory.mktemp("recorded"))
    assert made.run("update").status == 0
    assert sorted(made.manifest["results"]) == sorted(MODULES)
    return made.root


@pytest.fixture
def project(recorded: Path, tmp_path: Path) -> Project:
    """A copy of the small project, for one test to change."""
    root = tmp_path / "project"
    shutil.copytree(recorded, root)
    return Project(root)


def test_without_a_manifest_everything_is_run_and_nothing_is_written(tmp_path: Path) -> None:
    project = Project(tmp_path)
    run = project.run("hold")
    assert run.status == 0
    assert run.said.count("PASSED") == len(NAMES)
    assert "0 tests not run" in run.said
    assert not (tmp_path / "tests/evidence.json").exists()


def test_what_holds_is_not_run(project: Project) -> None:
    run = project.run("hold")
    assert run.status == 0
    assert "PASSED" not in run.said
    assert "4 tests not run" in run.said
    assert "4 tests not run" in project.run("hold", CI="true").said
    # Without the option the plugin takes no part.
    assert project.run("hold", "--evidence=all").said.count("PASSED") == 4


def test_a_weakened_checker_fails_though_the_manifest_is_untouched(project: Project) -> None:
    before = (project.root / "tests/evidence.json").read_bytes()
    project.write("checked/checker.py", WEAK)
    for environment in ({}, {"CI": "true"}):
        run = project.run("hold", **environment)
        assert run.status == 1
        assert "3 recorded tests redone" in run.said
        assert "1 tests not run" in run.said
        assert run.said.count("FAILED tests/test_checker.py::test_it_rejects") == 2
    assert (project.root / "tests/evidence.json").read_bytes() == before
    # Nor is what fails recorded: the line of its module goes, and what passed has one of its own.
    assert project.run("update").status == 1
    assert sorted(project.manifest["results"]) == [NAMES[0], MODULES[1]]
    assert project.run("hold").status == 1


CHANGES = {
    "what the checker imports": ("checked/limits.py", "LIMIT = 2\n"),
    "a conftest": ("tests/conftest.py", 'pytest_plugins = ["tests.evidence"]  # changed\n'),
    "a new conftest": ("tests/more/conftest.py", "SHARED = 1\n"),
    "data of the tests": ("tests/data.json", "{}"),
    "the plugin": ("tests/inputs.py", ""),
    "how pytest is set up": ("pyproject.toml", SETTINGS + "xfail_strict = true\n"),
    "the versions of the tools": ("constraints.txt", "pytest==0.0\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_a_result_rests_on_is_part_of_its_key(project: Project, change: str) -> None:
    project.write("checked/limits.py", "LIMIT = 1\n")
    project.write(
        "checked/checker.py", CHECKER.replace("\n\n\n", "\nfrom checked import limits\n\n\n")
    )
    assert project.run("update").status == 0
    path, text = CHANGES[change]
    old = project.root / path
    project.write(path, text or old.read_text(encoding="utf-8") + "# changed\n")
    run = project.run("hold")
    alone = change == "what the checker imports"
    assert f"{3 if alone else 4} recorded tests redone" in run.said
    assert ("pytest was None and is" in run.said) == (path == "constraints.txt")


def test_a_key_written_by_hand_is_redone(project: Project) -> None:
    results = project.manifest["results"]
    project.record({**results, MODULES[0]: "0" * 32})
    run = project.run("hold")
    assert run.status == 0
    assert all(f"{name} PASSED" in run.said for name in NAMES[:3])
    assert run.said.count("PASSED") == 3
    # A line of its own holds for one test.
    project.record({MODULES[0]: "0" * 32, NAMES[0]: results[MODULES[0]]})
    run = project.run("hold")
    assert run.said.count("PASSED") == 3
    assert f"{NAMES[0]} PASSED" not in run.said


@pytest.mark.parametrize("missing", ["tests/test_checker.py::test_nothing", "tests/test_gone.py"])
def test_a_line_about_a_test_that_is_not_there_is_said(project: Project, missing: str) -> None:
    project.record({**project.manifest["results"], missing: "0" * 32})
    run = project.run("hold")
    assert run.status == 0
    assert f"there is no test {missing} any more" in run.said
    # A run of a part of the tests does not know, and keeps the line.
    assert "no test" not in project.run("hold", "tests/test_other.py").said
    assert project.run("update", "tests/test_other.py").status == 0
    assert missing in project.manifest["results"]
    assert project.run("update").status == 0
    assert sorted(project.manifest["results"]) == sorted(MODULES)


def test_a_module_is_recorded_only_as_a_whole(project: Project) -> None:
    """A part that passed says nothing of the rest, which here fails."""
    project.write("checked/checker.py", CHECKER.replace("def", "# New.\ndef", 1))
    assert "3 recorded tests redone" in project.run("hold").said
    project.write("tests/test_checker.py", TEST + "\n\ndef test_more():\n    assert False\n")
    for part in (
        ["-k", "not more"],
        [NAMES[0]],
        ["--deselect", "tests/test_checker.py::test_more"],
    ):
        assert project.run("update", *part).status == 0
        assert project.run("hold").status == 1
        assert MODULES[0] not in project.manifest["results"]
    assert project.run("update").status == 1
    assert sorted(project.manifest["results"]) == sorted([*NAMES[:3], MODULES[1]])
    assert "3 tests not run" not in project.run("all", "-x").said
    assert MODULES[0] not in project.manifest["results"]


def test_a_skipped_test_leaves_its_module_open(project: Project) -> None:
    skipped = "\n\n@pytest.mark.skip(reason='no')\ndef test_more():\n    assert False\n"
    project.write("tests/test_checker.py", TEST + skipped)
    assert project.run("update").status == 0
    assert sorted(project.manifest["results"]) == sorted([*NAMES[:3], MODULES[1]])


def test_a_failure_takes_the_line_of_its_module_away(project: Project) -> None:
    """What no file shows fails in a run that repeats everything, or one file."""
    hidden = TEST.replace('accepts("right")', '"HIDDEN" not in __import__("os").environ')
    project.write("tests/test_checker.py", hidden)
    assert project.run("update").status == 0
    before = project.manifest
    for parts in ([], ["tests/test_checker.py"]):
        (project.root / "tests/evidence.json").write_text(json.dumps(before), encoding="utf-8")
        assert project.run("all", *parts, HIDDEN="yes").status == 1
        assert MODULES[0] not in project.manifest["results"]
        assert NAMES[0] not in project.manifest["results"]
        assert MODULES[1] in project.manifest["results"]


def test_a_folder_with_runs_of_its_own_keeps_its_own_lines(project: Project) -> None:
    project.write("pyproject.toml", SETTINGS + 'norecursedirs = ["apart"]\n')
    test = "def test_of_nothing():\n    assert 1 + 1 == 2\n"
    project.write("tests/apart/__init__.py", "")
    one, gone = "tests/apart/test_one.py", "tests/apart/test_gone.py"
    name = f"{one}::test_of_nothing"
    project.write(one, test)
    assert project.run("update", "tests/apart").status == 0
    assert one in project.manifest["results"]
    assert project.run("update").status == 0, "a run of all others keeps its lines"
    assert sorted(project.manifest["results"]) == sorted([*MODULES, one])
    project.record({**project.manifest["results"], gone: "0" * 32})
    assert "no test" not in project.run("hold").said
    quiet = next(str(seed) for seed in range(1000) if not in_sample(str(seed), name))
    assert "1 tests not run" in project.run("hold", one, seed=quiet).said
    assert f"there is no test {gone}" in project.run("hold", "tests/apart").said
    assert project.run("update", "tests/apart").status == 0
    assert sorted(project.manifest["results"]) == sorted([*MODULES, one])
    project.write(one, test.replace("2\n", "3\n"))
    run = project.run("hold", "tests/apart")
    assert run.status == 1
    assert "1 recorded tests redone" in run.said


def test_a_client_is_run_again_with_another_compiler() -> None:
    then = {"python": "3.11", "gcc": "gcc 12", "valgrind": "3.19"}
    for module, changed, same in (
        ("tests/on_devices/test_cortex.py", {"gcc", "valgrind"}, set()),
        ("tests/program/test_c.py", {"gcc"}, {"valgrind"}),
        ("tests/prove/test_verify.py", set(), {"gcc", "valgrind"}),
    ):
        was = used_tools(then, module)
        for name in changed:
            assert used_tools({**then, name: "other"}, module) != was, (module, name)
        for name in same:
            assert used_tools({**then, name: "other"}, module) == was, (module, name)
        assert used_tools({**then, "python": "3.12"}, module) != was


def test_a_random_sample_is_run_again_and_can_fail(project: Project) -> None:
    drawn = [name for name in NAMES if in_sample(DRAWS, name)]
    assert NAMES[0] in drawn
    run = project.run("hold", seed=DRAWS)
    assert run.said.count("PASSED") == len(drawn)
    assert f"{len(drawn)} redone, one in 20 of what holds (seed {DRAWS})" in run.said
    assert "PASSED" not in project.run("update", seed=DRAWS).said
    # What no file shows, here a variable of the environment, the sample can find.
    hidden = "from os import environ\n\nimport pytest\n" + TEST.removeprefix("import pytest\n")
    hidden = hidden.replace('accepts("right")', 'environ.get("HIDDEN") is None')
    project.write("tests/test_checker.py", hidden)
    assert project.run("update").status == 0
    assert project.run("hold", HIDDEN="yes").status == 0
    assert project.run("hold", seed=DRAWS, HIDDEN="yes").status == 1


def test_the_sample_is_one_in_twenty() -> None:
    """Null: each of 20,000 names is drawn with probability 0.05; |z| > 6 has level 2e-9."""
    drawn = sum(in_sample("7", f"a test[{i}]") for i in range(20_000))
    assert abs(drawn - 1000) < 6 * (20_000 * 0.05 * 0.95) ** 0.5


def test_everything_is_run_and_recorded_on_request(project: Project) -> None:
    project.write("tests/test_other.py", "def test_of_nothing():\n    assert False\n")
    run = project.run("all")
    assert run.status == 1
    assert run.said.count("PASSED") == 3
    assert sorted(project.manifest["results"]) == [MODULES[0]]


def test_several_processes_agree(project: Project) -> None:
    recorded = project.manifest
    run = project.run("all", "-n2")
    assert run.status == 0
    assert run.said.count("PASSED") == 4
    assert project.manifest == recorded
    project.write("checked/checker.py", WEAK)
    run = project.run("hold", "-n2")
    assert run.status == 1
    assert "3 recorded tests redone" in run.said
    assert "1 tests not run" in run.said


def test_what_a_submission_brings_itself_is_not_believed(project: Project) -> None:
    """Here the manifest is made to fit the weakened checker; the base commit has another."""
    project.git("init", "--quiet")
    project.commit()
    base = project.manifest["results"]
    project.write("checked/checker.py", WEAK)
    # What each key would be, taken from a version of the tests that cannot fail.
    project.run("update")
    project.write("tests/test_other.py", "from checked.checker import accepts\n")
    forged = {MODULES[0]: project.manifest["results"].get(NAMES[0], "")}
    project.write("tests/test_other.py", "def test_of_nothing():\n    assert 1 + 1 == 2\n")
    project.record({**forged, MODULES[1]: base[MODULES[1]]})
    project.commit()
    assert project.run("hold").status == 0, "by hand the manifest is taken as it is"
    run = project.run("hold", CI="true", LDP_VERIFIED_BASE="HEAD~1")
    assert run.status == 1
    assert "3 redone, because this submission brought the recorded result" in run.said
    assert "1 tests not run" in run.said
    project.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    assert project.run("hold", CI="true").status == 1
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert project.run("hold", CI="true").status == 0
    run = project.run("hold", CI="true", LDP_VERIFIED_BASE="no-such-commit")
    assert run.status == 4
    assert "LDP_VERIFIED_BASE: must name a commit" in run.said


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"tools": {}, "results": []}', '{"tools": {}, "results": {"a": 1}}']
)
def test_what_is_no_manifest_is_refused(text: str) -> None:
    if text.endswith("[]}"):
        assert read_manifest(text) == {"tools": {}, "results": {}}
        return
    with pytest.raises(pytest.UsageError, match="is no manifest of evidence"):
        read_manifest(text)


def test_the_committed_manifest_can_be_read() -> None:
    path = Path(__file__).resolve().parents[1] / "evidence.json"
    parts = read_manifest(path.read_text(encoding="utf-8"))
    assert all(len(key) == 32 for key in parts["results"].values())
    assert json.loads(path.read_text(encoding="utf-8")) == parts


DEADLY = """import os, signal, time
from pathlib import Path

def test_it():
    file, end = Path("tests/evidence.json"), time.monotonic() + 60
    while time.monotonic() < end and not (file.exists() and "test_checker" in file.read_text()):
        time.sleep(0.1)
    os.kill(os.getppid(), signal.SIGKILL)
"""


def test_a_run_that_is_killed_keeps_the_modules_that_were_done(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("tests/test_zz_deadly.py", DEADLY)
    assert project.run("update", "-n2", "--evidence-pause=0").status != 0
    written = project.manifest["results"]
    assert "tests/test_checker.py" in written
    assert "tests/test_zz_deadly.py" not in written
    (tmp_path / "tests/test_zz_deadly.py").unlink()
    again = project.run("hold")
    assert again.status == 0
    assert "test_checker.py::" not in again.said.split("evidence")[0]


def test_a_module_with_a_failure_is_not_written_while_a_run_goes_on(tmp_path: Path) -> None:
    """A module that is done later is."""
    project = Project(tmp_path)
    project.write("tests/test_zz_deadly.py", DEADLY.replace("test_checker", "test_other"))
    project.write("tests/test_failing.py", "def test_one(): pass\ndef test_two(): assert False\n")
    assert project.run("update", "-n2", "--evidence-pause=0").status != 0
    written = project.manifest["results"]
    assert "tests/test_other.py" in written
    assert not any("failing" in name for name in written)
