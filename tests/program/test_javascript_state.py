"""A JavaScript client gives no report where `save` has not stored the state when it returns."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.cli.clients import client_texts
from ldp_verified.protocols import LGRR
from tests.program import node, wasm

if TYPE_CHECKING:
    from pathlib import Path

TRIED = """
import { webcrypto } from 'node:crypto';
globalThis.crypto ??= webcrypto;
const client = await import('./lgrr.mjs');
const saves = {
  nothing: () => {}, other: (state) => state.slice(), yes: () => true,
  async: async () => {}, thenable: () => ({ then: () => {} }), no: () => false,
  number: 5, nobody: undefined,
};
const found = {};
for (const [name, save] of Object.entries(saves)) {
  const state = client.newState();
  try {
    found[name] = typeof client.report(1, state, save);
  } catch (error) {
    found[name] = error.message;
  }
  found[name] += `, ${client.reportsMade(state)} made`;
}
console.log(JSON.stringify(found));
"""
SAID = "save: must have stored the state when it returns, and return nothing, 0 made"


@pytest.mark.parametrize("language", ["javascript", "wasm"])
def test_a_promise_and_false_give_no_report(language: str, tmp_path: Path) -> None:
    """The state does not count it either, as where `save` throws."""
    if node.node() is None or (language == "wasm" and not wasm.has_tools()):
        return
    (tmp_path / "lgrr.mjs").write_text(str(client_texts(LGRR(2.0, 1.0, 5), language)["lgrr.mjs"]))
    (tmp_path / "try.mjs").write_text(TRIED)
    command = [str(node.node()), "try.mjs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    refused = dict.fromkeys(("async", "thenable", "no"), SAID)
    given = dict.fromkeys(("nothing", "other", "yes"), "number, 1 made")
    no_function = dict.fromkeys(("number", "nobody"), "save: must be a function, 0 made")
    assert json.loads(done.stdout) == refused | given | no_function
