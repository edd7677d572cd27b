"""Executors of trials: one after the other in this process, or in parallel in worker processes."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Protocol

from lucca_core.errors import StackError
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial_runner import run_one

RunTrial = Callable[[TrialSpec], str]
MAX_BREAKS = 5
"""How often the pool of worker processes may break in one run before the run is given up."""


class Executor(Protocol):
    """Runs trials in any order."""

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """Yields the line of each trial exactly once, as soon as the trial is done.

        Raises:
            LuccaError: a trial cannot be run.
            StackError: the processes that run the trials died too often.
        """
        ...


class InThisProcess:
    """Runs one trial after the other."""

    def __init__(self, run: RunTrial = run_one) -> None:
        self._run = run

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """See `Executor`."""
        yield from map(self._run, specs)


class Processes:
    """Runs trials in worker processes on this machine. If one dies, unfinished trials run again in new processes."""

    def __init__(self, count: int = 0, run: RunTrial = run_one) -> None:
        """With `count` 0, there is one process for each core that this process may use."""
        self._count = count or len(os.sched_getaffinity(0))
        self._run = run

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """See `Executor`."""
        left = dict.fromkeys(specs)
        for _ in range(MAX_BREAKS):
            try:
                for spec, line in self._once(tuple(left)):
                    del left[spec]
                    yield line
            except BrokenProcessPool:
                continue
            return
        raise StackError(f'worker processes died {MAX_BREAKS} times; {len(left)} trials are left')

    def _once(self, specs: Sequence[TrialSpec]) -> Iterator[tuple[TrialSpec, str]]:
        # Forking a process with threads, such as one with a progress bar, may leave locks held forever in the child.
        context = get_context('forkserver')
        with ProcessPoolExecutor(self._count, mp_context=context, initializer=_end_with_the_run) as pool:
            # Only enough trials to keep the processes busy are submitted, so that an interrupted run ends soon.
            waiting, running = iter(specs), dict[Future[str], TrialSpec]()
            try:
                while True:
                    for spec in waiting:
                        running[pool.submit(self._run, spec)] = spec
                        if len(running) >= 3 * self._count:
                            break
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield running.pop(future), future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


def _end_with_the_run() -> None:
    """Ends this worker process if the run's main process is killed; otherwise it would wait for trials forever."""
    run = parent_process()
    if run is None:
        return

    def watch() -> None:
        run.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
