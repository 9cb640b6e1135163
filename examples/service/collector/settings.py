"""What an operator sets, by environment variables that begin with COLLECTOR_."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "COLLECTOR_"
KEY_BYTES = 32


@dataclass(frozen=True)
class Settings:
    """The settings of all workers.

    Attributes:
        database: of PostgreSQL, as libpq reads it.
        deployment: path of the descriptor. keys: path of the file that `make_keys` writes.
        counters: folder of the counters of all workers, for `/metrics`.
        simulated: 1 where reports are simulated ones; others are refused then.
        clock: "utc" to open and end periods by the date, "manual" to do so by `roll` only.
        keep_open: days that a period is open after its own.
        largest_body: bytes of a request. rate, burst: reports a second of one address and worker,
            and how many may come at once.
        most_waiting: reports that wait for the database, of one worker; more are turned away.
        patience: seconds to try again where the database is away.
        fold_every: seconds between two times that a worker adds what waits to the states.
    """

    database: str
    deployment: Path
    keys: Path
    counters: Path
    simulated: bool = False
    clock: str = "utc"
    keep_open: int = 1
    largest_body: int = 1 << 20
    rate: float = 20_000.0
    burst: float = 40_000.0
    most_waiting: int = 100_000
    patience: float = 5.0
    fold_every: float = 5.0

    def __post_init__(self) -> None:
        """Check what types do not say."""
        if self.clock not in ("utc", "manual"):
            raise ValueError(f"COLLECTOR_CLOCK must be utc or manual, not {self.clock!r}")
        for name in ("largest_body", "rate", "burst", "most_waiting", "patience", "fold_every"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{PREFIX}{name.upper()} must be above 0")
        if self.keep_open < 0:
            raise ValueError("COLLECTOR_KEEP_OPEN must be at least 0")

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings of an environment.

        Raises:
            ValueError: a variable is missing, unknown, or no such number.
        """
        types = get_type_hints(cls)
        given = {
            n[len(PREFIX) :].lower(): v for n, v in environment.items() if n.startswith(PREFIX)
        }
        unknown = sorted(set(given) - set(types))
        if unknown:
            raise ValueError(f"there is no setting {PREFIX}{unknown[0].upper()}")
        missing = [f.name for f in fields(cls) if f.name not in given and f.name in _REQUIRED]
        if missing:
            raise ValueError(f"{PREFIX}{missing[0].upper()} must be set")
        values: dict[str, Any] = {n: _value(n, types[n], text) for n, text in given.items()}
        return cls(**values)

    def to_environment(self) -> dict[str, str]:
        """The variables that `read` gives these settings for."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        texts = {name: str(int(v) if isinstance(v, bool) else v) for name, v in values.items()}
        return {PREFIX + name.upper(): text for name, text in texts.items()}


_REQUIRED = ("database", "deployment", "keys", "counters")


def _value(name: str, wanted: type, text: str) -> object:
    try:
        if wanted is bool:
            return {"0": False, "1": True}[text]
        return wanted(text)
    except (KeyError, ValueError):
        rule = "0 or 1" if wanted is bool else f"of type {wanted.__name__}"
        raise ValueError(f"{PREFIX}{name.upper()} must be {rule}, not {text!r}") from None


@dataclass(frozen=True)
class Keys:
    """Two secrets, 32 bytes each; kept apart from the database.

    Attributes:
        registry: hashes users and reports. tokens: signs the names of users.
    """

    registry: bytes
    tokens: bytes

    @classmethod
    def read(cls, path: Path) -> Keys:
        """The keys of a file.

        Raises:
            OSError: it cannot be read. ValueError: it holds no keys; the error repeats none.
        """
        try:
            found = json.loads(path.read_text())
            keys = cls(bytes.fromhex(found["registry"]), bytes.fromhex(found["tokens"]))
        except (ValueError, KeyError, TypeError):
            raise ValueError("the file of keys must be one that `make-keys` wrote") from None
        if {len(keys.registry), len(keys.tokens)} != {KEY_BYTES} or keys.registry == keys.tokens:
            raise ValueError("the file of keys must be one that `make-keys` wrote")
        return keys


def make_keys(path: Path) -> None:
    """Write new keys, readable for their owner alone.

    Raises:
        FileExistsError: there is a file; who loses its keys counts everybody again.
    """
    keys = {name: secrets.token_hex(KEY_BYTES) for name in ("registry", "tokens")}
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(keys, file)
