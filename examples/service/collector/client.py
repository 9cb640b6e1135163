"""A client that keeps its report until it is acknowledged."""

from __future__ import annotations

import http.client
import random
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

from collector.records import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 60.0
_SECONDS = 10.0
_LATER = (408, 429)
_ANSWERS = {answer.value for answer in Answer}
_JITTER = random.SystemRandom()


class NotSentError(Exception):
    """The server could not be reached in all tries; the very same bytes may be sent later."""


def send(
    url: str,
    period: str,
    token: bytes,
    report: bytes,
    *,
    tries: int = 10,
    pause: Callable[[float], None] = time.sleep,
) -> Answer:
    """Send one report, and the very same bytes again until the server has an answer.

    A report is drawn once: a new draw for a new try would tell the server more.

    Args:
        url: of the service. period: a day, as "2026-11-24". token: of the user.
        report: as `Deployment.to_bytes` gives it; written to a file before this is called, if a
            device may lose power. tries: at most. pause: waits for so many seconds.

    Raises:
        NotSentError: no answer.
        TypeError: the token or the report is something else than bytes, such as hex digits.
        urllib.error.HTTPError, http.client.InvalidURL: the request is wrong, so do not repeat it.
    """
    for name, given in (("token", token), ("report", report)):
        if not isinstance(given, bytes):
            rule = "must be bytes, as bytes.fromhex makes them of hex digits"
            raise TypeError(f"{name} {rule}, not {type(given).__name__}")
    wait = FIRST_PAUSE
    for _ in range(tries):
        request = urllib.request.Request(f"{url}/v1/reports/{period}", data=token + report)
        request.add_header("content-type", "application/octet-stream")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as response:
                body = response.read(2)
            if body in _ANSWERS:
                return Answer(body)
        except urllib.error.HTTPError as error:
            # A proxy has statuses of its own, such as 502 while the service starts again.
            if error.code < 500 and error.code not in _LATER:
                raise
            error.close()
        except http.client.InvalidURL:
            raise
        except (OSError, http.client.HTTPException):
            pass  # no connection, or one that broke: within the status, say
        # Not all clients at once after an outage.
        pause(wait * (0.5 + _JITTER.random()))
        wait = min(2 * wait, LONGEST_PAUSE)
    raise NotSentError(f"no answer in {tries} tries")
