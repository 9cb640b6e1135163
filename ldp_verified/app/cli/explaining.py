"""`explain`: the codes of checks and errors, and the shape of documents."""

from typing import Annotated

import typer

from ldp_verified.app.cli.outcome import MEANINGS, AsJson, Outcome, reported
from ldp_verified.errors import ParameterError


@reported
def explain(
    rule: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="LDP001 ..., LDPE-PARAMETER ...", show_default=False),
    ] = None,
    as_schema: Annotated[
        bool, typer.Option("--schema", help="The JSON Schema of what --json prints, instead.")
    ] = False,
    as_json: AsJson = False,
) -> Outcome:
    """Say what the code of a named check of audits, or of an error, means.

    Of a check: what it looks for, why it matters and what it does not show. Of an
    error: what it means and what to do. Without a code: all of them.

    [bold]Examples[/bold]

      ldp-verified explain LDP007
      ldp-verified explain LDPE-PARAMETER
    """
    from dataclasses import asdict

    from rich.text import Text

    from ldp_verified.app.explained import codes, page, title
    from ldp_verified.app.report.output import Json, show_document
    from ldp_verified.app.report.output import show as write
    from ldp_verified.check.audit.rules.rules import RULES

    if as_schema:
        from ldp_verified.app.report.audit_schema import schema_text

        typer.echo(schema_text(), nl=False)
        return Outcome.HOLDS
    known = (*RULES, *codes())
    if rule is not None and rule.upper() not in known:
        raise ParameterError("CODE", f"must be one of {', '.join(known)}", rule)
    asked = [each for each in RULES.values() if rule is None or each.id == rule.upper()]
    errors = [code for code in codes() if rule is None or code == rule.upper()]
    if as_json:
        exits: Json = {str(int(code)): words for code, words in MEANINGS.items()}
        rules: Json = [asdict(each) for each in asked]
        pages: Json = [{"code": code, "title": title(code), "page": page(code)} for code in errors]
        body: dict[str, Json] = {"exit_codes": exits, "rules": rules, "errors": pages}
        show_document("explain", Outcome.HOLDS, body)
        return Outcome.HOLDS
    parts = []
    if rule is not None and errors:
        write([Text(page(rule).rstrip())])
        return Outcome.HOLDS
    for each in asked:
        weight = "a violation of the claim" if each.violates else "a warning"
        lines = f"{each.id}: {each.title}\n{each.why}\nHow: {each.how}\nIf broken: {weight}."
        parts.append(Text(lines))
    parts += [Text("\n".join(f"{code}: {title(code)}" for code in errors))] if errors else []
    write(parts)
    return Outcome.HOLDS
