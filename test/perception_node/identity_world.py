"""A tracker, its containers and a clock: frames are made of detections alone."""

import numpy as np

from lucca_core.protocol.snapshots import Pose
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.identity.identity import Tracker
from perception_node.identity.visibility import Sight
from perception_node.lexicon import load_lexicon
from perception_node.robot_view import HandState

LEXICON = load_lexicon()
CONFIG = PerceptionConfig()
COLOURS = {'pear': 'green', 'apple': 'red', 'banana': 'yellow', 'can': 'red', 'cup': 'cyan'}
SIZE = (0.06, 0.06, 0.06)


def seen(label: str, x: float, y: float, *, colour: str = '', z: float = 0.83, partial: bool = False) -> Detection:
    return Detection(
        label=label,
        score=0.6 if partial else 1.0,
        attributes=(colour or COLOURS[label],),
        box_px=(1, 2, 3, 4),
        pose_world=Pose((x, y, z)),
        size_m=SIZE,
        partial=partial,
    )


def container(name: str, x: float, y: float, size: tuple[float, float, float]) -> Detection:
    pose = Pose((x, y, 0.8 + size[2] / 2))
    return Detection(label=name, score=1.0, pose_world=pose, size_m=size, is_container=True)


BOX = container('box 1', 0.3, 0.1, (0.22, 0.2, 0.085))
PAD = container('tower', 0.54, 0.0, (0.11, 0.11, 0.004))


class Eyes:
    """What a frame's depth would say of places: everything not seen is empty, but for `hidden` ones."""

    def __init__(self, *hidden: tuple[float, float], inside_hidden: bool = False) -> None:
        self._hidden = hidden
        self._inside_hidden = inside_hidden

    def sight(self, position_m, size_m) -> Sight:
        near = any(np.hypot(position_m[0] - x, position_m[1] - y) < 0.1 for x, y in self._hidden)
        return Sight.HIDDEN if near else Sight.EMPTY

    def excludes(self, places_m, size_m) -> bool:
        return not self._inside_hidden


class World:
    """A tracker with its containers and a clock."""

    def __init__(self, *containers: Detection) -> None:
        self._containers = containers
        self._places = Places(LEXICON, CONFIG)
        self._tracker = Tracker(LEXICON, CONFIG)
        self._time_s = 0.0

    def frame(self, *detections: Detection, eyes: Eyes | None = None, hands: tuple[HandState, ...] = ()):
        self._time_s += 0.1
        self._places.update(self._containers)
        objects = self._tracker.update(self._time_s, detections, self._places, hands, eyes or Eyes())
        self._places.follow(objects)
        return objects

    def frames(self, count: int, *detections: Detection, **kwargs):
        for _ in range(count):
            objects = self.frame(*detections, **kwargs)
        return objects

    def wait(self, time_s: float) -> None:
        """No frame comes for a while."""
        self._time_s += time_s

    def tower_height_m(self) -> float:
        return self._tracker.stack_heights_m(self._places)['tower']


def by_name(objects) -> dict:
    return {item.name: item for item in objects}


def hand(x: float, y: float, z: float, *, closed: bool, side: str = 'left') -> HandState:
    return HandState(side, (x, y, z), closed)
