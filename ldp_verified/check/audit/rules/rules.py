"""The named checks of an audit, LDP001 and on: what each looks for and why it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Rule:
    """One check.

    Attributes:
        id: stable, "LDP001".
        title: what should hold.
        why: what goes wrong where it does not.
        how: how it is checked, and what that does not show.
        violates: whether breaking it makes the claim of eps false, not only doubtful.
    """

    id: str
    title: str
    why: str
    how: str
    violates: bool


@dataclass(frozen=True)
class Finding:
    """A rule that a target breaks.

    Attributes:
        rule: its id.
        message: what was seen, with counts; what a target calls itself in it is written out.
        replay: what shows it again.
    """

    rule: str
    message: str
    replay: dict[str, Any]

    def __post_init__(self) -> None:
        """Write out in the message what a terminal would obey."""
        object.__setattr__(self, "message", printable(self.message))

    @property
    def violates(self) -> bool:
        """Return whether the finding makes the claim false."""
        return RULES[self.rule].violates


def told(findings: Sequence[Finding]) -> list[tuple[str, str, dict[str, Any]]]:
    """Findings as they cross from a target's process."""
    return [(each.rule, each.message, each.replay) for each in findings]


def heard(found: Any) -> list[Finding]:
    """Findings that came from a target's process.

    Raises:
        ValueError: something else came.
    """
    read = []
    for rule, message, replay in found:
        if rule not in RULES or type(message) is not str or type(replay) is not dict:
            raise ValueError("no finding")
        read.append(Finding(rule, message, replay))
    return read


