"""A client of a stack that may be ill: what its nodes report of themselves, and which processes run them."""

import time
from collections.abc import Collection
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray

from lucca_cli.client import StackClient
from lucca_core.protocol.observations import OTHER_SENDERS
from lucca_ros.diagnostics import DIAGNOSTICS, OK, parts_in

_SLICE_S = 0.1


@dataclass(frozen=True, slots=True)
class PartState:
    """The state of one part in a few words, whether it is well, and who else may do what only it should."""

    well: bool
    message: str
    other_senders: str = ''


class ExaminedStack(StackClient):
    """The client of `lucca doctor`."""

    def states(self, nodes: Collection[str], timeout_s: float) -> dict[str, PartState]:
        """The newest reports of all parts that report within `timeout_s`; returns once all of `nodes` have."""
        found: dict[str, PartState] = {}

        def hear(msg: DiagnosticArray) -> None:
            for part, report in parts_in(msg).items():
                found[part] = PartState(report.level == OK, report.message, report.values.get(OTHER_SENDERS, ''))

        subscription = self.node.create_subscription(DiagnosticArray, DIAGNOSTICS, hear, 10)
        try:
            end_s = time.monotonic() + timeout_s
            while not found.keys() >= set(nodes) and time.monotonic() < end_s:
                self.wait(_SLICE_S)
        finally:
            self.node.destroy_subscription(subscription)
        return dict(found)

    def process_of(self, kind: str) -> str:
        """The process that runs a kind of node in this domain and namespace, though it may hang; empty if none does."""
        return self.running((kind,)).get(kind, '')
