"""Audits of public packages and of two small programs, kept in rows.jsonl and shown in RESULTS.md.

    python -m examples.audits.audits [NAME ...] [--n N]

Packages are installed at pinned versions in environments of their own below build/peers, on first
use. Rows whose key still holds are not made again; the others are, those that were never made
first, then the oldest. Each row is kept and shown as soon as it is made, so that the command may be
stopped and run again. What fails on this machine ends it with an error; only a package that cannot
be installed any more is written down as that. RESULTS.md says how it is to be read.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from examples.audits.apart import LocalError, apart
from examples.audits.cases import HERE, Case, cases
from examples.audits.installs import InstallError, made, pinned
from examples.audits.rests import PACKAGE, ROOT, digest, hashed, today
from examples.audits.rows import KEPT, PAGE, Key, Row, page, read, table, with_row, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEVEL, N = 1e-6, 10_000
Made = dict[str, tuple[str, ...]]
"""What an audit gives of a row: its cells, and the modules passed and loaded."""


def key(case: Case, n: int, auditor: str) -> Key:
    """What a row of a case comes from today.

    Args:
        case: as it is listed. n: samples. auditor: hash of what the audit rested on.
    """
    words = [word for word in case.command.split() if not word.startswith("{")]
    beside = [HERE / "hashes.py", HERE / "client.c", HERE / "one.py"]
    beside += [Path(word) for word in words if word.endswith((".py", ".js"))]
    beside += [HERE / "clients" / f"of_{word}.py" for word in words]
    files = [path.read_bytes() for path in beside if path.is_file()]
    said = repr(case).replace(str(HERE), "")
    client = digest([said.encode(), *(text.encode() for text in pinned(case)), *files])
    return Key(auditor, client, n, LEVEL)


def audited(case: Case, n: int) -> Made:
    """The cells of a case and what they rest on, from a process of its own.

    Raises:
        InstallError: a package cannot be installed any more. LocalError: this machine is at fault.
    """
    command = made(case).command
    words = [sys.executable, "-m", "examples.audits.watched", case.name, command, str(n)]
    told = apart([*words, str(LEVEL)])
    try:
        return {name: tuple(part) for name, part in json.loads(told).items()}
    except ValueError:
        raise LocalError(f"the auditor must write its cells, and wrote {told[:200]!r}") from None


def keys_of(rows: Sequence[Row], n: int) -> dict[str, Key]:
    """The key of today of every case, from what its row rests on.

    Args:
        rows: that are kept. n: samples.
    """
    auditors = {row.name: today(row.passed, row.loaded) for row in rows if row.passed}
    return {case.name: key(case, n, auditors.get(case.name, "none")) for case in cases()}


def run(
    wanted: Sequence[Case],
    n: int,
    *,
    kept: Path = KEPT,
    shown: Path = PAGE,
    audit: Callable[[Case, int], Made] = audited,
) -> None:
    """Make the rows that are not those of today, and keep and show each at once.

    Args:
        wanted: the cases to look at; the page shows all.
        n: samples.
        kept: the file of rows. shown: the page.
        audit: gives the cells of a case, and what they rest on.

    Raises:
        LocalError: this machine is at fault: there is no row for it.
    """
    sources, rows = hashed(ROOT / PACKAGE), read(kept)
    keys = keys_of(rows, n)
    ages = {row.name: age for age, row in enumerate(rows, 1)}
    current = {row.name for row in rows if not row.failed and row.key == keys.get(row.name)}
    due = [case for case in wanted if case.name not in current]
    for case in sorted(due, key=lambda each: ages.get(each.name, 0)):
        try:
            found = audit(case, n)
            rested = found["passed"], found["loaded"]
            keys[case.name] = key(case, n, today(*rested))
            new = Row(case.name, keys[case.name], found["cells"], "", *rested)
        except InstallError as error:
            new = Row(case.name, keys[case.name], (), str(error))
        if hashed(ROOT / PACKAGE) != sources:
            raise LocalError("the auditor's sources must stay as they are while it runs")
        rows = with_row(rows, new)
        write(kept, rows)
        _show(shown, table(rows, keys))
        sys.stdout.write(f"{case.name}: {' | '.join(new.cells) or new.failed}\n")
        sys.stdout.flush()
    _show(shown, table(rows, keys))


def _show(path: Path, part: str) -> None:
    made_page = page(path.read_text(encoding="utf-8"), part)
    beside = path.with_suffix(".new")
    beside.write_text(made_page, encoding="utf-8")
    beside.replace(path)


def main() -> None:
    """Run the audits that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all without")
    parser.add_argument("--n", type=int, default=N)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # children end with it
    wanted = [
        case
        for case in cases()
        if not given.names or any(part in case.name for part in given.names)
    ]
    if not wanted:
        sys.exit(f"no audit has such a name: {given.names}")
    try:
        run(wanted, given.n)
    except (LocalError, OSError) as error:
        sys.exit(f"stopped, with the rows made until then kept: {error}")


if __name__ == "__main__":
    main()
