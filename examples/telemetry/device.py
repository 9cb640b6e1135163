"""One user's day: three reports, as lines of text. The device's secret stays in its own file."""

import sys
from pathlib import Path

from ldp_verified.deploy import load_deployment
from ldp_verified.errors import LdpError
from ldp_verified.run.aggregate.files import replacing

folder, kept, browser, minutes, language = sys.argv[1:]
made = {each: load_deployment(f"{folder}/{each}.json") for each in ("browser", "minutes")}
daily, state = load_deployment(f"{folder}/language.json"), Path(kept)
device = daily.device(saved=state.read_text()) if state.exists() else daily.device(new_user=True)

reports = {}
for name, client, read, text in (
    ("browser", made["browser"].client(), int, browser),
    ("minutes", made["minutes"].client(), float, minutes),
    ("language", device, str, language),
):
    try:
        reports[name] = client.report(read(text))
    except ValueError as error:  # that of `int` holds the value, which is private
        sys.exit(f"{name}: {error.rule if isinstance(error, LdpError) else 'must be a number'}")
# All values are in their domains: nothing was printed or kept before, so nothing was spent.
with replacing(kept) as part:  # before anything is sent: a report is never made twice
    part.chmod(0o600)  # the secret is its user's alone
    part.write_text(device.save())
for name, report in reports.items():
    print(name, report.hex())
