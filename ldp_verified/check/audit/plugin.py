"""A pytest plugin: `@pytest.mark.ldp(epsilon=1.0, inputs=...)` on a test that returns a randomizer.

    @pytest.mark.ldp(epsilon=1.0, inputs=range(4))
    def test_client():
        return Client(epsilon=1.0).privatise

Without `inputs` in the marker the test returns (randomizer, inputs). A true claim fails with
probability at most 1e-9 (`false_alarm=`); see `assertion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

MARKER = (
    "ldp(epsilon, inputs, delta=0, n=20000, false_alarm=1e-9, sees=None, mechanism=None, "
    "reading=None, bulk=False, seed=None, in_process=False): the randomizer that the test returns "
    "is audited"
)


SECTION = "Captured ldp call"
"""How pytest names what an audit said, in the report of its test."""


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", MARKER)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Call a marked test and audit what it returns; others are none of our business."""
    marker = pyfuncitem.get_closest_marker("ldp")
    if marker is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    if marker.args:
        raise AssertionError("the marker ldp takes keywords only: ldp(epsilon=..., inputs=...)")
    randomizer, options = pyfuncitem.obj(**arguments), dict(marker.kwargs)
    if isinstance(randomizer, tuple) and len(randomizer) == 2 and "inputs" not in options:
        randomizer, options["inputs"] = randomizer
    if not callable(randomizer):
        raise AssertionError("a test marked ldp must return the randomizer to audit")
    if "inputs" not in options:
        raise AssertionError("say which inputs there are: ldp(inputs=...), or return them too")
    from ldp_verified.check.audit.assertion import assert_ldp

    result = assert_ldp(randomizer, **options)
    said = f"eps >= {result.bound:.4g}, claimed {result.epsilon:g}, seed {result.seed}"
    said = "\n".join([said, *result.notes])
    pyfuncitem.add_report_section("call", "ldp", said)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once what the audits that passed did not look at."""
    passed = [
        report
        for report in terminalreporter.getreports("passed")
        if any(name == SECTION for name, _ in report.sections)
    ]
    if passed:
        from ldp_verified.check.audit.assertion import NOT_RUN

        terminalreporter.write_line(f"ldp: {len(passed)} audited and not seen to fail. {NOT_RUN}")
