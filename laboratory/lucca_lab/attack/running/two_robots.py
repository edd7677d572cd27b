"""Attack on the isolation of two robots: commands to one must not affect the other."""

import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.running.processes import Running, cleaned, lucca, new_namespace, start_stack
from lucca_ros.spinning import SpinThread
from lucca_ros.subscriptions import ANY_PUBLISHER

READY_S = 120.0
ANSWER_S = 120.0
STILL_RAD = 0.005
MOVED_RAD = 0.05
CUBES = ('black', 'red', 'blue', 'green', 'yellow', 'white')


class _Watch:
    """Watches how far each joint of a robot has moved away from its position at the last `begin`."""

    def __init__(self, node: Node, namespace: str) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, float] = {}
        self._first: dict[str, float] = {}
        self._moved_rad = 0.0
        self.heard = threading.Event()
        node.create_subscription(JointState, f'{namespace}/joint_states', self._on_joints, ANY_PUBLISHER)

    def _on_joints(self, msg: Any) -> None:
        with self._lock:
            self._last.update(zip(msg.name, msg.position, strict=True))
            away = [abs(self._last[name] - position) for name, position in self._first.items()]
            self._moved_rad = max([self._moved_rad, *away])
        self.heard.set()

    def begin(self) -> None:
        with self._lock:
            self._first, self._moved_rad = dict(self._last), 0.0

    @property
    def moved_rad(self) -> float:
        with self._lock:
            return self._moved_rad


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    names = (new_namespace(), new_namespace())
    with cleaned(namespaces=names) as started, ExitStack() as end:
        started += [start_stack(folder, name) for name in names]
        for stack in started:
            stack.until_ready(READY_S, 'a stack is not ready')
        context = Context()
        rclpy.init(context=context)
        end.callback(context.try_shutdown)
        node = Node('onlooker', context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        watches = [_Watch(node, name) for name in names]
        end.enter_context(SpinThread(executor))
        if not all(watch.heard.wait(READY_S) for watch in watches):
            raise Broken('a robot publishes no joint states')

        def trial(chance: random.Random) -> Counts:
            mine = chance.randrange(2)
            cube = chance.choice(CUBES)
            for watch in watches:
                watch.begin()
            stops = chance.random() < 0.3
            if stops:
                _must(folder, names[mine], 'stop')
            said = _say(folder, names[mine], cube)
            if stops and said == 0:
                raise Broken('a robot that was stopped did what it was asked for')
            if stops:
                _must(folder, names[mine], 'reset')
            elif said != 0:
                raise Broken(f'asked to point at the {cube} cube it ended with {said}')
            own, other = watches[mine].moved_rad, watches[1 - mine].moved_rad
            if other > STILL_RAD:
                raise Broken(f'as one robot was asked to point, the other moved by {other:.3f} rad')
            if not stops and own < MOVED_RAD:
                raise Broken(f'the robot that was asked to point moved by {own:.3f} rad only')
            for stack in started:
                if stack.process.poll() is not None:
                    raise Broken(f'a stack ended with {stack.process.returncode}')
            return {'stopped, asked and reset' if stops else 'asked': 1}

        yield trial
        for stack in started:
            stack.end()


def _say(folder: Path, namespace: str, cube: str) -> int:
    return _done(lucca(folder, 'say', f'point at the {cube} cube', '--namespace', namespace))


def _must(folder: Path, namespace: str, command: str) -> None:
    if code := _done(lucca(folder, command, '--namespace', namespace)):
        raise Broken(f'lucca {command} ended with {code}')


def _done(running: Running) -> int:
    try:
        running.until(lambda: False, ANSWER_S, 'a command has no answer')
        return int(running.process.returncode)
    finally:
        running.process.kill()
        running.process.wait()


PART = Attack(
    name='two-robots',
    promise='Of two robots in two namespaces of a domain, neither moves, stops or resets because of the other.',
    open=_open,
    sample=0,  # test/integration/test_two_robots.py promises the same of the two stacks that it has
    count=100,
)
