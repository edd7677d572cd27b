"""Workers over real DDS, in this process or in one of their own, and a client."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rclpy
from lucca_interfaces.msg import Entry as EntryMsg
from lucca_interfaces.srv import Record
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from lucca_core.nodes import node_command
from lucca_memory.embedding.embedder import Embedder, NoEmbedder
from lucca_ros.callers import ServiceCaller
from lucca_ros.spinning import SpinThread
from worker_node.node import WorkerNode

SUCCESS = TransitionCallbackReturn.SUCCESS


class Graph:
    """A context with an executor of its own, a client node, and workers on demand."""

    def __init__(self, folder: Path, model: Any, embedder: Embedder | None = None, *, patience_s: float = 60.0) -> None:
        self._patience_s = patience_s
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = MultiThreadedExecutor(num_threads=6, context=self.context)
        self.client = rclpy.create_node('client', context=self.context)
        self.executor.add_node(self.client)
        self.spinning = SpinThread(self.executor)
        self.spinning.start()
        self.folder, self.model, self.embedder = folder, model, embedder or NoEmbedder()
        self.workers: list[WorkerNode] = []
        self.specs: list[str] = []

    def worker(self, llm: str = 'embedded') -> WorkerNode:
        node = WorkerNode(
            self._made,
            lambda spec: self.embedder,
            context=self.context,
            parameter_overrides=[Parameter('data_dir', value=str(self.folder)), Parameter('llm', value=llm)],
        )
        self.executor.add_node(node)
        self.workers.append(node)
        return node

    def _made(self, spec: str) -> Any:
        self.specs.append(spec)
        return self.model

    def active(self) -> WorkerNode:
        node = self.worker()
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == SUCCESS
        return node

    def call(self, kind: Any, name: str, request: Any) -> Any:
        caller = ServiceCaller(self.client, kind, name)
        try:
            return caller.call(request, self._patience_s)
        finally:
            caller.destroy()

    def record(self, entry: EntryMsg) -> Any:
        return self.call(Record, 'memory/record', Record.Request(entry=entry))

    def close(self) -> None:
        self.spinning.close()
        for node in (*self.workers, self.client):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextmanager
def process(folder: Path, **parameters: str) -> Iterator[subprocess.Popen[bytes]]:
    command = node_command('worker', parameters={'data_dir': folder, 'llm': 'embedded', **parameters})
    started = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()
