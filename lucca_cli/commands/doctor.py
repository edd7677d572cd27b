"""`lucca doctor`: checks settings, models, memory and the running stack, and says what to do about each fault."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from action_node.stop.state_lock import check_state_folder
from coordinator_node.config import CoordinatorConfig
from coordinator_node.persona import load_persona
from coordinator_node.tasks.task_reading import check_understood
from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import DataDir, Json, Llm, Robot, WorkerLlm
from lucca_cli.output import Output
from lucca_cli.ros_presence import HOW_TO_INSTALL, missing_ros
from lucca_core.english import and_list
from lucca_core.errors import ConfigError, LuccaError, MemoryFault, StackError
from lucca_core.paths import config_dir, default_data_dir, default_state_dir
from lucca_core.protocol.snapshots import USERS_SIDE, Snapshot
from lucca_core.trained_models import WHISPER_TINY_EN
from lucca_llm.model import notice_of
from lucca_llm.model_spec import make_model, working_spec
from lucca_memory.data_folder import DataFolder, check_folder
from lucca_memory.declarative.verification import verify_logs
from lucca_memory.manifest import begin_anew, damaged_memories
from lucca_memory.procedural import ActionSpec, load_actions, load_tasks
from lucca_robot.arm_profile import ACTION_NAMES, ControllerInterface
from lucca_robot.profile import DEFAULT_PROFILE, load_profile
from perception_node.lexicon import PrototypeLexicon, load_lexicon
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.second_ear import ears_of

if TYPE_CHECKING:
    from lucca_cli.client import Endpoint
    from lucca_cli.examined_stack import PartState

MODEL_DEADLINE_S = 20.0
LIST_DEADLINE_S = 5.0
DEFAULT_MODEL = CoordinatorConfig().llm

NODES = frozenset({'perception', 'action', 'worker', 'coordinator'})
ALL_NODES = NODES | {'simulator', 'relay', 'speech'}
CAMERA_TOPICS = ('camera/color/image_raw', 'camera/depth/image_raw', 'camera/color/camera_info')
LOOKS = 50
LOOK_EVERY_S = 0.2
TABLE_S = 15.0
WRITABLE_AGAIN = 'free disk space, or bring the data folder of the running stack back and restart the stack'
REPORTS_S = 5.0
"""Each node reports once a second; longer silence means that it hangs."""

SIMULATED: Mapping[str, str] = {
    'camera': 'the simulator is the camera: see its last output in the terminal of lucca up, or in its log',
    'controller': 'the simulator is the controller: see its last output in the terminal of lucca up, or in its log',
}
ON_ROBOT: Mapping[str, str] = {
    'camera': 'start the camera driver, or remap its topics',
    'controller': 'ros2 control switch_controllers --activate {name}',
}

T = TypeVar('T')


@dataclass(frozen=True)
class Finding:
    """The state of one part, with advice if it is faulty."""

    part: str
    well: bool
    found: str
    advice: str = ''


class Graph(Protocol):
    """The live ROS graph as the doctor queries it; see ExaminedStack."""

    def is_there(self) -> bool:
        """True when a stack is up."""
        ...

    def stack_holder(self) -> str:
        """The process that runs a stack or one of its nodes; empty if there is none."""
        ...

    def node_names(self) -> tuple[str, ...]:
        """The nodes that are running."""
        ...

    def states(self, nodes: Collection[str], timeout_s: float) -> 'dict[str, PartState]':
        """What the nodes report of themselves; see ExaminedStack."""
        ...

    def process_of(self, kind: str) -> str:
        """The process that runs a kind of node, though it may hang; empty if none does."""
        ...

    def endpoint(self, topic: str) -> 'Endpoint':
        """Counts of publishers and subscribers of a topic now."""
        ...

    def snapshot(self, timeout_s: float) -> Snapshot:
        """The next snapshot of perception; raises StackError if none is published."""
        ...

    def wait(self, timeout_s: float) -> None:
        """Waits."""
        ...


def doctor(
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    robot: Robot = '',
    data_dir: DataDir = None,
    new_memory: Annotated[
        bool,
        typer.Option('--new-memory', help='Only replace each missing or damaged memory with a new one.'),
    ] = False,
    as_json: Json = False,
) -> None:
    """Checks camera, controllers, models and memory, and says what to do about each. Exit code 1 if one is faulty."""
    show = Output(as_json=as_json)
    if new_memory:
        begin_anew_with_memory(data_dir or default_data_dir(), show)
        return
    findings = examine(llm, worker_llm, data_dir or default_data_dir(), robot or DEFAULT_PROFILE)
    present(findings, show)
    if not all(finding.well for finding in findings):
        raise typer.Exit(EXIT_FAILED)


def examine(llm: str, worker_llm: str, data_dir: Path, robot: str = DEFAULT_PROFILE) -> list[Finding]:
    """Examines settings, discovery, models and memory, and the graph of the running stack if there is one."""
    coordinator_llm = llm or DEFAULT_MODEL
    findings = [_settings(coordinator_llm), _robot(robot), _discovery(), _state(), _memory(data_dir), *_logs(data_dir)]
    findings += [
        _model('coordinator model', coordinator_llm),
        _model('worker model', worker_llm or working_spec(coordinator_llm)),
        _ears(),
    ]
    if missing := missing_ros():
        return [*findings, Finding('ROS 2', False, f'{and_list(missing)} not installed', HOW_TO_INSTALL)]
    # Imported here, as everything above works without ROS.
    from lucca_cli.examined_stack import ExaminedStack

    with ExaminedStack() as client:
        return findings + examine_graph(client, robot)


def examine_graph(graph: Graph, robot: str = DEFAULT_PROFILE) -> list[Finding]:
    """Findings about the stack, its camera, the controllers of a robot's profile, and perception.

    A part counts as missing only after `LOOKS` attempts, so that slow discovery on a busy machine does not make a
    healthy stack look faulty.
    """
    is_up = graph.is_there()
    if not is_up and not (who := graph.stack_holder()):
        return _without_stack(graph, robot)
    nodes = _until(graph, lambda: set(graph.node_names()), lambda found: found >= NODES)
    states = graph.states(NODES, REPORTS_S)
    advice = SIMULATED if {'simulator'} & (nodes | states.keys()) else ON_ROBOT
    stack = [*_silent(graph, nodes, states), *_said(states)] or [_stack(nodes, '' if is_up else who)]
    table = _table(graph)
    # If the table is seen, images arrive, whatever discovery says about their publishers.
    camera = Finding('camera', True, 'perception receives pictures') if table.well else _camera(graph, LOOKS, advice)
    return [*stack, camera, *(_controller(graph, item, LOOKS, advice) for item in _controllers(robot)), table]


def _silent(graph: Graph, nodes: set[str], states: 'Mapping[str, PartState]') -> list[Finding]:
    """The nodes of a stack that do not report: those that hang, and those that are not there."""
    silent = sorted(NODES - states.keys())
    # DDS forgets a frozen node after some seconds, but its process still has its claim.
    runs = {name: graph.process_of(name) or ('in the graph' if name in nodes else '') for name in silent}
    found = []
    for name in filter(runs.__getitem__, silent):
        advice = 'it hangs, or is still starting; if it hangs, end its process (kill -9), and the stack starts it again'
        if name == 'action':
            advice += '; until then, only the hardware stop stops the arms'
        found.append(Finding(name, False, f'does not answer, although it runs ({runs[name]})', advice))
    if missing := [name for name in silent if not runs[name]]:
        there = ', '.join(sorted(nodes & ALL_NODES)) or 'none'
        told = f'{", ".join(missing)} missing; there are {there}'
        found.append(Finding('stack', False, told, 'see the last output in the terminal of lucca up, or in its log'))
    return found


def _said(states: 'Mapping[str, PartState]') -> list[Finding]:
    """What the worker says of its data folder, perhaps not this command's, and the action node of other senders."""
    found = []
    worker, action = states.get('worker'), states.get('action')
    if worker is not None and not worker.well:
        found.append(Finding('worker', False, worker.message, WRITABLE_AGAIN))
    if action is not None and action.other_senders:
        found.append(
            Finding('action', False, action.other_senders, 'ros2 node list and ros2 topic info -v show who it is')
        )
    return found


