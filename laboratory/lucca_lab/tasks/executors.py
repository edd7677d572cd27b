"""Executors of trials: in this process, in worker processes, or on a Ray cluster."""

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
"""Times that worker processes may die in one run before it is given up."""


class Executor(Protocol):
    """Runs trials in any order."""

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """The line of each trial, once each, as soon as it is done.

        Raises:
            LuccaError: a trial cannot be run.
            StackError: those who run the trials died again and again.
        """
        ...


class InThisProcess:
    """One trial after the other."""

    def __init__(self, run: RunTrial = run_one) -> None:
        self._run = run

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """See Executor."""
        yield from map(self._run, specs)


class Processes:
    """Worker processes on this machine. When one dies, its trials run again in new ones."""

    def __init__(self, count: int = 0, run: RunTrial = run_one) -> None:
        """`count` 0: as many as the processor has cores for this process."""
        self._count = count or len(os.sched_getaffinity(0))
        self._run = run

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """See Executor."""
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
        # Forking a process that has threads, as a progress bar does, may leave locks held for ever in the child.
        context = get_context('forkserver')
        with ProcessPoolExecutor(self._count, mp_context=context, initializer=_end_with_the_run) as pool:
            # Only as many as keep the processes busy are handed out: an interrupted run ends soon.
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
    """Ends this worker process when the run that it works for is killed: it would wait for more trials for ever."""
    run = parent_process()
    if run is None:
        return

    def watch() -> None:
        run.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
