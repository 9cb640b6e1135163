"""Build the wheel; for each extra make an environment, install it there, and run its programs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.environments import hook, schemas

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "environments"

SURVEY = """
import numpy as np
import ldp_verified as ldp
from ldp_verified.deploy.collect.plan import users_for_error
from ldp_verified.deploy import Deployment

answers = np.arange(30_000) % 4
for made in (ldp.GRR(1.0, 4), ldp.OUE(1.0, 4), ldp.OLH(1.0, 4), ldp.HRR(1.0, 4)):
    client, collector = Deployment(made).client(), Deployment(made).collector()
    collector.add(client.report(1))
    estimate = made.aggregate(made.privatize(answers)).estimate()
    repr(estimate), estimate.intervals(0.95) if hasattr(estimate, "intervals") else None
    # 12 standard errors: never, in the lifetime of this project.
    assert np.all(np.abs(estimate.counts - 7500) < 12 * estimate.std_error), made
"""

WORKS = {
    "": [SURVEY],
    "fast": [SURVEY, "import warnings; warnings.simplefilter('error')\n" + SURVEY],
    "arrow": [
        (
            "from ldp_verified import GRR\n"
            "import pyarrow\n"
            "reports = GRR(1.0, 4).privatize(pyarrow.array([0, 1, 2, 3]))\n"
            "assert reports.to_arrow().num_rows == 4\n"
        )
    ],
    "verify": [
        (
            "from ldp_verified.language import load\n"
            "from ldp_verified.prove import verify\n"
            "found = verify(load('grr')[0], coq=False)\n"
            "assert 'p*' in found.derived\n"
        )
    ],
    "audit,cli,verify": [
        (
            "import subprocess, sys\n"
            "command = [sys.executable, '-m', 'ldp_verified', 'audit', 'random:random']\n"
            "command += ['--epsilon', '1', '--inputs', '0..1', '-n', '500']\n"
            "said = subprocess.run(command, capture_output=True, text=True)\n"
            "assert said.returncode in (1, 2, 3), said.stderr\n"
            "assert 'Traceback' not in said.stderr, said.stderr\n"
        )
    ],
    "cli": ["from ldp_verified.app.cli import app\n"],
    "plot": [
        (
            "import ldp_verified as ldp\n"
            "made = ldp.GRR(1.0, 4)\n"
            "made.aggregate(made.privatize([0, 1] * 50)).estimate().plot()\n"
        )
    ],
    "all": [SURVEY, "from ldp_verified.check.conformance import conform\n"],
}
"""Extras -> programs that run where they are installed."""

SAYS = {
    "import ldp_verified.prove": "verify",
    "import ldp_verified.check.audit; ldp_verified.check.audit.audit": "audit",
    "import ldp_verified.run.aggregate.arrow": "arrow",
    "import ldp_verified.app.cli": "cli",
    "import ldp_verified as l; m = l.GRR(1.0, 4);"
    " m.aggregate(m.privatize([0])).estimate().plot()": "plot",
}
"""Program -> the extra that its error names in the bare environment."""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """A finished command, outside the checkout."""
    given = list(map(str, command))
    return subprocess.run(given, cwd=FOLDER, capture_output=True, text=True, check=False)


def wheel() -> Path:
    """The wheel of this checkout."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(FOLDER)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (built,) = FOLDER.glob("*.whl")
    return built


def installed(built: Path, extra: str, name: str = "", pins: Path | None = None) -> Path:
    """The Python of a new environment with the wheel and one extra.

    Args:
        built: the wheel. extra: of it. name: of the environment's folder.
        pins: a file of versions; None for those that development uses.
    """
    folder = FOLDER / (name or extra.replace(",", "-") or "core")
    made = run(sys.executable, "-m", "venv", folder)
    what = f"ldp-verified[{extra}] @ {built.as_uri()}" if extra else str(built)
    pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
    done = run(*pip, "--constraint", pins or ROOT / "constraints.txt", what)
    assert made.returncode == done.returncode == 0, made.stderr + done.stderr
    return folder / "bin" / "python"


