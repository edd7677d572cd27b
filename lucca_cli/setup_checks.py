"""Checks of all nodes' settings before any node starts, so that the command reports a mistake once."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from action_node.config import ActionConfig
from action_node.motion.config import MotionConfig
from action_node.stop.state_lock import check_state_folder
from coordinator_node.config import CoordinatorConfig
from coordinator_node.persona import load_persona
from coordinator_node.tasks.task_reading import check_understood
from lucca_cli.parameter_files import check_names
from lucca_core.errors import ConfigError, MemoryFault
from lucca_core.nodes import NodeSetup
from lucca_core.paths import default_data_dir, default_state_dir
from lucca_core.settings import from_mapping, parameters_for
from lucca_core.yaml_file import LocatedMapping
from lucca_llm.model_spec import make_model
from lucca_memory.data_folder import NEEDED_MB, DataFolder, check_folder, in_use
from lucca_memory.manifest import damaged_memories
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.opening import STORE_VARIABLE
from lucca_memory.procedural import load_actions, load_tasks
from lucca_robot.profile import load_profile
from lucca_sim.config import SimConfig
from lucca_sim.factories import check_heights, make_scene
from perception_node.config import PerceptionConfig
from perception_node.detectors.detector_spec import check_spec
from perception_node.lexicon import load_lexicon
from speech_node.components import book_for, make_speaker
from speech_node.config import SpeechConfig
from worker_node.config import WorkerConfig
from worker_node.network.config import NetworkConfig
from worker_node.people.config import DeskConfig

SETTINGS: Mapping[str, tuple[type, ...]] = {
    'simulator': (SimConfig,),
    'perception': (PerceptionConfig,),
    'action': (ActionConfig, MotionConfig),
    'worker': (WorkerConfig, DeskConfig, NetworkConfig, PeopleConfig),
    'speech': (SpeechConfig,),
    'coordinator': (CoordinatorConfig,),
}
"""The settings of each node, by its name."""

_NAMES = {node: [item.name for kind in kinds for item in dataclasses.fields(kind)] for node, kinds in SETTINGS.items()}

_IN_FOLDER = 'sqlite'
_FREE_LOOKS, _FREE_LOOK_S = 10, 0.3

T = TypeVar('T')


def check_setups(setups: Sequence[NodeSetup]) -> None:
    """Checks the nodes' settings, and what they name: scene, robot, detector, models, files.

    Nothing large is loaded, and no server is asked.

    Raises:
        ConfigError: a node would refuse a setting.
        SpeechError: a speaker is not installed.
        ModelUnusable: a model's key is missing or malformed.
        MemoryFault: the worker's memory is damaged, or there is no room for it.
        StackError: the action node's state folder cannot be locked.
    """
    for file in dict.fromkeys(file for setup in setups for file in setup.params_files):
        check_names(file, _NAMES)
    for setup in setups:
        settings = _Settings(setup)
        match setup.name:
            case 'simulator':
                _check_simulator(settings.of(SimConfig))
            case 'perception':
                perception = settings.of(PerceptionConfig)
                load_profile(perception.robot)
                load_lexicon(perception.objects_file)
                check_spec(perception.detector)
            case 'action':
                action = settings.of(ActionConfig)
                load_profile(action.robot)
                load_actions(_file(action.actions_file))
                check_state_folder(Path(action.state_dir).expanduser() if action.state_dir else default_state_dir())
            case 'worker':
                worker = settings.of(WorkerConfig)
                make_model(worker.llm)
                _check_memory(_data_folder(worker), settings.of(DeskConfig).store)
                load_tasks(_file(worker.tasks_file), load_actions(_file(worker.actions_file)))
            case 'coordinator':
                coordinator = settings.of(CoordinatorConfig)
                make_model(coordinator.llm)
                tasks = load_tasks(_file(coordinator.tasks_file), load_actions(_file(coordinator.actions_file)))
                check_understood(tasks.values(), coordinator.llm)
                load_persona(_file(coordinator.persona_file))
            case 'speech':
                speech = settings.of(SpeechConfig)
                book_for(speech)
                make_speaker(speech)


def check_free(setups: Sequence[NodeSetup], wait: Callable[[float], None]) -> None:
    """Checks that no other process writes the worker's data folder. One that ends soon, such as a command, is awaited.

    Call it once no stack of this domain and namespace is known to run: that would be the better thing to say.

    `wait`: waits for a time in s.

    Raises:
        FolderInUseError: a process writes it.
    """
    for folder in [_data_folder(_Settings(setup).of(WorkerConfig)) for setup in setups if setup.name == 'worker']:
        for _ in range(_FREE_LOOKS):
            if not DataFolder.is_in_use(folder):
                break
            wait(_FREE_LOOK_S)
        else:
            if user := DataFolder.user_of(folder):
                raise in_use(folder, user)


class _Settings:
    """The settings of one node, from its parameter files and, over those, from the command. All are read at once."""

    def __init__(self, setup: NodeSetup) -> None:
        values = LocatedMapping()
        values.key_lines = {}
        for file in setup.params_files:
            found = parameters_for(file, setup.name)
            for kind in SETTINGS[setup.name]:
                _read(kind, found, str(file))
            values.update(found)
        values.update(setup.parameters)
        self._read: dict[type, Any] = {kind: _read(kind, values, '') for kind in SETTINGS[setup.name]}

    def of(self, kind: type[T]) -> T:
        """The settings of one kind."""
        found: T = self._read[kind]
        return found


def _read(kind: type[T], values: LocatedMapping, file: str) -> T:
    # Values that are in none of the kinds are ROS's own, such as use_sim_time.
    names = {item.name for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    own = LocatedMapping((name, value) for name, value in values.items() if name in names)
    own.key_lines = values.key_lines if file else {}
    return from_mapping(kind, own, file=file)


def _check_simulator(config: SimConfig) -> None:
    profile = load_profile(config.robot)
    try:
        check_heights(make_scene(config), profile)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _data_folder(config: WorkerConfig) -> Path:
    return Path(config.data_dir).expanduser() if config.data_dir else default_data_dir()


def _check_memory(folder: Path, store: str) -> None:
    check_folder(folder, NEEDED_MB)
    in_folder = (store or os.environ.get(STORE_VARIABLE) or _IN_FOLDER) == _IN_FOLDER
    if in_folder and (folder / 'format').exists() and (damaged := damaged_memories(folder, whole=False)):
        raise MemoryFault('; '.join(damaged))


def _file(name: str) -> Path | None:
    return Path(name) if name else None
