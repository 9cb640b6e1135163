"""Show what `recheck` found, on a terminal and as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.app.report.output import Json, Part, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ldp_verified.check.recheck.rechecking import Recheck


def terminal(found: Recheck, tools: Mapping[str, str]) -> Iterator[Part]:
    """A line for each mechanism, then what is refused and what is lacking.

    Args:
        found: the result. tools: name -> version of what runs here.
    """
    rows = table("mechanism", "in the transcript", "verdicts", "repeated", right=("verdicts",))
    for each in found.mechanisms:
        again = "refused" if each.problems else f"{each.repeated}"
        rows.add_row(each.name, each.status, str(each.verdicts), again)
    yield rows
    verdicts = sum(each.verdicts for each in found.mechanisms)
    repeated = sum(each.repeated for each in found.mechanisms)
    routes = "all routes" if found.full else "the light routes; --all asks every route"
    seconds = sum(each.seconds for each in found.mechanisms)
    files = f"{len(found.files)} files"
    yield Text(f"{repeated} of {verdicts} verdicts again by {routes} ({files}, {seconds:.1f} s)")
    other = [
        f"{name} {tools.get(name, 'none')} here, {version} then"
        for name, version in found.tools.items()
        if tools.get(name, "none") != version
    ]
    if other:
        yield Text("Other tools: " + "; ".join(other))
    yield Text(f"transcript sha256 {found.transcript_sha256}")
    for head, lines in (("Refused", found.refused), ("Not vouched for", found.lacking)):
        if lines:
            yield Text("\n".join([head, *(f"  {line}" for line in lines)]))
    if not found.refused and not found.lacking:
        yield Text("Same hashes, same verdicts.")


def document(found: Recheck, tools: Mapping[str, str]) -> dict[str, Json]:
    """The result as JSON: `refused` and `lacking` are empty where all is as the transcript says.

    Args:
        found: the result. tools: name -> version of what runs here.
    """
    mechanisms: list[Json] = [
        {
            "name": each.name,
            "status": each.status,
            "verdicts": each.verdicts,
            "repeated": each.repeated,
            "refused": list(each.problems),
        }
        for each in found.mechanisms
    ]
    return {
        "routes": "all" if found.full else "light",
        "transcript_sha256": found.transcript_sha256,
        "tools_then": dict(found.tools),
        "tools_here": dict(tools),
        "files": len(found.files),
        "refused": list(found.refused),
        "lacking": list(found.lacking),
        "mechanisms": mechanisms,
    }
