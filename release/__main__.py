"""`make release`: the distributions of the commit in use, checked, in `dist/`.

It refuses a licence that may not be, a stale bill of materials, two builds that differ, and a
wheel whose proofs are not about the files in it. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from release import licences, sbom
from release.build import ReleaseError, build, differing, digest, export, said
from release.recipe import recipe

ROOT = licences.ROOT


def check_tree(root: Path) -> None:
    """Refuse a checkout with changes that are not committed.

    Raises:
        ReleaseError: there are some; they are named.
    """
    changes = said(["git", "status", "--porcelain"], root)
    if changes:
        raise ReleaseError(f"what is released is a commit, and these are not in it:\n{changes}")


def twice(root: Path, folder: Path) -> list[Path]:
    """Build the commit in use in two places.

    Args:
        root: of the checkout. folder: an empty one.

    Returns:
        The source distribution and the wheel, of which both builds have the same hash.

    Raises:
        ReleaseError: a build fails, or the two differ.
    """
    seconds = said(["git", "log", "-1", "--format=%ct"], root).strip()
    built = []
    for name in ("first", "second/with/a/longer/path"):
        source = folder / name / "source"
        export(root, "HEAD", source)
        built.append(build(source, folder / name / "out", seconds))
    if other := differing(*built):
        raise ReleaseError("two builds differ:\n" + "\n".join(other))
    return built[0]


def recheck(wheel: Path, folder: Path) -> str:
    """Install the wheel alone and hold it against its transcript.

    It borrows our dependencies, but not the package.

    Raises:
        ReleaseError: something in it is not what was proved; the message names it.
    """
    environment = folder / "environment"
    said([sys.executable, "-m", "venv", "--without-pip", str(environment)], folder)
    pip = [sys.executable, "-m", "pip", "--python", str(environment)]
    said([*pip, "install", "--no-index", "--no-deps", str(wheel)], folder)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(environment / "bin" / "ldp-verified"), "recheck"],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"recheck of the wheel, after make transcript?\n{done.stdout}")
    return done.stdout


def release(root: Path, out: Path, *, draft: bool) -> list[Path]:
    """Make the distributions of the commit in use.

    Args:
        root: of the checkout. out: the folder that they are put into, with SHA256SUMS and a recipe
            for conda.
        draft: leave out what only a release needs: a clean tree and a transcript of its files.

    Raises:
        ReleaseError: see the module.
    """
    if not draft:
        check_tree(root)
    if found := [*licences.problems(), *sbom.drift()]:
        raise ReleaseError("\n".join(found))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = twice(root, folder)
        if not draft:
            recheck(made[1], folder)
        out.mkdir(parents=True, exist_ok=True)
        kept = [Path(shutil.copy(path, out)) for path in made]
    lines = [f"{digest(path)}  {path.name}\n" for path in kept]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    (out / "recipe.yaml").write_text(recipe(digest(kept[0])), encoding="utf-8")
    return kept


def main() -> None:
    """Run it, and say what was made."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--draft", action="store_true", help="for CI: no clean tree, no recheck")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    try:
        for path in release(ROOT, given.output, draft=given.draft):
            print(digest(path), path.name)
    except ReleaseError as error:
        sys.exit(f"no release: {error}")
    if given.draft:
        print("a draft: no clean tree was asked for, and its proofs were not rechecked")


if __name__ == "__main__":
    main()
