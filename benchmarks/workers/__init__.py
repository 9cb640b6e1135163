"""Programs that measure one package each and print one JSON object; run with `python -m`."""