def bounds() -> dict[str, str]:
    """The lower bound of each package that `[all]` installs, by its name."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = project["optional-dependencies"]
    parts = re.search(r"\[(.*)\]", extras["all"][0])
    assert parts is not None
    listed = [*project["dependencies"], *(each for e in parts[1].split(",") for each in extras[e])]
    found = dict(each.split(">=") for each in listed)
    assert len(found) > 10, found
    return found


def lowest_problems(built: Path) -> list[str]:
    """What does not work at the lowest version of every package that `[all]` allows."""
    pins = FOLDER / "lowest.txt"
    pins.write_text("".join(f"{name}=={least}\n" for name, least in bounds().items()))
    python = installed(built, "all", "lowest", pins)
    done = [(program, run(python, "-c", program)) for each in WORKS.values() for program in each]
    return [f"[lowest] {program}\n{it.stderr}" for program, it in done if it.returncode]


LATER = ("3.12", "3.13", "3.14")
"""Versions of Python on which nothing was run; that every wheel is there for them is checked."""


def wheels_missing(version: str) -> str:
    """What pip says where a package of `[all]`, or what it needs, has no wheel; else nothing."""
    given = [f"{name}>={least}" for name, least in bounds().items()]
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    where = ["--target", str(FOLDER / version), "--only-binary=:all:", "--python-version", version]
    done = run(*pip, *where, *given)
    return f"[{version}] {done.stderr}" if done.returncode else ""


RENDER = """
import sys
from rattler_build import Stage0Recipe

text = sys.stdin.read()
(made,) = Stage0Recipe.from_yaml(text).render()
found = made.recipe.to_dict()
assert found["package"]["name"] == "ldp-verified", found
assert "numpy >=2.0" in found["requirements"]["run"], found
assert len(found["tests"]) == 2, found
try:  # planted: a field that nobody knows
    Stage0Recipe.from_yaml(text.replace("summary", "sumary"))
except Exception as error:
    assert "sumary" in str(error), error
else:
    sys.exit("an unknown field was taken")
"""


def recipe_problem() -> str:
    """What is wrong with the recipe for conda; empty if nothing is. It is rendered, not built."""
    folder = FOLDER / "recipe"
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    done = run(python, "-m", "pip", "install", "--quiet", "py-rattler-build==0.73.0")
    if done.returncode == 0:
        written = [sys.executable, "-m", "release.recipe"]
        text = subprocess.run(written, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        command = [str(python), "-c", RENDER]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return f"[recipe] {done.stderr}" if done.returncode else ""


def main() -> None:
    """Check every environment; exit with 1 where something does not hold."""
    built, wrong = wheel(), []
    for extra, programs in WORKS.items():
        python = installed(built, extra)
        for program in programs:
            done = run(python, "-c", program)
            if done.returncode:
                wrong.append(f"[{extra}] {program}\n{done.stderr}")
        if not extra:
            for program, named in SAYS.items():
                last = (run(python, "-c", program).stderr.strip().splitlines() or [""])[-1]
                if not last.endswith(f"pip install 'ldp-verified[{named}]'"):
                    wrong.append(f"{program} says: {last}")
        size = sum(f.stat().st_size for f in python.parents[1].rglob("*") if f.is_file())
        sys.stdout.write(f"[{extra or 'core'}] {size / 1e6:,.0f} MB\n")
        sys.stdout.flush()
    wrong += lowest_problems(built)
    wrong += [problem for version in LATER if (problem := wheels_missing(version))]
    if problem := recipe_problem():
        wrong.append(problem)
    for check in (hook, schemas):
        if problem := check.problem():
            wrong.append(problem)
    summary = f"{len(WORKS) + 4} environments, {len(wrong)} failures"
    sys.stdout.write("\n".join([*wrong, summary]) + "\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
