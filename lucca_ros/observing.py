"""How a node tells what it thinks and does to whoever watches or records."""

import json
import logging
import time
from typing import Any

from lucca_interfaces import msg
from pydantic import TypeAdapter
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy

from lucca_core.protocol.observations import Observable, Observation
from lucca_ros.conversions.observations import OBSERVATION
from lucca_ros.conversions.stamps import time_from_msg

_LOG = logging.getLogger(__name__)

TOPIC = 'observations'
OBSERVATIONS_QOS = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)


class Observer:
    """Publishes on `observations` while somebody listens. Made when the node is configured, safe in any thread."""

    def __init__(self, node: LifecycleNode, *kinds: type[Observable]) -> None:
        """`kinds`: the classes of values that this node tells."""
        self._node = node
        # Made now: the first one of a kind takes many milliseconds, which an action should not wait for.
        self._adapters: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in kinds}
        self._publisher = node.create_lifecycle_publisher(msg.Observation, TOPIC, OBSERVATIONS_QOS)

    def tell(self, value: Observable) -> None:
        """Publishes a value. Never raises: whoever watches must not stop a robot."""
        try:
            if self._publisher.is_activated and self._publisher.get_subscription_count():
                self._publisher.publish(OBSERVATION.to_msg(self._observation(value)))
        except Exception:  # noqa: BLE001 - see above
            # A node that ends loses its publisher while others of its threads still work.
            if self._node.context.ok():
                _LOG.exception('a %s could not be told to watchers', type(value).__name__)

    def destroy(self) -> None:
        """Ends the publisher."""
        self._node.destroy_lifecycle_publisher(self._publisher)

    def _observation(self, value: Observable) -> Observation:
        return Observation(
            stamp_s=time_from_msg(self._node.get_clock().now().to_msg()),
            wall_s=time.time(),
            node=self._node.get_name(),
            kind=value.KIND,
            json=self._text(value),
        )

    def _text(self, value: Observable) -> str:
        plain = self._adapters[type(value)].dump_python(value, mode='json')
        # A lone surrogate, as a model may write it, has no UTF-8.
        return json.dumps(plain, ensure_ascii=False).encode('utf-8', 'replace').decode()
