"""A Dask cluster of real processes: what is wrong with it is one sentence, and what is finished is kept."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.errors import BadArgument
from odm_tui.evaluation import dask_cluster
from odm_tui.evaluation.dask_cluster import run_on_cluster
from odm_tui.evaluation.parallel import ParallelBackend, run_each
from tests.support.waiting import wait_until

pytest.importorskip("distributed")
LIMIT = 30.0


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"
        )
        wait_until(lambda: self.file.exists() and self.file.read_text().strip().endswith("}"))
        self.address = str(json.loads(self.file.read_text())["address"])
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, **environment: str) -> None:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        self.workers.append(self._start("worker", *options, **environment))

    def kill(self, *processes: subprocess.Popen[bytes]) -> None:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def close(self) -> None:
        self.kill(*(process for process in (*self.workers, self.scheduler) if process.poll() is None))

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file), *options]
        return subprocess.Popen(
            command,
            env={**os.environ, "DASK_DISTRIBUTED__DASHBOARD__ENABLED": "false", **environment},
            cwd=self.file.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.close()


def run(items: list[object], cluster: Cluster, function: object = abs) -> list[object]:
    return sorted(run_on_cluster(function, items, cluster.address))  # type: ignore[arg-type]


def test_two_workers_compute_and_one_thread_really_runs_there(cluster: Cluster) -> None:
    cluster.add_worker()
    assert list(run_each(_process_of, [0], backend=ParallelBackend.DASK, scheduler=cluster.address)) == [
        cluster.workers[0].pid
    ]
    cluster.add_worker()
    assert run([-3, -2, -1], cluster) == [1, 2, 3]


def _process_of(_: object) -> int:
    return os.getpid()


def test_a_cluster_without_workers_is_one_sentence(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "_PATIENCE", 0.5)
    with pytest.raises(BadArgument, match=r"has no workers. Start some with 'dask worker tcp:"):
        run([1], cluster)


def test_workers_without_odm_tui_are_one_sentence(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "hide").mkdir()
    (tmp_path / "hide" / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'odm_tui': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    cluster.add_worker(PYTHONPATH=str(tmp_path / "hide"))
    with pytest.raises(
        BadArgument,
        match=r"1 of 1 Dask workers can't import odm_tui. Install it there: pip install odm-tui==",
    ):
        run([1], cluster)


def test_no_scheduler_is_one_sentence_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "_CONNECT_SECONDS", 1)
    begin = time.monotonic()
    with pytest.raises(BadArgument, match=r"No Dask scheduler answers at tcp://127.0.0.1:9"):
        list(run_on_cluster(abs, [1], "tcp://127.0.0.1:9"))
    assert time.monotonic() - begin < LIMIT


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_what_was_finished_before_the_cluster_was_lost_is_kept(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lost: str
) -> None:
    monkeypatch.setattr(dask_cluster, "_PATIENCE", 60.0)
    cluster.add_worker()
    cluster.add_worker()
    results = run_on_cluster(_come_back_or_wait, [(n, str(tmp_path)) for n in range(6)], cluster.address)
    kept = [next(results), next(results)]  # the others wait
    monkeypatch.setattr(dask_cluster, "_PATIENCE", 2.0)
    begin = time.monotonic()
    if lost == "workers":
        cluster.kill(*cluster.workers)
    else:
        cluster.kill(cluster.scheduler)
    said = "All workers .* have gone" if lost == "workers" else "The Dask scheduler at .* has gone"
    with pytest.raises(BadArgument, match=f"{said}.*What is finished is kept"):
        kept += list(results)
    assert time.monotonic() - begin < LIMIT
    assert sorted(kept) == sorted(int((tmp_path / place).read_text()) for place in ("first", "second"))


def _come_back_or_wait(item: tuple[int, str]) -> int:
    """The first two calls that a worker takes up, whichever they are, come back at once; the others wait for a gate."""
    number, folder = item
    for place in ("first", "second"):
        with contextlib.suppress(FileExistsError), (Path(folder) / place).open("x") as file:
            file.write(str(number))
            return number
    while not (Path(folder) / "gate").exists():
        time.sleep(0.05)
    return number


def test_a_worker_that_is_lost_and_replaced_costs_nothing(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_worker()
    results = run_on_cluster(_come_back_or_wait, [(n, str(tmp_path)) for n in range(4)], cluster.address)
    kept = [next(results), next(results)]
    cluster.kill(*cluster.workers)
    (tmp_path / "gate").touch()
    cluster.add_worker()
    assert sorted([*kept, *results]) == [0, 1, 2, 3]


def test_an_error_of_a_call_is_raised_here(cluster: Cluster) -> None:
    cluster.add_worker()
    with pytest.raises(TypeError):
        run(["a"], cluster)
