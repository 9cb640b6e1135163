"""Lecture notes on local differential privacy: what heavy hitters ask of a frequency oracle.

    A3    lists of heavy hitters are frequency oracles
    A4    oracles give lists
    A5    the reduction to the bits of a value

An oracle with error tau is off by tau at most, for every value at once.
"""

from ldp_verified.check.claims import (
    AllOf,
    Document,
    Entry,
    OpenReading,
    Part,
    Reading,
    Theorem,
    cells_apart,
    cells_at_most_users,
    found_by_bits,
    listed_above_tau,
    lists_of_oracles,
    missed_by_bits,
    part,
    queries_per_cell,
    reduction_keeps_epsilon,
)

ALONE = "no other value of a user is in its cell"

document = Document(
    "Lecture notes on local differential privacy",
    [
        Entry(
            "A3",
            """Every heavy-hitters algorithm is a frequency oracle; ignoring running time the two
            problems are the same. (A list has at most n values, and stands for 0 elsewhere.)""",
            part(
                "a list with error tau is an oracle with error tau",
                OpenReading(
                    "the error of a list is defined as its error as an oracle that answers 0 for "
                    "what it does not list, so nothing is left to decide"
                ),
            ),
            part(
                "whatever an oracle with error tau answers, some list has error tau",
                lists_of_oracles(1),
                adds="the same tau on both sides",
                correction=(
                    (
                        "the list of the values whose estimate exceeds tau has error 2 tau: each "
                        "has a frequency above 0, so at most n are; the rest have 2 tau at most"
                    ),
                    listed_above_tau(),
                ),
            ),
        ),
        Entry(
            "A4",
            """Every frequency oracle with error tau gives a heavy-hitters algorithm with error
            O(tau), the same eps, and almost the same running time, memory and communication.""",
            part(
                "whatever the running time: the list of the values whose estimate exceeds tau",
                AllOf(listed_above_tau(), Theorem("LDP.Combine.post_ldp")),
                adds="error 2 tau, and nothing is asked of the users beyond the oracle's reports",
            ),
            Part(
                Reading(
                    "the same eps, by the reduction of A5 as printed",
                    reduction_keeps_epsilon(),
                    "the transcript of its log2 |X| reports at eps each costs eps log2 |X|",
                ),
                Reading(
                    "by some reduction, with about the running time, memory and communication",
                    OpenReading(
                        "the one of A5 multiplies eps by log2 |X|, or splits the users over the "
                        "bits, which leaves fewer for each oracle; that none does neither is not "
                        "shown here"
                    ),
                ),
            ),
        ),
        Entry(
            "A5",
            """The reduction by a public hash and log2 |X| parallel oracles finds every x with
            f(x) >= 2 tau, has error 2 tau, costs eps log2 |X| in all; T of order n^2.""",
            part(
                "reports of log2 |X| oracles, each eps-LDP, are eps log2 |X|-LDP",
                Theorem("LDP.Protocols.sequential_ldp"),
                adds="finitely many outputs; each report perhaps in view of those before",
            ),
            part(
                "the bits of every x with f(x) >= 2 tau have the larger estimates in its cell",
                found_by_bits(strict=False),
                adds=f"{ALONE}, all estimates within tau",
                correction=(
                    "those of every x with f(x) > 2 tau have; at 2 tau a tie is possible",
                    found_by_bits(strict=True),
                ),
            ),
            part(
                "the error is 2 tau: what is left out, and stands for 0, has 2 tau at most",
                missed_by_bits(),
                adds=f"{ALONE}; what is listed is off by tau",
            ),
            part(
                "T = n^2 cells keep the values of n users apart with probability 1/2 at least",
                cells_apart(),
                adds="pairs of different values share a cell with probability 1/T; union bound",
            ),
            part(
                "the list has at most n values, as A3 asks of a list",
                cells_at_most_users(),
                adds="one value for each of T = n^2 cells",
                correction=(
                    "it has if only values with an estimate above tau are kept: each is held",
                    listed_above_tau(),
                ),
            ),
            part(
                "the running time is about n^2 queries: a constant number in each of n^2 cells",
                queries_per_cell(),
                adds="both pairs of each bit are queried, 2 log2 |X| in all; the constant is 2",
            ),
        ),
    ],
)