def _stack(nodes: set[str], unanswered: str) -> Finding:
    if unanswered:
        found = f'{unanswered} is running, but no coordinator answers'
        return Finding('stack', False, found, 'it may still be starting: run lucca doctor again')
    return Finding('stack', True, f'nodes: {", ".join(sorted(nodes & ALL_NODES))}')


def _without_stack(graph: Graph, robot: str) -> list[Finding]:
    """On a robot, camera and controllers exist before the stack; in simulation they are part of it."""
    start = Finding(
        'stack', False, 'no stack is running', 'start one: lucca up (simulation) or lucca up --no-sim (robot)'
    )
    parts = [_camera(graph, 1, ON_ROBOT), *(_controller(graph, item, 1, ON_ROBOT) for item in _controllers(robot))]
    if any(part.well for part in parts):
        return [start, *parts]
    found = 'neither a camera nor controllers were found'
    return [
        start,
        Finding('robot', False, found, 'lucca up starts a simulated one; on a robot, start its drivers'),
    ]


def present(findings: list[Finding], show: Output) -> None:
    """Prints the findings, one line each, with advice below those that are faulty."""
    if show.as_json:
        show.json([asdict(finding) for finding in findings])
        return
    for finding in findings:
        mark, style = ('ok  ', 'green') if finding.well else ('BAD ', 'red')
        show.line(f'{mark} {finding.part:<22} {finding.found}', style)
        if finding.advice and not finding.well:
            show.line(f'       {finding.advice}')


