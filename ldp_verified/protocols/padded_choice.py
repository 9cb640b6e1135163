"""The better one of the two kinds of padding and sampling."""

from __future__ import annotations

from ldp_verified.protocols.padding import PaddedHashing, PaddedResponse


def padded_sampling(epsilon: float, k: int, length: int) -> PaddedResponse | PaddedHashing:
    """Make the one of the two whose counts of rare items have the smaller variance.

    That is k-ary response below k = l (4 l - 1) e^eps + 1, up to the integer number of buckets and
    the rounding of tables, which are taken as they are.

    Args:
        epsilon: of a report, in nats. k: number of items.
        length: l, to which sets are padded or cut.

    Raises:
        ParameterError: a parameter is out of range.
    """
    response = PaddedResponse(epsilon, k, length)
    hashing = PaddedHashing(epsilon, k, length)
    return response if response.variance(1) <= hashing.variance(1) else hashing
