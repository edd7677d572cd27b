"""An executor that runs trials on a Ray cluster and repeats those whose worker died."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lucca_core
import lucca_lab
from lucca_core.errors import ConfigError, LuccaError, StackError
from lucca_lab.tasks.executors import MAX_BREAKS, RunTrial
from lucca_lab.tasks.spec import TrialSpec
from lucca_lab.tasks.trial_runner import run_one

_CODE = [Path(module.__file__ or '').resolve().parents[1] for module in (lucca_core, lucca_lab)]
_IN_FLIGHT_PER_CPU = 4


class OnRay:
    """Runs trials on a Ray cluster. Its nodes need this package, or its source under the same path."""

    def __init__(self, address: str = '', run: RunTrial = run_one, *, workers: int = 0) -> None:
        """
        Args:
            address: a running cluster, as `ray://HOST:10001` or `auto`; empty to start one on this machine.
            run: the function that runs one trial.
            workers: number of workers in a cluster that is started; 0 means one per core.

        Raises:
            ConfigError: Ray is not installed.
            ConfigError: ray is not installed.
        """
        try:
            import ray
        except ImportError as error:
            raise ConfigError('--ray needs Ray: pip install "lucca-lab[ray]", or: pip install ray') from error
        self._ray: Any = ray
        self._address = address
        self._run = run
        self._workers = workers

    def run(self, specs: Sequence[TrialSpec]) -> Iterator[str]:
        """See `Executor`.

        Raises:
            LuccaError: a trial cannot be run.
            StackError: there is no such cluster, or workers died too often at one trial.
        """
        ray = self._ray
        self._connect()
        remote = ray.remote(num_cpus=1, max_retries=MAX_BREAKS)(self._run)
        limit = _IN_FLIGHT_PER_CPU * max(1, int(ray.cluster_resources().get('CPU', 1)))
        waiting = iter(specs)
        running: list[Any] = []
        try:
            while True:
                while len(running) < limit and (spec := next(waiting, None)) is not None:
                    running.append(remote.remote(spec))
                if not running:
                    return
                done, running = ray.wait(running)
                yield self._result(done[0])
        finally:
            for item in running:
                ray.cancel(item, force=False)

    def _connect(self) -> None:
        if self._ray.is_initialized():
            return
        # Workers are other processes, perhaps on other machines, and have to find the source under the same path.
        paths = os.pathsep.join(filter(None, [*map(str, _CODE), os.environ.get('PYTHONPATH', '')]))
        options: dict[str, Any] = {'runtime_env': {'env_vars': {'PYTHONPATH': paths}}, 'logging_level': 'warning'}
        if self._address:
            options['address'] = self._address
        else:
            # Without an explicit address, Ray would connect to the cluster in the environment variable RAY_ADDRESS.
            cores = self._workers or len(os.sched_getaffinity(0))
            options |= {'address': 'local', 'num_cpus': cores, 'include_dashboard': False}
        try:
            self._ray.init(**options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise StackError(f'no Ray cluster at {self._address or "this machine"}: {error}') from error

    def _result(self, done: Any) -> str:
        try:
            return str(self._ray.get(done))
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, LuccaError):
                raise error.cause from error
            raise
        except self._ray.exceptions.WorkerCrashedError as error:
            raise StackError(f'a Ray worker died {MAX_BREAKS + 1} times at one trial: {error}') from error
