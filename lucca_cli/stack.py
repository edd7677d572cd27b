"""A whole stack for the length of a `with` block: supervised node processes and a client."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lucca_cli.client import StackClient
from lucca_cli.setup_checks import check_free, check_setups
from lucca_cli.supervisor import LineSink, Supervisor
from lucca_core.claim import Claim
from lucca_core.errors import StackError
from lucca_core.namespace import chosen_namespace
from lucca_core.nodes import NodeSetup
from lucca_core.paths import config_dir
from lucca_core.protocol.snapshots import Snapshot

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class StackOptions:
    """The choices of `lucca up`. An empty string or list leaves the choice to the node's own default.

    `voice` starts the speech node; `speech` overrides its parameters.
    """

    sim: bool = True
    llm: str = ''
    worker_llm: str = ''
    scene: str = ''
    robot: str = ''
    dry_run: bool = False
    objects: Sequence[str] = ()
    seed: int | None = None
    engine: str = ''
    speed: float | None = None
    camera_rate_hz: float | None = None
    joint_state_rate_hz: float | None = None
    viewer: bool | None = None
    data_dir: Path | None = None
    state_dir: Path | None = None
    record_dir: Path | None = None
    video: bool = False
    params_file: Path | None = None
    memory: bool = True
    voice: bool = False
    speech: Mapping[str, Any] = field(default_factory=dict)


def node_setups(options: StackOptions) -> list[NodeSetup]:
    """The nodes of a stack, with parameters from the options that override the nodes' own defaults."""
    # In addition to the file for the simulation or the robot, so that its settings, such as the check of controllers,
    # hold unless the user's file overrides them.
    params_files = (
        config_dir() / 'nodes' / ('sim.yaml' if options.sim else 'nicol.yaml'),
        *([options.params_file] if options.params_file is not None else []),
    )
    sim_time = {'use_sim_time': options.sim}
    robot = _given(robot=options.robot)
    simulator = robot | _given(
        scene=options.scene,
        objects=','.join(options.objects),
        seed=options.seed,
        engine=options.engine,
        speed=options.speed,
        camera_rate_hz=options.camera_rate_hz,
        joint_state_rate_hz=options.joint_state_rate_hz,
        viewer=options.viewer,
        video_rate_hz=None if options.video else 0.0,
        record_dir=str(options.record_dir or ''),
    )
    action = sim_time | robot | _given(dry_run=options.dry_run or None, state_dir=str(options.state_dir or ''))
    coordinator = sim_time | _given(llm=options.llm) | ({} if options.memory else {'memory': False})
    # The worker uses wall time only; a ROS clock would only wake it up.
    worker = _given(llm=options.worker_llm or options.llm, data_dir=str(options.data_dir or ''))
    setups = [
        NodeSetup(name='perception', params_files=params_files, parameters=sim_time | robot),
        NodeSetup(name='action', params_files=params_files, parameters=action),
        NodeSetup(name='worker', params_files=params_files, parameters=worker),
        NodeSetup(name='coordinator', params_files=params_files, parameters=coordinator),
    ]
    if options.voice:
        speech = sim_time | dict(options.speech)
        setups.append(NodeSetup(name='speech', params_files=params_files, parameters=speech))
    if options.sim:
        setups.append(NodeSetup(name='simulator', params_files=params_files, parameters=simulator))
    return setups


class Stack:
    """Starts the nodes, waits until tasks can be given, and ends everything at the end of the `with` block.

    It uses the chosen namespace (`LUCCA_NAMESPACE`).

    Raises:
        LuccaError: a node's settings are wrong; see `check_setups`.
        AlreadyRunningError: on entering, there is another stack in this domain and namespace.
        FolderInUseError: on entering, another process writes the data folder.
        StackError: on entering, a node cannot be started, or the stack is not ready within `ready_timeout_s`.
    """

    def __init__(
        self,
        options: StackOptions,
        run_dir: Path,
        *,
        on_line: LineSink | None = None,
        ready_timeout_s: float = 60.0,
    ) -> None:
        self.options = options
        setups, namespace = node_setups(options), chosen_namespace()
        check_setups(setups)
        self._setups = setups
        self.supervisor = Supervisor(setups, run_dir, namespace=namespace, on_line=on_line)
        self.client = StackClient(namespace)
        self._claim: Claim | None = None
        self._ready_timeout_s = ready_timeout_s
        self.first_snapshot = Snapshot()

    def __enter__(self) -> 'Stack':
        self.client.__enter__()
        try:
            self._claim = self.client.claim_stack([setup.name for setup in self._setups])
            check_free(self._setups, self.client.wait)
            self.supervisor.start()
            self.first_snapshot = self._ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.client.__exit__(None, None, None)
        finally:
            codes = self.supervisor.stop()
            if self._claim is not None:
                self._claim.release()
        failed = {name: code for name, code in codes.items() if code not in (0, -2)}
        if failed:
            logger.warning('nodes ended with %s', failed)

    def _ready(self) -> Snapshot:
        try:
            return self.client.wait_ready(self._ready_timeout_s, self.supervisor.check)
        except StackError as error:
            # On a busy machine, a node that cannot start may take longer to say so than a quick death may.
            if (deaths := self.supervisor.deaths) and not self.supervisor.failure:
                raise StackError(f'{error}\n{deaths}') from error
            raise

    @property
    def alive(self) -> Callable[[], None]:
        """A function for waiting loops that raises StackError when a node was given up."""
        return self.supervisor.check


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value != '' and value != []}