_ALL = (
    Rule(
        "LDP001",
        "the type of an output does not depend on the input",
        "A list for one answer and a generator, another dtype or None for the other tells the "
        "answer, whatever the contents.",
        "The classes, dtypes and item classes of outputs are compared between inputs; one that is "
        "constant for each of two inputs and differs between them is a witness.",
        True,
    ),
    Rule(
        "LDP002",
        "the length of an output does not depend on the input",
        "The number of items or bytes is seen by whoever sees the report, even encrypted.",
        "As LDP001, with lengths.",
        True,
    ),
    Rule(
        "LDP003",
        "no fixed slot of the output holds the input",
        "A report (truth, noise...) protects nobody.",
        "An item of the output that equals the input in every single sample of every input.",
        True,
    ),
    Rule(
        "LDP004",
        "exceptions do not depend on the input",
        "Whether a client fails is seen by the server; if only some values make it fail, it tells "
        "them.",
        "Inputs of which all outputs are exceptions, beside inputs with none.",
        True,
    ),
    Rule(
        "LDP005",
        "two runs do not give the same outputs",
        "A fixed default seed makes the noise known: whoever runs the same code subtracts it.",
        "A target with more than one possible output gives one long run of outputs; two fresh "
        "processes, or two fresh objects, give the same run, and another one for other inputs.",
        True,
    ),
    Rule(
        "LDP006",
        "consecutive reports do not repeat",
        "A generator that is created anew for each call, or seeded with the value or the time, "
        "gives the same noise again.",
        "Reports of one input are compared with those just before: equal neighbours, far more "
        "often than equal pairs elsewhere.",
        False,
    ),
    Rule(
        "LDP007",
        "the global random state is left alone",
        "A target that seeds the shared generators makes other people's noise predictable, and its "
        "own where others do the same.",
        "The states of `random` and `numpy.random` before and after: set to a state that does not "
        "depend on the one before.",
        False,
    ),
    Rule(
        "LDP008",
        "values outside the domain cannot be told from the output",
        "None, NaN, a huge or an unknown value often takes another path: an exception, a zero "
        "vector, the value itself.",
        "Outputs of such values are compared with those of values of the domain; a refusal "
        "(exception) of all of them alike is reported as such, not as a violation.",
        False,
    ),
    Rule(
        "LDP009",
        "repeated reports of one value are covered by the claim",
        "Fresh noise each time is averaged away: eps adds up over reports unless a permanent "
        "answer is kept.",
        "Sequences of reports of one input by one client are audited as one output.",
        True,
    ),
    Rule(
        "LDP010",
        "the server's estimate is unbiased, with the variance its table gives",
        "A wrong estimator is the usual sign that client and server disagree about probabilities.",
        "Estimates over repeated populations (--estimator) against the derived expectation, by an "
        "exact test of the mean and a Chernoff bound on the spread.",
        False,
    ),
    Rule(
        "LDP011",
        "the domain of outputs does not depend on the data",
        "A server or client that takes its domain from the values it is given shows which values "
        "there are: with one row, that row.",
        "A function of whole columns is run on one-row columns; the possible outputs must not "
        "differ.",
        True,
    ),
    Rule(
        "LDP012",
        "noise does not come from a generator that public values give away",
        "A seed or index in the report that was drawn by the generator of the noise lets others "
        "run it back; one that seeds it gives the noise at once.",
        "Calls from equal generator states: parts of the output that vary with the state and not "
        "with the input, beside parts that vary with both. And seeds of generators made during a "
        "call that stand in its output. Compiled code is not seen; a generator that only picks a "
        "public hash function is harmless.",
        False,
    ),
    Rule(
        "LDP013",
        "a report does not tell the inputs before its own",
        "A client or service that keeps the last value and sends it with the next report tells it "
        "to everybody, one report late.",
        "Events are learnt and tested between reports and the inputs one and two steps before, and "
        "between two reports in a row, read as one, and the input of either, at "
        "a part of the audit's level set aside for them; and of a Python target that is started "
        "anew, whether its first report is the last value before, in clear. A bound above the "
        "claimed eps breaks the rule. Files are left out: their order is not ours.",
        True,
    ),
    Rule(
        "LDP014",
        "values outside the domain that can occur keep the claim too",
        "A client that is given a value that it does not know often sends it in clear, or fails.",
        "Each value that --outside names is audited beside the first input, exceptions included. "
        "That it can occur is the auditor's word; values that are not named are not looked at.",
        True,
    ),
    Rule(
        "LDP015",
        "the claimed variance is one that the estimator can have",
        "A wrong variance gives intervals that do not cover, and choices between mechanisms that "
        "are wrong.",
        "The number that --variance names is compared with the derived variances of a count and of "
        "a frequency, from nobody to everybody holding the value. One inside that range can still "
        "be wrong for the share at hand.",
        False,
    ),
    Rule(
        "LDP016",
        "normal noise is as large as the claim needs",
        "Noise whose size was taken from a formula that is false at this eps, or from a smaller "
        "domain, does not keep the claim, and counts would need too many samples to show it.",
        "With --as gaussian and no sigma: means and sigma are estimated, with exact limits of "
        "level 1e-6 together, and delta follows from them. Assumed: normal noise of one size. "
        "Skewness, kurtosis and equal sizes are checked, which shows only gross departures.",
        True,
    ),
    Rule(
        "LDP017",
        "the time of an answer does not depend on the input",
        "Whoever sees when a report comes sees how long it took to make.",
        "With --timing: each answer's duration is an output of its own, compared with the calls "
        "before it, and events on it are learnt and tested at a level of their own. Durations of "
        "one machine: noise there hides what another would show.",
        True,
    ),
    Rule(
        "LDP018",
        "what is written or sent beside an answer does not depend on the input",
        "Logs are shipped to others, headers are kept by proxies, and the size of an encrypted "
        "message is seen by whoever carries it.",
        "With --beside: the standard streams of a Python target, stderr and the bytes of the line "
        "of a program, headers and the bytes of the body of a service are outputs of their own; "
        "events on them are learnt and tested at a level of their own. Files, sockets and log "
        "handlers that write elsewhere are not seen.",
        True,
    ),
    Rule(
        "LDP019",
        "a server's intervals hold the true count as often as they claim",
        "An interval that is too narrow makes noise look like a finding.",
        "With --interval: intervals of fresh populations of 100 users beside their true counts; "
        "the populations without the count are compared with --confidence by an exact binomial "
        "test for each value. Intervals that are only too wide are no finding.",
        False,
    ),
    Rule(
        "LDP020",
        "reports on file are those of the mechanism that is claimed",
        "Whoever holds only the reports cannot audit the clients, but a wrong eps, a wrong domain "
        "or reports made twice show in them.",
        "With --fit: counts of supported values, of items in a report and of equal reports against "
        "what the claimed table allows, whatever the true values are; exact tails, level shared "
        "between all of them. Another mechanism can have the same counts.",
        True,
    ),
)
RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}

OF_SERVERS = ("LDP010", "LDP015", "LDP019")
"""The rules about a server. Each runs only where an option asks for it, so it fails the audit."""

APART = (
    *(f"LDP{number:03d}" for number in range(5, 13)),
    "LDP014",
    "LDP015",
    "LDP016",
    "LDP017",
    "LDP018",
    "LDP019",
    "LDP020",
)
"""Rules that are not looked at while sampling."""
