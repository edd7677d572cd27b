"""Images with the detections drawn in, for people."""

import cv2
import numpy as np

from lucca_core.protocol.snapshots import HAND, TABLE, Snapshot, TableObject
from perception_node.camera import Camera
from perception_node.detector import Image

_SEEN, _INFERRED, _HELD, _PLACE = (40, 255, 90), (255, 190, 40), (255, 90, 255), (240, 240, 240)
_DARK = (20, 20, 20)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotated(rgb: Image, snapshot: Snapshot, camera: Camera) -> Image:
    """A copy of the image (h, w, 3) with every object's box, name and place, and every container's outline.

    Green: seen. Orange: not seen, drawn where it is believed to be. Purple: in a hand. White: containers.
    """
    picture = np.ascontiguousarray(rgb).copy()
    taken: list[tuple[int, int, int, int]] = []
    for container in snapshot.containers:
        if container.name == HAND or not container.visible:
            continue
        x, y, z = container.position_world_m
        dx, dy, top = container.size_m[0] / 2, container.size_m[1] / 2, z + container.size_m[2]
        corners = np.array([(x - dx, y - dy, top), (x + dx, y - dy, top), (x + dx, y + dy, top), (x - dx, y + dy, top)])
        pixels, depth = camera.project(corners)
        if (depth <= 0).any():
            continue
        cv2.polylines(picture, [np.round(pixels).astype(np.int32)], True, _PLACE, 1, cv2.LINE_AA)
        left, low = int(max(pixels[:, 0].min(), 2)), int(min(max(pixels[:, 1].max() - 4, 12), camera.height - 4))
        _label(picture, container.name, (left + 3, low), _PLACE, taken)
    for item in snapshot.objects:
        _draw_object(picture, item, camera, taken)
    summary = f'{snapshot.stamp_s:.1f} s  {len(snapshot.objects)} objects  {snapshot.processing_s * 1000:.0f} ms'
    _label(picture, summary, (6, 14), _PLACE, taken)
    return picture


def _draw_object(picture: Image, item: TableObject, camera: Camera, taken: list[tuple[int, int, int, int]]) -> None:
    pixels, depth = camera.project(np.array([item.pose_world.position_m]))
    if depth[0] <= 0:
        return
    middle = (round(float(pixels[0, 0])), round(float(pixels[0, 1])))
    colour = _HELD if item.container == HAND else _SEEN if item.visible else _INFERRED
    text = item.name if item.container == TABLE else f'{item.name} ({item.container})'
    if item.visible:
        x, y, width, height = item.box_px
        cv2.rectangle(picture, (x - 1, y - 1), (x + width, y + height), colour, 1, cv2.LINE_AA)
        place = (x, y - 4)
    else:
        cv2.drawMarker(picture, middle, colour, cv2.MARKER_TILTED_CROSS, 10, 1, cv2.LINE_AA)
        place = (middle[0] + 8, middle[1])
    cv2.circle(picture, middle, 2, colour, -1, cv2.LINE_AA)
    _label(picture, text, place, colour, taken)


def _label(
    picture: Image,
    text: str,
    place: tuple[int, int],
    colour: tuple[int, int, int],
    taken: list[tuple[int, int, int, int]],
) -> None:
    """Draws text on a dark background, moved down until it covers no other label."""
    (width, height), _ = cv2.getTextSize(text, _FONT, 0.38, 1)
    x = min(max(place[0], 1), max(picture.shape[1] - width - 2, 1))
    y = max(place[1], height + 2)
    while any(x < b and a < x + width and y - height < d and c < y + 3 for a, b, c, d in taken):
        y += height + 5
    taken.append((x, x + width, y - height, y + 3))
    cv2.rectangle(picture, (x - 1, y - height - 2), (x + width + 1, y + 3), _DARK, -1)
    cv2.putText(picture, text, (x, y), _FONT, 0.38, colour, 1, cv2.LINE_AA)
