"""The page "what is checked by whom", from the tables of rules that `verify` looks up."""

from __future__ import annotations

from collections.abc import Iterator

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.registry import cell, everyone

HEAD = "What is checked by whom"
ABOUT = (
    "Written by `ldp-verified catalogue` from the rules that the checkers register; `make drift` "
    "says whether it is current. A rule may still refuse one table, or find nothing: "
    "`ldp-verified verify NAME` says who decided what of a mechanism. The kinds `at_epsilon` and "
    "`at_range` join verdicts on other tables, so they have no rules of their own."
)

JOINED = (Kind.AT_EPSILON, Kind.AT_RANGE)
"""Conjunctions of other verdicts."""


def markdown() -> str:
    """The page: the checkers, then who has a rule for which kind of obligation and form."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from (f"# {HEAD}", "", ABOUT, "", "## Checkers", "")
    yield "| Checker | Group | What it reads, and shares with others |"
    yield "|---|---|---|"
    for each in everyone():
        yield f"| {each.name} | {each.group or 'refutes only'} | {each.shares} |"
    yield ""
    yield "A proof needs both groups, algebra and coq; what only refutes proves nothing."
    yield from ("", "## Kinds of obligation and forms of table", "")
    yield f"| Kind | {' | '.join(TableForm)} |"
    yield f"|---{'|---' * len(TableForm)}|"
    for kind in (kind for kind in Kind if kind not in JOINED):
        yield f"| `{kind}`: {kind.text} | {' | '.join(_who(kind, form) for form in TableForm)} |"
    yield ""


def _who(kind: Kind, form: TableForm) -> str:
    found = [each.name for each in everyone() if cell(each, kind, form) is None]
    return ", ".join(found) or "open"
