"""The hook, as pre-commit installs and runs it in somebody's repository.

    python -m tests.environments.hook

An honest client passes and a leaky one fails, at level 1e-6. The hook is installed from the commit
that is checked out, into an environment that pre-commit makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "hook"
PRE_COMMIT = "pre-commit==4.7.0"
CLIENTS = """import math
import random


def honest(value):
    kept = random.random() < math.e / (math.e + 9)
    return value if kept else (value + 1 + random.randrange(9)) % 10


def leaky(value):
    return value if random.random() < math.e / (math.e + 9) else random.randrange(10)
"""
HOOK = """      - id: ldp-verified-audit
        name: {0}
        args: ["clients:{0}", "--epsilon=1", "--inputs=0..9", "--level=1e-6", "--calls=30000"]
"""
COMMIT = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "commit", "-qm", "x")


def run(*command: str | Path, where: Path = FOLDER, **more: str) -> str:
    """What a command that must succeed prints."""
    made = {**os.environ, **more}
    return subprocess.run(
        [*map(str, command)], cwd=where, env=made, check=True, capture_output=True, text=True
    ).stdout


def problem() -> str:
    """What is wrong with the hook; empty if nothing is."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    theirs = FOLDER / "theirs"
    theirs.mkdir(parents=True)
    run(sys.executable, "-m", "venv", "tools")
    run(FOLDER / "tools/bin/pip", "install", "--quiet", PRE_COMMIT)
    commit = run("git", "rev-parse", "HEAD", where=ROOT).strip()
    hooks = "".join(HOOK.format(name) for name in ("honest", "leaky"))
    config = f"repos:\n  - repo: {ROOT}\n    rev: {commit}\n    hooks:\n{hooks}"
    (theirs / ".pre-commit-config.yaml").write_text(config)
    (theirs / "clients.py").write_text(CLIENTS)
    for words in (("init", "-q"), ("add", "-A"), COMMIT):
        run("git", *words, where=theirs)
    done = subprocess.run(
        [FOLDER / "tools/bin/pre-commit", "run", "--all-files", "--verbose"],
        cwd=theirs,
        env={**os.environ, "PRE_COMMIT_HOME": str(FOLDER / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    return wrong(done.stdout) and f"{wrong(done.stdout)}\n{done.stdout}{done.stderr}"


def wrong(said: str) -> str:
    """What is wrong with what pre-commit printed."""
    ends = {
        line.partition(".")[0]: line.rpartition(".")[2]
        for line in said.splitlines()
        if line.endswith((".Passed", ".Failed"))
    }
    if ends != {"honest": "Passed", "leaky": "Failed"}:
        return f"the hook must let the honest client pass and not the leaky one: {ends}"
    leaky = said[said.index("leaky.") :]
    if "- exit code: 1\n" not in leaky or "violated: eps >= " not in leaky:
        return "the leaky client must fail as violated"
    return ""


if __name__ == "__main__":
    found = problem()
    sys.stdout.write(f"hook: {found or 'ok'}\n")
    sys.exit(bool(found))
