"""One object over time: what is believed of it, and what seeing it again changes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lucca_core.protocol.snapshots import TABLE
from perception_node.camera import Doubles
from perception_node.containment import Place
from perception_node.detector import Detection

_SMOOTHING = 0.4
_STILL_M = 0.01
_JUMP_M = 0.15
_KNOWN_VOTES = 30.0
# What agrees counts a little in part, too: what was known in a box or on a tower is not renamed by the first look after it.
_PART_VOTE = 0.25


@dataclass(kw_only=True, eq=False)
class Track:
    """The belief about one object. Lengths in m, world frame; `position` is its centre; `entered_s` is since
    when it is in its container; `doubted`: since it was last seen whole it was not seen for a while, outside of boxes, so that
    something else may stand there now; so, too, when it was found again elsewhere, until it is seen there once more."""

    object_id: str
    position: Doubles
    size: Doubles
    orientation: tuple[float, float, float, float]
    last_seen_s: float
    box_px: tuple[int, int, int, int] = (0, 0, 0, 0)
    score: float = 0.0
    container: str = TABLE
    visible: bool = True
    inferred: bool = False
    entered_s: float = 0.0
    held_by: str = ''
    grip: Doubles = field(default_factory=lambda: np.zeros(3))
    empty_frames: int = 0
    seen_frames: int = 0
    confirmed: bool = False
    lost: bool = False
    doubted: bool = False
    labels: Counter[str] = field(default_factory=Counter)
    colours: Counter[str] = field(default_factory=Counter)

    @property
    def label(self) -> str:
        """The label with the most evidence."""
        return self.labels.most_common(1)[0][0]

    @property
    def colour(self) -> str:
        """The colour with the most evidence, '' if none was seen."""
        return self.colours.most_common(1)[0][0] if self.colours else ''

    @property
    def top_z(self) -> float:
        """World z of its top."""
        return float(self.position[2] + self.size[2] / 2)

    def enter(self, container: str, stamp_s: float) -> None:
        """Says where it is now, and remembers since when."""
        if container != self.container:
            self.container = container
            self.entered_s = stamp_s

    def vote(self, detection: Detection) -> None:
        """Counts a whole view as evidence of what it is; old evidence has a limit, so that a first mistake can be mended."""
        for votes, value in ((self.labels, detection.label), (self.colours, detection.colour)):
            if value:
                votes[value] += detection.score  # type: ignore[assignment]
                if votes[value] > _KNOWN_VOTES:
                    for name in votes:
                        votes[name] *= 0.5  # type: ignore[assignment]

    def see(self, detection: Detection, stamp_s: float, *, in_container: bool) -> None:
        """Takes over what a frame shows of it."""
        position = np.array(detection.pose_world.position_m)
        size = np.array(detection.size_m)
        top = float(position[2] + size[2] / 2)
        if not detection.partial and detection.label == self.label and detection.colour in ('', self.colour):
            self.doubted = bool(np.linalg.norm(position - self.position) > _JUMP_M)
        if detection.label == self.label and (detection.partial or in_container):
            self.labels[self.label] += _PART_VOTE * detection.score  # type: ignore[assignment]
        if not detection.partial and not in_container:
            self.vote(detection)
            still = np.linalg.norm(position - self.position) < _STILL_M
            share = _SMOOTHING if still and self.seen_frames else 1.0
            self.size = self.size + share * (size - self.size)
            self.position = self.position + share * (position - self.position)
            self.orientation = detection.pose_world.orientation_xyzw
        else:
            # A part shows where the thing is not: farther off than it reaches, or lower than its visible top.
            away = float(np.linalg.norm(position[:2] - self.position[:2]))
            if not detection.partial or away > 0.6 * max(self.size[:2]):
                self.position = np.array([position[0], position[1], self.position[2]])
                away = np.inf
            if not detection.partial:
                self.orientation = detection.pose_world.orientation_xyzw
            if in_container and (np.isinf(away) or top > self.top_z):
                self.position[2] = top - self.size[2] / 2
        self.box_px = detection.box_px
        self.score = detection.score
        self.last_seen_s = stamp_s
        self.visible = True
        self.inferred = False
        self.lost = False
        self.empty_frames = 0
        self.seen_frames += 1


def stack_top(tracks: Iterable[Track], place: Place, table_z_m: float, without: Track | None = None) -> float:
    """World z of the top of what is stacked at a place, leaving out one thing."""
    tops = [
        item.top_z
        for item in tracks
        if item is not without and item.confirmed and not item.lost and item.container == place.name
    ]
    return max([table_z_m + place.height_m, *tops])
