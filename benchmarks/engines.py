"""Reports in 100 partitions on a real local cluster, compared bit for bit with one process.

    python -m benchmarks.engines make FOLDER 10000000
    python -m benchmarks.engines one FOLDER
    python -m benchmarks.engines spark FOLDER --kill
    python -m benchmarks.engines beam|duckdb|polars FOLDER

Each line runs in the environment of its engine (`make test-engines` makes them in `build/engines`)
and prints one line of JSON; `docs/engines.md` shows what was measured. Spark gets a standalone
cluster of a master and two workers of one core each, whose Python workers' memory is watched;
`--kill` kills -9 one of them and an executor while it counts, and watches nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import threading
import time
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import AccumulatorPart, Counting
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.run.kernels.seeds import numpy_generator, word_source
from ldp_verified.run.mechanisms import GRR

PARTITIONS = 100
DEPLOYMENT = Deployment(GRR(1.0, 1024))
COUNTING = Counting(DEPLOYMENT, simulated=True)
ROWS = 1 << 16
MIB = 1 << 20


def make(folder: Path, reports: int) -> dict[str, Any]:
    """Simulate reports of users with values between 0 and 1023, small ones more often."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = drawing(DEPLOYMENT)
    for place in range(PARTITIONS):
        share = reports // PARTITIONS
        numbers = numpy_generator(1, "benchmark values", place)
        values = np.minimum(numbers.geometric(0.01, share) - 1, 1023)
        source = word_source(1, "benchmark reports", place)
        pieces = [
            drawn.reports(pa.array(values[start : start + ROWS]), source)
            for start in range(0, share, ROWS)
        ]
        table = pa.Table.from_arrays([pa.chunked_array(pieces)], ["report"])
        pq.write_table(table, folder / f"{place:04}.parquet", row_group_size=ROWS)
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    return {"reports": reports, "MiB": round(size / MIB)}


def one(folder: Path) -> bytes:
    """Count everything in this process."""
    state = COUNTING.create()
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=ROWS):
            state = COUNTING.add(state, batch.column(0))
    return COUNTING.extract(state).to_bytes()


def of_polars(folder: Path) -> bytes:
    """A scan of the files."""
    made = import_module("ldp_verified.deploy.engines.polars")
    frame = import_module("polars").scan_parquet(folder / "*.parquet")
    found: bytes = made.aggregate(frame, "report", DEPLOYMENT, simulated=True).to_bytes()
    return found


def of_duckdb(folder: Path) -> bytes:
    """A query of the files."""
    made = import_module("ldp_verified.deploy.engines.duckdb")
    relation = import_module("duckdb").connect().read_parquet(str(folder / "*.parquet"))
    found: bytes = made.aggregate(relation, "report", DEPLOYMENT, simulated=True).to_bytes()
    return found


def of_beam(folder: Path) -> bytes:
    """Two worker processes of Beam's own runner."""
    made, beam = import_module("ldp_verified.deploy.engines.beam"), import_module("apache_beam")
    options = import_module("apache_beam.options.pipeline_options")
    given = ["--runner=FnApiRunner", "--direct_running_mode=multi_processing"]
    given += ["--direct_num_workers=2"]
    out = folder / "beam-state"
    with beam.Pipeline(options=options.PipelineOptions(given)) as pipeline:
        _ = (
            pipeline
            | beam.Create(sorted(map(str, folder.glob("*.parquet"))))
            | beam.Reshuffle()
            | beam.FlatMap(_columns)
            | beam.CombineGlobally(made.CountReports(DEPLOYMENT, simulated=True))
            | beam.Map(lambda state: out.write_bytes(state.to_bytes()))
        )
    return out.read_bytes()


def _columns(path: str) -> Any:
    """The columns of reports in a file, batch by batch."""
    for batch in pq.ParquetFile(path).iter_batches(batch_size=ROWS):
        yield batch.column(0)


def of_spark(folder: Path, kill: bool) -> tuple[bytes, dict[str, Any]]:
    """A standalone cluster; the memory of its Python workers is watched."""
    home = Path(str(import_module("pyspark").__file__)).parent
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(home)}
    os.environ["PYTHONPATH"] = str(Path.cwd())
    run = [str(home / "bin" / "spark-class")]
    master = "org.apache.spark.deploy.master.Master"
    worker = "org.apache.spark.deploy.worker.Worker"
    url = "spark://127.0.0.1:17077"
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--host", "127.0.0.1", "--port", "17077", "--webui-port", "17078"]
    servers = [subprocess.Popen([*run, master, *place], **quiet)]
    time.sleep(15)
    for number in range(2):
        more = ["--cores", "1", "--memory", "2g", "--webui-port", str(17080 + number)]
        more += ["--work-dir", str(folder / f"work{number}")]
        servers.append(subprocess.Popen([*run, worker, *more, url], **quiet))
    try:
        return _on_spark(folder, url, kill)
    finally:
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait()


