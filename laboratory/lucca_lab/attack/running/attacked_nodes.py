"""Node processes under attack, and the ROS client that sends messages to them and checks that they are alive."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from lucca_core.nodes import node_command
from lucca_lab.attack.attack import Broken
from lucca_ros.rclpy_internals import destroy_for_good
from lucca_ros.spinning import SpinThread

DEADLINE_S = 30.0
START_S = 300.0
"""Six processes that start at once on two busy cores take minutes."""
_END_S = 15.0


class NodeProcesses:
    """Nodes that run until `close`. Each writes a log into `folder`.

    Args:
        folder: the folder for logs and state.
        nodes: the parameters of each node, by its name.
    """

    def __init__(self, folder: Path, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for name, parameters in nodes.items():
            self._running[name] = start_node(
                node_command(name, parameters=parameters),
                folder / f'{name}.log',
                {**os.environ, 'LUCCA_STATE_DIR': str(folder / 'state'), 'ROS_LOG_DIR': str(folder / 'ros')},
            )
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = Node('attacker', context=self.context)
        executor = MultiThreadedExecutor(num_threads=4, context=self.context)
        executor.add_node(self.node)
        self._spinning = SpinThread(executor)
        self._spinning.start()

    def until(self, condition: Callable[[], bool], what: str, timeout_s: float = START_S) -> None:
        """Waits for a condition.

        Raises:
            Broken: a node has ended, or the condition does not become true in time.
        """
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            self.check_alive()
            if time.monotonic() > deadline_s:
                raise Broken(f'not within {timeout_s:g} s: {what}\n{self.said()}')
            time.sleep(0.01)

    def check_alive(self) -> None:
        """
        Raises:
            Broken: a node has ended; the message has the end of its log.
        """
        for name, process in self._running.items():
            if process.poll() is not None:
                raise Broken(f'{name} has ended with {process.returncode}:\n{self.said(name)}')

    def call(self, client: Any, request: Any, what: str, timeout_s: float = DEADLINE_S) -> Any:
        """Calls a service and returns its response.

        Raises:
            Broken: there is no response, or a node has ended.
        """
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())
        deadline_s = time.monotonic() + timeout_s
        while not done.wait(0.02):
            self.check_alive()
            if time.monotonic() > deadline_s:
                client.remove_pending_request(future)
                raise Broken(f'{what} was not answered within {timeout_s:g} s\n{self.said()}')
        return future.result()

    def said(self, name: str = '', size: int = 1500) -> str:
        """The end of a node's log, or of all logs."""
        names: Sequence[str] = [name] if name else list(self._running)
        return '\n'.join(
            f'--- {item}\n' + (self._folder / f'{item}.log').read_text(encoding='utf-8', errors='replace')[-size:]
            for item in names
        )

    def close(self) -> dict[str, int]:
        """Ends the nodes and returns their exit codes."""
        for process in self._running.values():
            process.send_signal(signal.SIGINT)
        codes = {}
        for name, process in self._running.items():
            try:
                codes[name] = process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                codes[name] = process.wait()
        self._spinning.close()
        destroy_for_good(self.node)
        rclpy.shutdown(context=self.context)
        return codes


def start_node(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Starts a node whose output goes to a file."""
    with log.open('wb') as output:
        return subprocess.Popen(command, stdout=output, stderr=output, env=environment)