def _guarded(part: str, advice: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(part, True, look())
    except LuccaError as error:
        return Finding(part, False, str(error), advice)


def _settings(llm: str) -> Finding:
    def look() -> str:
        actions = load_actions(config_dir() / 'actions.yaml')
        tasks = load_tasks(config_dir() / 'tasks.yaml', actions)
        check_understood(tasks.values(), llm)
        _check_containers(actions, load_lexicon())
        load_persona()
        load_commands()
        return f'{len(tasks)} tasks, {len(actions)} actions in {config_dir()}'

    return _guarded('settings', 'correct the line that is named', look)


def _check_containers(actions: Mapping[str, ActionSpec], lexicon: PrototypeLexicon) -> None:
    """Checks that perception can see what actions put things into; otherwise each of them would fail."""
    seen = {USERS_SIDE, *(item.name for item in lexicon.containers), *filter(lexicon.holds, lexicon.labels)}
    for action in actions.values():
        if action.effect.lasts and action.effect.container not in seen:
            raise ConfigError(
                f'action {action.name!r} puts things into {action.effect.container!r}, which objects.yaml does not '
                f'describe; it has {", ".join(sorted(seen))}',
                file=str(config_dir() / 'actions.yaml'),
            )


def _robot(robot: str) -> Finding:
    return _guarded('robot profile', 'correct the profile in config/robots', lambda: load_profile(robot).name)


def _discovery() -> Finding:
    reach = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    return Finding('discovery', True, f'{reach}, domain {domain}')


def _state() -> Finding:
    return _guarded('state folder', 'choose another folder', lambda: check_state_folder(default_state_dir()))


def _memory(data_dir: Path) -> Finding:
    place = _guarded(
        'memory', 'free disk space, or choose another folder with --data-dir', lambda: check_folder(data_dir)
    )
    if not place.well:
        return place

    def look() -> str:
        if damaged := damaged_memories(data_dir):
            raise MemoryFault('; '.join(damaged))
        return place.found

    return _guarded(
        'memory',
        'restore a backup with lucca restore, or replace this memory by a new one with lucca doctor --new-memory',
        look,
    )


def begin_anew_with_memory(data_dir: Path, show: Output) -> None:
    """Starts each missing or damaged memory of a data folder anew, and prints which."""
    # Opened for reading first: opening for writing would create a misspelt folder.
    DataFolder.open(data_dir, write=False).close()
    with DataFolder.open(data_dir, write=True) as folder:
        for told in begin_anew(folder, datetime.now(UTC)) or (
            'every memory is present and undamaged; nothing was changed',
        ):
            show.line(told, 'yellow')


def _logs(data_dir: Path) -> list[Finding]:
    if not (data_dir / 'format').exists():
        return []
    try:
        with DataFolder.open(data_dir, write=False) as folder:
            found = verify_logs(folder)
    except LuccaError as error:
        return [Finding('task logs', False, str(error))]
    bad = [Finding('task log', False, item.damage) for item in found if item.damage]
    return bad or [Finding('task logs', True, f'{len(found)}, all whole')]


def _model(part: str, spec: str) -> Finding:
    def look() -> str:
        model = make_model(spec)
        model.check(MODEL_DEADLINE_S)
        return notice_of(model, LIST_DEADLINE_S) or f'{model.spec} answers'

    advice = 'check that the server is running, the name is right and the key is in the environment'
    return _guarded(part, advice, look)


def _ears() -> Finding:
    """What hears free speech on this machine, if somebody chooses it."""

    def look() -> str:
        if not WHISPER_TINY_EN.is_there:
            return f'pocketsphinx alone; for free speech: lucca models get {WHISPER_TINY_EN.name}'
        ears = ears_of(WHISPER_TINY_EN.used_as, language=SpeechConfig().language, scores_commands=True)
        assert ears is not None
        return f'pocketsphinx; {ears.notice}'

    return _guarded('ears', 'install the model that is named', look)


def _controllers(robot: str) -> list[tuple[str, ControllerInterface]]:
    """The controllers of arms and hands with their interfaces; none if the profile is faulty, which is said before."""
    try:
        return list(load_profile(robot).interfaces.items())
    except ConfigError:
        return []


def _until(graph: Graph, look: Callable[[], T], enough: Callable[[T], bool], looks: int = LOOKS) -> T:
    """The first observation that is enough, or the last one."""
    seen = look()
    for _ in range(looks - 1):
        if enough(seen):
            break
        graph.wait(LOOK_EVERY_S)
        seen = look()
    return seen


def _camera(graph: Graph, looks: int, advice: Mapping[str, str]) -> Finding:
    def look() -> list[str]:
        return [topic for topic in CAMERA_TOPICS if graph.endpoint(topic).publishers == 0]

    if missing := _until(graph, look, lambda missing: not missing, looks):
        return Finding('camera', False, f'nobody publishes {", ".join(missing)}', advice['camera'])
    return Finding('camera', True, 'colour, depth and camera info are published')


def _controller(
    graph: Graph, controller: tuple[str, ControllerInterface], looks: int, advice: Mapping[str, str]
) -> Finding:
    name, interface = controller
    if interface in ACTION_NAMES:
        # The server of an action is known by the topic on which it publishes the states of its goals.
        goes, verb = f'{name}/{ACTION_NAMES[interface]}', 'serves'
        there = _until(graph, lambda: graph.endpoint(f'{goes}/_action/status').publishers, bool, looks)
    else:
        goes, verb = f'{name}/joint_trajectory', 'listens on'
        there = _until(graph, lambda: graph.endpoint(goes).subscribers, bool, looks)
    if not there:
        return Finding(name, False, f'nobody {verb} {goes}', advice['controller'].format(name=name))
    return Finding(name, True, f'{verb} {goes}')


def _table(graph: Graph) -> Finding:
    try:
        snapshot = graph.snapshot(timeout_s=TABLE_S)
    except StackError as error:
        return Finding('perception', False, str(error), 'check the camera and its extrinsics')
    seen = [item.name for item in snapshot.objects if item.visible]
    return Finding('perception', True, f'{len(seen)} objects seen: {", ".join(seen) or "none"}')
