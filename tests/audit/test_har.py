"""Recorded traffic as a target: places in entries, other traffic, a leak and its clean twin.

The clean twin is audited at level 1e-9; the leak is the value in clear.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.har import recorded
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.targets.things import Thing, status_of, with_status
from ldp_verified.check.audit.whole_audit import audit_target
from ldp_verified.errors import ParameterError

OTHER = {"request": {"url": "https://a/style.css", "headers": []}, "response": {"status": 200}}


def entry(value: Any, report: Any, **response: Any) -> dict[str, Any]:
    """A POST of a value in JSON, in a header and in the query, and its answer."""
    return {
        "comment": f"typed {value}",
        "request": {
            "url": f"https://a/report?v={value}",
            "headers": [{"name": "X-Value", "value": f"{value}"}],
            "queryString": [{"name": "v", "value": f"{value}"}],
            "postData": {"text": json.dumps({"data": [{"v": value}]})},
        },
        "response": {"status": 200, "content": {"text": json.dumps(report)}} | response,
    }


def archive(tmp_path: Path, entries: list[dict[str, Any]]) -> Path:
    path = tmp_path / "session.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8")
    return path


def test_places_in_an_entry_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path, [OTHER, entry(3, {"y": [1, 0]})])
    for place, value in (
        ("request.body.data.0.v", 3),
        ("request.query.v", "3"),
        ("request.header.x-value", "3"),
        ("comment", "typed 3"),
    ):
        assert [*recorded(path, place, "response.body.y")] == [(value, [1, 0])]
    assert [*recorded(path, "request.query.v", "response")] == [("3", {"y": [1, 0]})]
    lost = [*recorded(path, "request.query.v", "response.body.z")]
    assert lost == [("3", Raised("NoAnswer", "not recorded"))]


def test_status_and_encoding_are_read(tmp_path: Path) -> None:
    packed = {"text": base64.b64encode(b"[2]").decode(), "encoding": "base64"}
    refused = {"status": 503, "content": {"text": "no", "mimeType": "text/plain; charset=utf-8"}}
    entries = [entry(1, 0, content=packed), entry(2, 0, **refused)]
    found = [*recorded(archive(tmp_path, entries), "request.query.v", "response")]
    thing = Thing("http", ("status", "type", "body"), (503, "text/plain", "no"))
    assert found == [("1", [2]), ("2", thing)]


def test_the_status_of_what_is_made_with_one() -> None:
    made = with_status(503, "text/plain", "no")
    assert status_of(made) == 503
    assert [status_of(each) for each in ("no", replace(made, type="Report"))] == [200, 200]


def test_a_whole_body_is_compared_as_it_is_spelled(tmp_path: Path) -> None:
    """Blanks and escapes tell values apart; the input and parts of a body are plain."""
    texts = ('{"y": 1}', '{"y":  1}', '{"\\u0079": 1}', '{"y": 1.0}')
    for status in (200, 400):
        entries = [
            entry(i, 0, status=status, content={"text": text, "mimeType": "a/b"})
            for i, text in enumerate(texts)
        ]
        path = archive(tmp_path, entries)
        for place in ("response", "response.body"):
            keys = {key(report) for _, report in recorded(path, "request.query.v", place)}
            assert len(keys) == len(texts)
        parts = [report for _, report in recorded(path, "request.query.v", "response.body.y")]
        assert parts == [1, 1, 1, 1.0]
    path = archive(tmp_path, [entry(0, 0, content={"text": "[ 3]"})])
    assert [*recorded(path, "response.body", "response.body.0")] == [("[3]", 3)]


@pytest.mark.parametrize("leaky", [True, False])
def test_recorded_traffic_is_audited(tmp_path: Path, leaky: bool) -> None:
    rng = np.random.default_rng(5)
    inputs = rng.integers(0, 4, size=4000)
    kept = rng.random(4000) < np.e / (np.e + 3)
    drawn = np.where(kept, inputs, (inputs + rng.integers(1, 4, size=4000)) % 4)
    shown = inputs if leaky else drawn
    entries = [entry(x, y) for x, y in zip(inputs.tolist(), shown.tolist(), strict=True)]
    path = archive(tmp_path, [OTHER, *entries])
    target = Target(
        "file", str(path), inputs=(0, 1, 2, 3), column="request.query.v", output="response"
    )  # a query has texts only
    result = audit_target(target, Claim(1.0, level=1e-9))
    assert sum(result.samples) > 2000
    assert (result.verdict is AuditVerdict.VIOLATED) is leaky


def test_what_is_no_archive_or_no_place_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, [entry(1, 0)])
    for column, output, said in (
        ("input", "response", "--input"),
        ("request.query", "response", "--input"),
        ("request.query.v", "response.status.x", "--output"),
        ("request.query.w", "response", "--input"),
    ):
        with pytest.raises(ParameterError, match=said):
            [*recorded(path, column, output)]
    for text in ("[]", "{", '{"log": {"entries": 3}}', '{"log": {"entries": [1]}}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ParameterError, match="HTTP Archive"):
            [*recorded(path, "comment", "response")]
    with pytest.raises(ParameterError, match="no such file"):
        [*recorded(tmp_path / "none.har", "comment", "response")]