def _on_spark(folder: Path, url: str, kill: bool) -> tuple[bytes, dict[str, Any]]:
    builder = import_module("pyspark.sql").SparkSession.builder.master(url)
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.files.maxPartitionBytes": "1g",
        "spark.sql.files.openCostInBytes": "1g",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    frame = session.read.parquet(str(folder / "*.parquet"))
    more = {"partitions": frame.rdd.getNumPartitions()}
    # Of fresh workers: those that have counted before have grown already.
    more |= {} if kill else _growth(frame)
    killed: list[str] = []
    done = threading.Event()
    killer = threading.Thread(target=_kill, args=(killed, done), daemon=True)
    if kill:
        killer.start()
    made, start = import_module("ldp_verified.deploy.engines.spark"), time.perf_counter()
    found = made.aggregate(frame, "report", DEPLOYMENT, simulated=True)
    more |= {"seconds": round(time.perf_counter() - start, 1), "killed": killed}
    done.set()
    session.stop()
    return found.to_bytes(), more


def _growth(frame: Any) -> dict[str, Any]:
    """The largest growth of a worker process after its first batch."""
    by_worker: dict[int, list[Any]] = {}
    for row in frame.mapInArrow(_watched, "pid long, first long, peak long").collect():
        by_worker.setdefault(row.pid, []).append(row)
    growth = [max(r.peak for r in rows) - min(r.first for r in rows) for rows in by_worker.values()]
    most = max(row.peak for rows in by_worker.values() for row in rows)
    return {
        "workers": len(by_worker),
        "growth MiB": round(max(growth) / MIB, 1),
        "worker peak MiB": round(most / MIB),
    }


def _watched(batches: Any) -> Any:
    """Count as `spark.aggregate` does; give the process's memory after a batch, and its peak."""
    state, first = COUNTING.create(), 0
    for batch in batches:
        state = COUNTING.add(state, batch.column(0))
        first = first or _memory("VmRSS")
    COUNTING.pack(state)
    row = {"pid": os.getpid(), "first": first, "peak": _memory("VmHWM")}
    yield pa.RecordBatch.from_pylist([row])


def _memory(name: str) -> int:
    """Bytes of this process, as Linux counts them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10
    return 0


def _kill(killed: list[str], done: threading.Event) -> None:
    """Kill a Python worker, and later an executor, which takes its tasks and outputs with it."""
    for wanted in ("pyspark.daemon", "CoarseGrainedExecutorBackend"):
        done.wait(20)
        while not done.wait(0.5):
            found = [each for each in _descendants() if wanted in _command(each)]
            # The youngest: of the daemon and the workers that it forked, a worker.
            if len(found) > 1:
                os.kill(found[0], signal.SIGKILL)
                killed.append(wanted.rpartition(".")[2])
                break


def _descendants() -> list[int]:
    """The processes that this one started, and theirs; the youngest first."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()}, reverse=True)


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def merging(states: int) -> dict[str, Any]:
    """Seconds for reading and merging a state, and its bytes: what a merge tree costs."""
    state = COUNTING.create()
    part = COUNTING.pack(COUNTING.add(state, drawing(DEPLOYMENT).reports(pa.array([1] * 1000), 1)))
    start = time.process_time()
    # No honest users give one state so often.
    COUNTING.merged((AccumulatorPart("", part.state) for _ in range(states)), implausible=True)
    each = (time.process_time() - start) / states
    return {"states": states, "bytes": len(part.state), "ms each": round(each * 1e3, 3)}


def main() -> None:
    """Run one line and print what it found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("make", "merge", *ENGINES, "spark"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("reports", type=int, nargs="?", default=10_000_000)
    parser.add_argument("--kill", action="store_true")
    given = parser.parse_args()
    found: dict[str, Any] = {"what": given.what, "cores": os.cpu_count()}
    found["python"] = platform.python_version()
    start = time.perf_counter()
    if given.what == "make":
        found |= make(given.folder, given.reports)
    elif given.what == "merge":
        found |= merging(10_000)
    else:
        more: dict[str, Any] = {}
        if given.what == "spark":
            state, more = of_spark(given.folder, given.kill)
        else:
            state = ENGINES[given.what](given.folder)
        found |= {"sha256": sha256(state).hexdigest(), "state bytes": len(state)} | more
    found.setdefault("seconds", round(time.perf_counter() - start, 1))
    found["own CPU seconds"] = round(time.process_time(), 1)
    found["peak MiB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(found))


ENGINES = {"one": one, "polars": of_polars, "duckdb": of_duckdb, "beam": of_beam}

if __name__ == "__main__":
    main()
