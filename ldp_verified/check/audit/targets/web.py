"""A randomizer behind a URL: one request for each input, several at a time.

What an observer of the answer sees is the output: status, content type and body. The body is read
as JSON where it is JSON, else as text. Answers come back to the places of their questions, so that
requests that overtake each other are no matter. A request that fails is an output "no answer".
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ldp_verified.check.audit.budget import Budget, SpentError
from ldp_verified.check.audit.targets.outputs import settle
from ldp_verified.check.audit.targets.process import TIMEOUT
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.sources import DrawnSamples, check_inputs
from ldp_verified.check.audit.targets.spelling import spelled
from ldp_verified.check.audit.targets.things import with_status
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

PLACE = "{input}"
CONCURRENCY = 8
LARGEST = 1 << 24
"""Bytes of a body that are read."""


def request(url: str, body: str | None, value: Any) -> urllib.request.Request:
    """The request for one input.

    Args:
        url: with `{input}` for the value as text, quoted. body: with `{input}` for it as JSON.
        value: the private value.
    """
    text = value if isinstance(value, str) else json.dumps(value)
    found = urllib.request.Request(url.replace(PLACE, quote(text, safe="")))
    found.add_header("User-Agent", "ldp-verified")
    if body is not None:
        found.data = body.replace(PLACE, json.dumps(value)).encode()
        found.add_header("Content-Type", "application/json")
    return found


class _Same(urllib.request.HTTPRedirectHandler):
    """A redirection is an answer, and not followed."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class WebAnswer:
    """One answer of a service.

    Attributes:
        status, headers, data: as they came.
        reason: the words behind the status; a service may choose them.
    """

    status: int
    headers: Message
    data: bytes
    reason: str = ""


def fetched(
    opener: urllib.request.OpenerDirector, asked: urllib.request.Request, s: float
) -> WebAnswer | Raised:
    """One answer, whatever its status.

    Args:
        opener: of connections. asked: the request. s: seconds to wait.
    """
    try:
        with opener.open(asked, timeout=s) as got:
            return WebAnswer(got.status, got.headers, got.read(LARGEST), got.reason)
    except urllib.error.HTTPError as error:
        with error:
            return WebAnswer(
                error.code, error.headers or Message(), error.read(LARGEST), str(error.reason)
            )
    except Exception as error:  # an observer sees that nothing came
        return Raised("NoAnswer", type(error).__name__)


def around(answer: WebAnswer | Raised) -> Any:
    """An answer's status words, its headers but `date`, and the bytes of its body; see `beside`."""
    if isinstance(answer, Raised):
        return answer
    found: dict[str, Any] = {"bytes": len(answer.data), "reason": answer.reason}
    for name, value in answer.headers.items():
        slot = f"header {name.lower()}"
        if name.lower() != "date":
            found[slot] = f"{found[slot]}\n{value}" if slot in found else str(value)
    return found


def output(answer: WebAnswer | Raised) -> Any:
    """The output that the audit judges: the body, with status and type where it is no plain 200."""
    if isinstance(answer, Raised):
        return answer
    return _read(answer.status, answer.headers.get_content_type(), answer.data)


def _read(status: int, kind: str, data: bytes) -> Any:
    body = spelled(data.decode("utf-8", "backslashreplace"))
    if status == 200 and not isinstance(body, Raised):
        return body
    return settle(with_status(status, kind, body))


def from_http(
    url: str,
    inputs: Sequence[Any],
    *,
    body: str | None = None,
    timeout: float = TIMEOUT,
    concurrency: int = CONCURRENCY,
    budget: Budget | None = None,
) -> DrawnSamples:
    """A service as a target.

    Args:
        url: of http or https. body: of a POST; None for a GET. One of them holds `{input}`.
        inputs: the private values.
        timeout: seconds for one request.
        concurrency: requests at a time.
        budget: what may be asked of it.

    Returns:
        A source of samples.

    Raises:
        ParameterError: the URL is none, `{input}` stands nowhere, or `concurrency` is below 1.
    """
    labels = check_inputs(inputs)
    check(url, body, concurrency)
    limits = Budget() if budget is None else budget
    opener = urllib.request.build_opener(_Same)

    def asked(indices: NDArray[np.int64], shown: Callable[[WebAnswer | Raised], Any]) -> list[Any]:
        found: list[Any] = []
        with ThreadPoolExecutor(concurrency) as pool:
            while len(found) < len(indices):
                start = len(found)
                wanted = limits.take(min(len(indices) - start, 16 * concurrency), found)
                several = [request(url, body, labels[i]) for i in indices[start : start + wanted]]
                found += pool.map(lambda one: shown(fetched(opener, one, timeout)), several)
                if len(found) <= 16 * concurrency and all(_lost(each) for each in found):
                    raise _unreached(url, found)
        return found

    def ask(indices: NDArray[np.int64]) -> list[Any]:
        return asked(indices, output)

    def beside(indices: NDArray[np.int64]) -> list[Any]:
        return asked(indices, around)

    return DrawnSamples(url, labels, ask, 2048, beside=beside)


def _lost(output: Any) -> bool:
    return isinstance(output, Raised) and output.type == "NoAnswer"


def _unreached(url: str, found: list[Any]) -> Exception:
    words = found[0].message
    if len(found) < 4:
        return SpentError(found, f"stopped early: no answer ({words})")
    return ParameterError("--http", f"must answer: no request of {len(found)} did ({words})", url)


def check(url: str, body: str | None, concurrency: int) -> None:
    """Refuse what cannot be asked.

    Raises:
        ParameterError: as for `from_http`.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ParameterError("--http", "must be a URL of http or https", url)
    if PLACE not in url and PLACE not in (body or ""):
        raise ParameterError("--body", f"must hold {PLACE}, or the URL", body)
    if isinstance(concurrency, bool) or concurrency < 1:
        raise ParameterError("--concurrency", "must be at least 1", concurrency)
