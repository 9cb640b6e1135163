"""One user's day: three reports, as lines of text. The device's secret stays in its own file."""

import sys
from pathlib import Path

from ldp_verified.deploy import load_deployment
from ldp_verified.run.aggregate.files import replacing

folder, kept, browser, minutes, language = sys.argv[1:]
published = {name: load_deployment(f"{folder}/{name}.json") for name in ("browser", "minutes")}
print("browser", published["browser"].client().report(int(browser)).hex())
print("minutes", published["minutes"].client().report(float(minutes)).hex())

daily, state = load_deployment(f"{folder}/language.json"), Path(kept)
device = daily.device(saved=state.read_text()) if state.exists() else daily.device(new_user=True)
report = device.report(language)
with replacing(kept) as part:  # before anything is sent: a report is never made twice
    part.write_text(device.save())
print("language", report.hex())
