"""A thin stand-in for ROS 2's `launch` and `launch_ros`, which no registry package carries.

Launch files load in it, and what they would start can be looked at. Nothing is started.

Each class takes what the real one takes, as far as our launch files use it; `test_launch_parity.py` compares the two
where the real packages are installed.
"""

import runpy
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class LaunchContext:
    """The values of launch arguments and environment variables while a description is visited."""

    def __init__(self, argv: Iterable[str] | None = None) -> None:
        self.argv = list(argv or ())
        self.launch_configurations: dict[str, str] = {}
        self.environment: dict[str, str] = {}
        self.remaps: list[tuple[str, str]] = []
        self.started: list[Action] = []
        self.handlers: list[Any] = []
        self.asked: set[str] = set()

    def perform(self, value: Any) -> Any:
        """A value with its substitutions performed; lists are joined, as launch does."""
        if isinstance(value, LaunchConfiguration):
            return value.perform(self)
        if isinstance(value, ParameterValue):
            return self.perform(value.value)
        if isinstance(value, list | tuple):
            return ''.join(str(self.perform(part)) for part in value)
        return value


class Action:
    """What a launch description holds."""

    def visit(self, context: LaunchContext) -> Iterable['Action'] | None:
        """Carries the action out; returns further ones."""
        context.started.append(self)
        return None


class LaunchDescription:
    """A list of actions."""

    def __init__(self, initial_entities: Iterable[Action] | None = None) -> None:
        self.entities = list(initial_entities or [])


class LaunchConfiguration:
    """The value of a launch argument."""

    def __init__(self, variable_name: str) -> None:
        self.variable_name = variable_name

    def perform(self, context: LaunchContext) -> str:
        """Its value; an error for an argument that nobody declared, as in launch."""
        context.asked.add(self.variable_name)
        if self.variable_name not in context.launch_configurations:
            raise LookupError(f"launch configuration '{self.variable_name}' does not exist")
        return context.launch_configurations[self.variable_name]


@dataclass
class DeclareLaunchArgument(Action):
    """Declares an argument and gives it its default, unless it was given."""

    name: str
    default_value: Any = field(default=None, kw_only=True)
    description: str | None = field(default=None, kw_only=True)

    def visit(self, context: LaunchContext) -> None:
        if self.name not in context.launch_configurations:
            context.launch_configurations[self.name] = context.perform(self.default_value)
        context.started.append(self)


@dataclass(kw_only=True)
class OpaqueFunction(Action):
    """Calls a function that returns further actions."""

    function: Callable[..., Iterable[Action] | None]
    args: Iterable[Any] = ()

    def visit(self, context: LaunchContext) -> Iterable[Action] | None:
        return self.function(context, *self.args)


@dataclass
class IfCondition:
    """Whether a text is true, 1, false or 0, in any case."""

    predicate_expression: Any

    def evaluate(self, context: LaunchContext) -> bool:
        """Its value; an error for any other text."""
        said = str(context.perform(self.predicate_expression)).strip().lower()
        if said not in ('true', '1', 'false', '0'):
            raise ValueError(f'{said!r} is neither true nor false')
        return said in ('true', '1')


@dataclass
class PythonLaunchDescriptionSource:
    """A launch file."""

    launch_file_path: Any


@dataclass
class IncludeLaunchDescription(Action):
    """Another launch file, which sees the arguments of this one."""

    launch_description_source: PythonLaunchDescriptionSource
    launch_arguments: Iterable[tuple[Any, Any]] = field(default=(), kw_only=True)
    condition: 'IfCondition | None' = field(default=None, kw_only=True)

    def visit(self, context: LaunchContext) -> Iterable[Action]:
        if self.condition is not None and not self.condition.evaluate(context):
            return ()
        for name, value in self.launch_arguments:
            context.launch_configurations[name] = context.perform(value)
        file = context.perform(self.launch_description_source.launch_file_path)
        entities: list[Action] = runpy.run_path(str(file))['generate_launch_description']().entities
        return entities


@dataclass
class GroupAction(Action):
    """Actions whose remappings end with the group."""

    actions: Sequence[Action]

    def visit(self, context: LaunchContext) -> None:
        before = list(context.remaps)
        visit(self.actions, context)
        context.remaps = before


@dataclass
class SetRemap(Action):
    """Renames a topic for all nodes after it."""

    src: Any
    dst: Any

    def visit(self, context: LaunchContext) -> None:
        context.remaps.append((context.perform(self.src), context.perform(self.dst)))


