"""The camera's pictures with the detections drawn in, published for people."""

import math
import time

from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import CompressedImage, Image

from lucca_core.protocol.snapshots import Snapshot
from lucca_ros.conversions.images import image_to_msg, jpeg_to_msg
from perception_node.annotation import annotated
from perception_node.pipeline import Frame, Pipeline

TOPIC = 'perception/annotated'


class AnnotatedPictures:
    """Draws and publishes pictures while somebody subscribes: as they are, and as JPEG on `TOPIC`/compressed.

    A picture as it is has a megabyte, and perception spends time on sending it; as JPEG it has a twentieth of that.
    """

    def __init__(self, node: LifecycleNode) -> None:
        self._node = node
        self._whole = node.create_lifecycle_publisher(Image, TOPIC, 1)
        self._packed = node.create_lifecycle_publisher(CompressedImage, f'{TOPIC}/compressed', 1)
        self._last_s = -math.inf

    def publish(self, frame: Frame, snapshot: Snapshot, pipeline: Pipeline, frame_id: str, most_hz: float) -> None:
        """Publishes what is seen in a frame, unless the last picture is newer than 1 / `most_hz` s of wall time."""
        whole, packed = self._whole.get_subscription_count() > 0, self._packed.get_subscription_count() > 0
        now_s = time.monotonic()
        if not (whole or packed) or now_s - self._last_s < 1.0 / most_hz:
            return
        self._last_s = now_s
        picture = annotated(frame.rgb, snapshot, pipeline.camera)
        if whole:
            self._whole.publish(image_to_msg(picture, frame.stamp_s, frame_id))
        if packed:
            self._packed.publish(jpeg_to_msg(picture, frame.stamp_s, frame_id))

    def destroy(self) -> None:
        """Destroys the publishers."""
        for publisher in (self._whole, self._packed):
            self._node.destroy_lifecycle_publisher(publisher)
