"""Whether the files for GitHub and for pre-commit are what the schemas of their formats allow.

    python -m tests.environments.schemas

The schemas of actions and workflows are SchemaStore's, as check-jsonschema carries them; those of
hooks and configurations are pre-commit's own. Nothing is fetched but these two packages. Each must
also refuse planted files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.environments.hook import PRE_COMMIT

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "schemas"
TOOLS = ("check-jsonschema==0.39.0", PRE_COMMIT)
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CHECKS = {
    "action": ("check-jsonschema", "--builtin-schema", "vendor.github-actions"),
    "workflow": ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
    "hooks": ("pre-commit", "validate-manifest"),
    "config": ("pre-commit", "validate-config"),
}
"""Format -> the command that refuses a file which is none."""

PLANTED = {
    "action": (
        ("using: composite", "using: composit"),
        ("      shell: bash\n", ""),
        ("required: true", 'required: "yes"'),
        ("steps:", "step:"),
        ("description: Tests", "describe: Tests"),
    ),
    "workflow": (
        ("runs-on:", "runs_on:"),
        ("\njobs:", "\njob:"),
        ("pull_request:", "pull_requests:"),
        ("contents: read", "contents: reads"),
    ),
    "hooks": (
        ("language: python", "language: pyton"),
        ("  entry: ldp-verified audit\n", ""),
        ("pass_filenames: false", "pass_filenames: no one"),
    ),
    "config": (("repos:", "repo:"), ("- id:", "- ids:")),
}
"""Format -> (what stands in a good file, what is planted in its place)."""


def files() -> list[tuple[str, str, str]]:
    """Format, name and text of every file of this repository, and of those that a page shows."""
    listed = [("action", "action.yml"), ("hooks", ".pre-commit-hooks.yaml")]
    listed.append(("config", ".pre-commit-config.yaml"))
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
    listed += [("workflow", str(path.relative_to(ROOT))) for path in workflows]
    found = [(kind, name, (ROOT / name).read_text(encoding="utf-8")) for kind, name in listed]
    page = "docs/audit-in-ci.md"
    for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if block.startswith("repos:"):
            found.append(("config", page, block))
        else:  # a reader's workflow says by itself when it runs
            found.append(("workflow", page, f"on: push\n{block}"))
    return found


def refused(kind: str, text: str) -> str:
    """What the command of a format says against a text; empty if it takes it."""
    path = FOLDER / f"{kind}.yml"
    path.write_text(text, encoding="utf-8")
    tool, *words = CHECKS[kind]
    command = [str(FOLDER / "tools" / "bin" / tool), *words, str(path)]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    said = f"{done.stdout}{done.stderr}"
    if "Traceback" in said:
        raise RuntimeError(f"{tool} must decide: {said}")
    return said if done.returncode else ""


def problem() -> str:
    """What is wrong with the files, or with the schemas; empty if nothing is."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", FOLDER / "tools"], check=True)
    pip = [str(FOLDER / "tools/bin/python"), "-m", "pip", "install", "--quiet", *TOOLS]
    subprocess.run(pip, check=True, capture_output=True)
    listed = files()
    if {kind for kind, _, _ in listed} != CHECKS.keys() or len(listed) < 6:
        return f"files of every format must be there: {[name for _, name, _ in listed]}"
    wrong = [f"{name}: {said}" for kind, name, text in listed if (said := refused(kind, text))]
    for kind, pairs in PLANTED.items():
        for good, bad in pairs:
            texts = [text for each, _, text in listed if each == kind and good in text]
            if not texts or not refused(kind, texts[0].replace(good, bad, 1)):
                wrong.append(f"{kind}: {bad!r} in place of {good!r} must be refused")
    return "\n".join(wrong)


if __name__ == "__main__":
    found = problem()
    sys.stdout.write(f"schemas: {found or 'ok'}\n")
    sys.exit(bool(found))