@dataclass
class SetEnvironmentVariable(Action):
    """Sets a variable for the processes after it."""

    name: str
    value: str

    def visit(self, context: LaunchContext) -> None:
        context.environment[self.name] = context.perform(self.value)


@dataclass
class RegisterEventHandler(Action):
    """Keeps a handler."""

    event_handler: Any

    def visit(self, context: LaunchContext) -> None:
        context.handlers.append(self.event_handler)


@dataclass(kw_only=True)
class OnProcessExit:
    """Called when a process ends."""

    on_exit: Any


@dataclass(kw_only=True)
class OnShutdown:
    """Called when the launch ends."""

    on_shutdown: Any


@dataclass(kw_only=True)
class ExecuteProcess(Action):
    """A foreign program."""

    cmd: Sequence[Any]
    name: Any = None
    prefix: Any = None
    output: str = 'log'


@dataclass(kw_only=True)
class Node(Action):
    """A node as a process; after a visit `remapped` has all its remappings."""

    package: str
    executable: str
    name: str | None = None
    exec_name: str | None = None
    namespace: Any = None
    parameters: Sequence[Any] = ()
    remappings: Sequence[tuple[Any, Any]] = ()
    arguments: Sequence[Any] = ()
    output: str = 'log'
    prefix: Any = None
    respawn: Any = False
    respawn_delay: float = 0.0
    remapped: dict[str, str] = field(init=False, default_factory=dict)
    overrides: dict[str, Any] = field(init=False, default_factory=dict)

    def visit(self, context: LaunchContext) -> None:
        own = [(context.perform(source), context.perform(target)) for source, target in self.remappings]
        self.remapped = dict([*context.remaps, *own])
        for given in self.parameters:
            if isinstance(given, Mapping):
                self.overrides |= {name: context.perform(value) for name, value in given.items()}
        for used in (self.namespace, self.respawn, *self.parameters):
            if isinstance(used, LaunchConfiguration):
                context.perform(used)
        context.started.append(self)


class LifecycleNode(Node):
    """A node with a lifecycle."""


@dataclass
class ParameterValue:
    """A parameter's value with its type."""

    value: Any
    value_type: Any = field(default=None, kw_only=True)


def prefix_namespace(base_ns: str | None, ns: str | None) -> str | None:
    """A namespace below another, as launch_ros has it."""
    if not base_ns or (ns or '').startswith('/'):
        return ns
    return f'{base_ns.rstrip("/")}/{ns}' if ns else base_ns


MODULES: Mapping[str, tuple[Any, ...]] = {
    'launch': (Action, LaunchContext, LaunchDescription),
    'launch.actions': (
        DeclareLaunchArgument,
        ExecuteProcess,
        GroupAction,
        IncludeLaunchDescription,
        OpaqueFunction,
        RegisterEventHandler,
        SetEnvironmentVariable,
    ),
    'launch.event_handlers': (OnProcessExit, OnShutdown),
    'launch.conditions': (IfCondition,),
    'launch.launch_description_sources': (PythonLaunchDescriptionSource,),
    'launch.substitutions': (LaunchConfiguration,),
    'launch_ros': (),
    'launch_ros.actions': (LifecycleNode, Node, SetRemap),
    'launch_ros.parameter_descriptions': (ParameterValue,),
    'launch_ros.utilities': (prefix_namespace,),
}
"""What each module of the real packages holds here."""


def install(monkeypatch: Any) -> None:
    """Puts the stand-ins where `import launch` finds them, until the test ends."""
    for name, held in MODULES.items():
        module = types.ModuleType(name)
        for item in held:
            setattr(module, item.__name__, item)
        monkeypatch.setitem(sys.modules, name, module)
    # Set before it is deleted, so that the one which is imported meanwhile is gone afterwards in any case.
    monkeypatch.setitem(sys.modules, 'lucca_ros.launching', sys.modules.get('lucca_ros.launching'))
    monkeypatch.delitem(sys.modules, 'lucca_ros.launching')


def visit(actions: Iterable[Action], context: LaunchContext) -> LaunchContext:
    """Carries actions out, and those that they return."""
    for action in actions:
        visit(action.visit(context) or (), context)
    return context


def nodes_of(context):
    return [action for action in context.started if isinstance(action, Node)]
