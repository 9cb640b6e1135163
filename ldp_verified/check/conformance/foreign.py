"""Somebody's own client of a mechanism: what it answers, compared with the mechanism's table.

The client is asked one value after the other and answers with the numbers of a report, as programs
(`ldp_verified.run.program`) have them. One that keeps answers is asked for the values of one new
user after those of the other, and answers with the reports of each. What it draws comes from its
own source: no seed replays it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.expectation import expectation, spec_of
from ldp_verified.check.conformance.bloom_clients import rappor_scene
from ldp_verified.check.conformance.each_value import asked_of
from ldp_verified.check.conformance.exchange import exchanged
from ldp_verified.check.conformance.group_clients import (
    GroupProtocol,
    columns_sent,
    group_scene,
)
from ldp_verified.check.conformance.grouped import held_values, lists, reports_scene, whole
from ldp_verified.check.conformance.memoised import memoised_scene
from ldp_verified.check.conformance.numeric import NumericSubject, numeric_subject
from ldp_verified.check.conformance.restarts import RestartSubject, of_law, of_looks, of_numbers
from ldp_verified.check.conformance.stateful_clients import BULK_LIMIT, ProtocolSubject
from ldp_verified.check.conformance.subjects import Subject
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    DBitFlip,
    Rappor,
)
from ldp_verified.protocols.bloom import check_strings
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.grouped_states import GROUP_STATES
from ldp_verified.protocols.longitudinal import Longitudinal
from ldp_verified.run.kernels.family import digit_count
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.program.form import LARGEST
from ldp_verified.run.realize.programmed import ProgrammedNumber, ProgrammedRandomizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ask = Callable[[Sequence[str]], Sequence[Any]]
"""Lines that go in, one for each value, to what came out for each: a number or a list of them."""

REPORTS = 400_000
"""Reports that a client is asked for unless it is said otherwise."""

CLIENT_SHARE = 4
"""One new user of a client that keeps answers, who reports three times, for so many reports."""

MOST_CLASSES = 1 << 12
"""Pairs of reports that are told apart, at most."""

SECONDS = 600
"""Time that a client has for a lot of values."""

_DIGITS = re.compile(r"[0-9]{1,20}")


def asked(command: Sequence[str]) -> Ask:
    """A program that reads one value per line and answers each with one line, as JSON.

    It is started for each lot of values and ends with its input.

    Args:
        command: the program and its arguments.

    Raises:
        ParameterError: when it is asked: it cannot be run, does not end well or in time, or does
            not answer each line with one.
    """
    if not command:
        raise ParameterError("--client", "must name a program", command)

    def ask(lines: Sequence[str]) -> list[Any]:
        try:
            done = exchanged(command, lines, SECONDS)
        except OSError as error:
            raise ParameterError("--client", f"must run ({error})", command) from None
        except subprocess.TimeoutExpired:
            rule = f"must answer {len(lines)} values in {SECONDS} seconds, and end"
            raise ParameterError("--client", rule, command) from None
        if done.code:
            said = done.said.decode("utf-8", "replace").strip()[-200:]
            rule = f"must end with 0 when its input ends, not with {done.code}"
            rule += f": {said}" if said else ""
            raise ParameterError("--client", rule, command)
        answers = done.out.decode("utf-8", "replace").splitlines()
        if len(answers) != len(lines):
            rule = f"must write one line for each of {len(lines)} values"
            raise ParameterError("--client", rule, len(answers))
        try:
            return [read_json(answer) for answer in answers]
        except NotJsonError as error:
            raise ParameterError("--client", f"must answer in JSON ({error})", command) from None

    return ask


def client_subject(
    made: object, ask: Ask, name: str, strings: tuple[str, ...] = ()
) -> Subject | NumericSubject | ProtocolSubject:
    """Return the subject that `conform` runs to check a client.

    Args:
        made: what the client is said to draw: a mechanism, a protocol of groups, tuples, sets or
            texts, or one that keeps answers.
        ask: how it is asked.
        name: of the client, for the report.
        strings: those that a client of RAPPOR knows by their places; of RAPPOR alone.

    Raises:
        ParameterError: no table of it is known here, or one that has too many classes; or the
            strings are missing, or given where values are numbers.
    """
    shown = f"{name} ({made!r})"
    if isinstance(made, Rappor):
        known = check_strings(strings)
        _require_few(2 * made.cohorts, 2)
        send_bits, lines = bits_sent_of(made, ask), [f"0 0 {len(known) - 1}"]
        scene = rappor_scene(
            made,
            lambda users, _: send_bits(lines * users),
            known,
            share=CLIENT_SHARE,
            limit=BULK_LIMIT,
        )
        return ProtocolSubject(shown, (scene,), asked=(_in_lines(shown, lines[0]),))
    if strings:
        raise ParameterError("strings", "must be left out: values are numbers", strings)
    if isinstance(made, Longitudinal):
        _require_few(*_choices_and_symbols(made))
        send, lines = sent_of(made, ask), [f"0 0 {made.k - 1}"]
        scene = memoised_scene(
            made, lambda users, _: send(lines * users), share=CLIENT_SHARE, limit=BULK_LIMIT
        )
        return ProtocolSubject(shown, (scene,), asked=(_in_lines(shown, lines[0]),))
    if isinstance(made, GroupedHashing):
        _require_short(made)
        rows = rows_of(made, ask)
        scene = reports_scene(
            made,
            GROUP_STATES[type(made)],
            lambda value, users, _: made.reports_of(rows([value] * users)),
            CLIENT_SHARE,
        )
        said = asked_of(shown, 1 << made.width, held_values(made))
        return ProtocolSubject(shown, (scene,), asked=(said,))
    if isinstance(made, GroupProtocol):
        rows = rows_of(made, ask)
        scene, values = group_scene(made, lambda value, users: rows([value] * users))
        said = asked_of(shown, made.program().inputs, values)
        return ProtocolSubject(shown, (scene,), asked=(said,))
    if not isinstance(made, ProgrammedRandomizer | ProgrammedNumber):
        rule = "must be one whose clients are counted here: docs/devices.md says which"
        raise ParameterError("NAME", rule, type(made))
    sampler = made.sampler()
    most = min(int(np.iinfo(sampler.dtype).max), made.program().below - 1)

    def draw(lines: list[str]) -> NDArray[Any]:
        rows = [_numbers(answer, sampler.columns, most) for answer in ask(lines)]
        with _of_client():
            return made.reports_of(np.array(rows, dtype=np.uint64)).data

    # The client has a source of its own: no generator is handed to it.
    if isinstance(made, ProgrammedNumber):
        return replace(
            numeric_subject(made),
            name=shown,
            draw=lambda shares, _: draw([str(round(share * UNIT)) for share in shares.tolist()]),
            secure=False,
            afresh=True,
        )
    return Subject(
        shown,
        lambda values, _: draw([str(value) for value in values.tolist()]),
        expectation(made, spec_of(made)),
    )


def restart_subject(
    made: object,
    ask: Ask,
    subject: Subject | NumericSubject | ProtocolSubject,
    strings: tuple[str, ...] = (),
) -> RestartSubject:
    """Return the client of `client_subject` to be started twice and asked for one value repeatedly.

    Args:
        made: as in `client_subject`. ask: how the client is asked; each call starts it anew.
        subject: what `client_subject` gave. strings: as there.
    """
    if isinstance(subject, NumericSubject):
        share = Fraction(round(subject.shares[1] * UNIT), UNIT)
        line, agreement = str(round(share * UNIT)), of_numbers(subject, share)
    elif isinstance(subject, Subject):
        last = subject.expected.k - 1
        line, agreement = str(last), subject.expected.agreement(last, 0)
    else:
        looks = subject.scenes[0].looks
        if isinstance(made, Rappor | Longitudinal):
            line = f"0 0 {len(strings) - 1 if isinstance(made, Rappor) else made.k - 1}"
            agreement = of_law(looks[0].probabilities)
        elif isinstance(made, GroupedHashing):
            line = str(0 if made.bits is not None else number_of_text(made, ""))
            agreement = of_looks(looks[:2])
        else:
            line, agreement = "0", of_looks(looks, "x = 0, ")
    return RestartSubject(subject.name, lambda times: ask([line] * times), agreement)


def _require_few(choices: int, symbols: int) -> None:
    """Refuse a protocol of whose reports too many pairs would have to be counted."""
    classes = (choices * symbols) ** 2
    if classes > MOST_CLASSES:
        rule = f"must have at most {MOST_CLASSES} pairs of reports: generate it with fewer values"
        raise ParameterError("NAME", rule, classes)


def _choices_and_symbols(made: Longitudinal) -> tuple[int, int]:
    """Return how many public choices a client has, and how many answers for each."""
    if isinstance(made, LOLOHA):
        return made.g ** digit_count(made.k, made.g), made.g
    if isinstance(made, DBitFlip):
        return comb(made.b, made.d), 1 << made.d
    return 1, made.k if isinstance(made, LGRR) else 1 << made.k


def _in_lines(shown: str, line: str) -> str:
    return f"{shown}: asked each user for the values {line}, to see that answers are kept"


def _asked_thrice(ask: Ask, lines: Sequence[str]) -> list[list[Any]]:
    """The first, second and third answers of new users, each of whom has a line."""
    answers = ask(lines)
    for answer in answers:
        if not isinstance(answer, list) or len(answer) != 3:
            rule = "must answer the three values of a line with a list of three reports, as JSON"
            raise ParameterError("--client", rule, str(answer)[:80])
    return [[answer[i] for answer in answers] for i in range(3)]


def sent_of(made: Longitudinal, ask: Ask) -> Callable[[Sequence[str]], list[NDArray[Any]]]:
    """Return a function of what users of a client send, in the protocol's layout.

    Args:
        made: the protocol. ask: the client; a line has the three values of one user.
    """
    layout = made.empty().oracle.layout
    shape = layout.shape
    columns = sum(field.columns for field in shape.fields)
    most = min(int(np.iinfo(shape.dtype).max), made.program().below - 1)

    def send(lines: Sequence[str]) -> list[NDArray[Any]]:
        found = []
        for answers in _asked_thrice(ask, lines):
            rows = [_numbers(answer, columns, most) for answer in answers]
            data = np.array(rows, dtype=shape.dtype)
            with _of_client():
                found.append(layout.check(data[:, 0] if shape.flat else data))
        return found

    return send


def _require_short(made: GroupedHashing) -> None:
    """Refuse a protocol of so many public functions that each would be named too rarely."""
    count = sum(len(functions) for functions in lists(made) if functions is not None)
    if count > MOST_CLASSES:
        rule = f"must have at most {MOST_CLASSES} public functions: generate it with fewer"
        raise ParameterError("NAME", rule, count)


def rows_of(
    made: GroupedHashing | GroupProtocol, ask: Ask
) -> Callable[[Sequence[Any]], NDArray[np.uint64]]:
    """Return a function of the numbers that users of a client send, from the value of each.

    A value is asked for as clients take it: an integer, or a text as one of 128 bits.

    Args:
        made: the protocol. ask: the client.
    """
    columns = (
        made.in_group + 4 * made.reports_per_user
        if isinstance(made, GroupedHashing)
        else columns_sent(made)
    )

    def line_of(value: Any) -> str:
        if isinstance(made, GroupedHashing) and made.bits is None:
            return str(number_of_text(made, value))
        return str(value)

    def send(values: Sequence[Any]) -> NDArray[np.uint64]:
        lines = {value: line_of(value) for value in {*values}}
        rows = [_numbers(answer, columns) for answer in ask([lines[value] for value in values])]
        data = np.array(rows, dtype=np.uint64)
        with _of_client():
            made.reports_of(data)
        return data

    return send


def number_of_text(made: GroupedHashing, value: Any) -> int:
    """An encoded value as one number.

    Args:
        made: the protocol. value: of its domain.
    """
    return whole(made.encode([value])[0])


def bits_sent_of(made: Rappor, ask: Ask) -> Callable[[Sequence[str]], list[Any]]:
    """Return a function of the cohorts and bits that users of a client send.

    Args:
        made: the protocol. ask: the client; a line has the three values of one user.
    """
    several = int(made.cohorts > 1)
    columns = several + made.encoder.blocks

    def send(lines: Sequence[str]) -> list[Any]:
        found = []
        for answers in _asked_thrice(ask, lines):
            rows = [_numbers(answer, columns) for answer in answers]
            data = np.array(rows, dtype=np.uint64)
            cohorts = np.minimum(data[:, 0], made.cohorts).astype(np.int64) * several
            found.append((cohorts, np.ascontiguousarray(data[:, several:])))
        return found

    return send


@contextmanager
def _of_client() -> Iterator[None]:
    """Say of whatever is refused as a report that the client gave it."""
    try:
        yield
    except LdpError as error:
        raise ParameterError("--client", f"must answer with reports: {error}") from None


def _numbers(answer: Any, count: int, most: int = LARGEST) -> list[int]:
    """The numbers of a report from what JSON gave: integers, or their digits as text."""
    given = answer if isinstance(answer, list) else [answer]
    found = [int(n) if isinstance(n, str) and _DIGITS.fullmatch(n) else n for n in given]
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in found)
    if len(found) != count or not whole or not all(0 <= n <= most for n in found):
        rule = f"must answer each value with {count} number(s) in 0..{most}, as JSON"
        raise ParameterError("--client", rule, str(answer)[:80])
    return found
