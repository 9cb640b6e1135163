"""The commands of an operator: `python -m collector COMMAND`."""

from __future__ import annotations

import argparse
import secrets
import sys
from datetime import date
from pathlib import Path

import psycopg
import uvicorn

from collector.migrations import SchemaError, migrate
from collector.records import USER_BYTES, token
from collector.settings import Keys, Settings, make_keys
from collector.store import Store, UnavailableError
from ldp_verified.deploy import load_deployment


def main(given: list[str] | None = None) -> None:
    """Run a command; settings come from the environment."""
    parser = argparse.ArgumentParser(prog="collector", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make-keys", help="write new keys").add_argument("path", type=Path)
    commands.add_parser("migrate", help="bring the database to this program's schema")
    commands.add_parser("token", help="print the token of a new user")
    roll = commands.add_parser("roll", help="open a day's period, and end old ones")
    roll.add_argument("day", type=date.fromisoformat)
    forget = commands.add_parser("forget", help="delete hashes of users of closed periods")
    forget.add_argument("before", type=date.fromisoformat)
    serve = commands.add_parser("serve", help="take reports")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8000)
    serve.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(given)
    try:
        run(options)
    except (OSError, ValueError, SchemaError, UnavailableError) as error:
        sys.exit(f"collector: {error}")


def run(options: argparse.Namespace) -> None:
    """Run what was parsed.

    Raises:
        OSError, ValueError, SchemaError, UnavailableError: as the commands do.
    """
    if options.command == "make-keys":
        make_keys(options.path)
        return
    settings = Settings.read()
    if options.command == "migrate":
        with psycopg.connect(settings.database, autocommit=True) as base:
            sys.stdout.write(f"{migrate(base)} migrations applied\n")
        return
    keys = Keys.read(settings.keys)
    if options.command == "token":
        sys.stdout.write(token(keys.tokens, secrets.token_bytes(USER_BYTES)).hex() + "\n")
        return
    if options.command == "serve":
        uvicorn.run(
            "collector.app:create",
            factory=True,
            host=options.host,
            port=options.port,
            workers=options.workers,
            access_log=False,  # addresses, days and times of users
            server_header=False,
            log_level="warning",
        )
        return
    deployment = load_deployment(settings.deployment)
    made = Store(settings.database, deployment, keys.registry, simulated=settings.simulated)
    if options.command == "roll":
        made.roll(options.day, settings.keep_open)
    else:
        made.forget(options.before)
    made.close()


if __name__ == "__main__":
    main()
