"""One object over time: what is believed about it, and how a new view changes that."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from lucca_core.protocol.snapshots import TABLE
from perception_node.camera import Doubles
from perception_node.detector import Detection
from perception_node.identity.containment import Place

_SMOOTHING = 0.4
_STILL_M = 0.01
SAME_PLACE_M = 0.03
"""Something this near to an object's place may be that object under another name."""
_CONTRARY_FRAMES = 3
_PRESUMED_MISSES = 3
# One correct look proves nothing: objects with another name are sometimes detected under this one, too.
_DOUBT, _MOST_DOUBT = 2, 3
_KNOWN_VOTES = 30.0
# A piece that agrees counts a little, so that an object known from a box or a tower is not renamed by the first view
# afterwards.
_PART_VOTE = 0.25


@dataclass(kw_only=True, eq=False)
class Track:
    """The belief about one object. Lengths are in m, in the world frame.

    Attributes:
        position: its centre.
        entered_s: since when it has been in its container.
        contrary: how often in a row something whole was seen in its place under another name.
        doubt: how often it must be seen there whole under its own name until it is believed again, see `question`.
        misses: in how many frames in a row, in a box, it was not seen under its own name.
        let_go: a hand released it and it has not been seen since.
        elsewhere: where it was seen in the last `looks` frames, if that is not where it is believed to be.
    """

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
    misses: int = 0
    entered_s: float = 0.0
    held_by: str = ''
    grip: Doubles = field(default_factory=lambda: np.zeros(3))
    empty_frames: int = 0
    seen_frames: int = 0
    confirmed: bool = False
    lost: bool = False
    contrary: int = 0
    doubt: int = 0
    let_go: bool = False
    elsewhere: Doubles | None = None
    looks: int = 0
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

    @property
    def reach_m(self) -> float:
        """Largest distance from its centre at which a piece may belong to it."""
        return float(max(self.size[:2])) / 2 + SAME_PLACE_M

    @property
    def presumed(self) -> bool:
        """Whether it is only presumed to be in its box, as it was not seen there for some time."""
        return self.misses >= _PRESUMED_MISSES

    @property
    def doubted(self) -> bool:
        """Whether something else may stand in its place; then a detection with another name is not taken for it."""
        return self.doubt > 0

    def question(self, *, displaced: bool = False) -> None:
        """Doubts it: unwatched for a while, found elsewhere, or (`displaced`) something else is seen in its place."""
        self.doubt = min(self.doubt + 1, _MOST_DOUBT) if displaced else max(self.doubt, _DOUBT)

    def glimpse(self, detection: Detection) -> int:
        """Counts the successive frames in which it was seen at one place other than where it is believed to be."""
        position = np.array(detection.pose_world.position_m)
        again = self.elsewhere is not None and float(np.linalg.norm(position - self.elsewhere)) <= self.reach_m
        self.looks = self.looks + 1 if again else 1
        self.elsewhere = position
        return self.looks

    def settle(self) -> None:
        """Resets the count of `glimpse`: it was not seen elsewhere in this frame."""
        self.elsewhere, self.looks = None, 0

    def enter(self, container: str, stamp_s: float) -> None:
        """Sets where it is now, and since when."""
        if container != self.container:
            self.container = container
            self.misses = 0
            self.entered_s = stamp_s

    def vote(self, detection: Detection) -> None:
        """Counts a view as evidence of what it is. Old evidence is limited, so that mistakes can be corrected."""
        for votes, value in ((self.labels, detection.label), (self.colours, detection.colour)):
            if value:
                votes[value] += detection.score  # type: ignore[assignment]
                if votes[value] > _KNOWN_VOTES:
                    for name in votes:
                        votes[name] *= 0.5  # type: ignore[assignment]

    def see(self, detection: Detection, stamp_s: float, *, in_container: bool, moves: bool = True) -> None:
        """Updates it with a detection. A piece that is far away changes its place only if it `moves`."""
        position = np.array(detection.pose_world.position_m)
        size = np.array(detection.size_m)
        top = float(position[2] + size[2] / 2)
        if not detection.partial:
            self._believe(detection, float(np.linalg.norm(position - self.position)), in_container=in_container)
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
            # A piece only rules places out: those too far from the piece, and those below its visible top.
            away = float(np.linalg.norm(position[:2] - self.position[:2]))
            if not detection.partial or (moves and away > 0.6 * max(self.size[:2])):
                self.position = np.array([position[0], position[1], self.position[2]])
                if detection.partial and away > self.reach_m:
                    self.question()
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
        self.misses = 0 if detection.label == self.label else self.misses
        self.lost = False
        self.let_go = False
        self.empty_frames = 0
        self.seen_frames += 1

    def _believe(self, detection: Detection, moved_m: float, *, in_container: bool) -> None:
        """Counts a whole view as evidence for or against this object being there."""
        if detection.label != self.label or detection.colour not in ('', self.colour):
            # In a container, a partly hidden object may look whole.
            self.contrary += not in_container
            if self.contrary >= _CONTRARY_FRAMES:
                self.question()
            return
        self.contrary = 0
        if moved_m > SAME_PLACE_M:
            self.question()
        else:
            self.doubt = max(self.doubt - 1, 0)


def stack_top(tracks: Iterable[Track], place: Place, table_z_m: float, without: Track | None = None) -> float:
    """World z of the top of what is stacked at a place, leaving out one object."""
    tops = [
        item.top_z
        for item in tracks
        if item is not without and item.confirmed and not item.lost and item.container == place.name
    ]
    return max([table_z_m + place.height_m, *tops])
