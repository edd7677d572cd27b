"""Which detection of a frame is which known thing: the price of every pairing, and the cheapest pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from lucca_core.values import TABLE, USERS_SIDE
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.containment import Places
from perception_node.detector import Detection
from perception_node.lexicon import Lexicon
from perception_node.robot_view import HandState
from perception_node.track import Track
from perception_node.visibility import Sight

LIFTED_M = 0.03
"""What is higher than this above its support has been lifted."""
_NEVER = 1e6
_STEP_M = 0.04
_BUMP_M = 0.15
_SAME_PLACE_M = 0.03
_HAND_HEIGHT_M = 0.15
# The order in which an object is looked for again: where it was, in the hand's way, then anywhere.
_COST_MOVED, _COST_LEFT_CONTAINER, _COST_RETURNED = 6.0, 9.0, 12.0


@dataclass(frozen=True, slots=True)
class Load:
    """A closed hand and what it holds."""

    hand: HandState
    track: Track


class Matching:
    """One frame's question, who is who. `sights` are by the id() of a track; `loads` as known before this frame."""

    def __init__(
        self,
        lexicon: Lexicon,
        config: PerceptionConfig,
        tracks: Sequence[Track],
        places: Places,
        sights: Mapping[int, Sight],
        loads: Sequence[Load],
    ) -> None:
        self._lexicon = lexicon
        self._config = config
        self._tracks = tracks
        self._places = places
        self._sights = sights
        self._loads = loads

    def pairs(self, detections: Sequence[Detection]) -> tuple[list[tuple[Track, Detection]], list[Detection]]:
        """The pairs that cost least together, and the detections that belong to no known thing."""
        if not detections or not self._tracks:
            return [], list(detections)
        costs = np.array([[self._cost(track, item) for item in detections] for track in self._tracks])
        rows, columns = linear_sum_assignment(costs)
        pairs, taken = [], set()
        for row, column in zip(rows, columns, strict=True):
            if costs[row, column] < _NEVER:
                pairs.append((self._tracks[row], detections[column]))
                taken.add(int(column))
        return pairs, [item for index, item in enumerate(detections) if index not in taken]

    def _cost(self, track: Track, item: Detection) -> float:
        position = np.array(item.pose_world.position_m)
        apart = float(np.linalg.norm(position[:2] - track.position[:2]))
        unlike = self._unlike(track, item, position, apart)
        if unlike >= _NEVER or self._carried_past(track, item, position, apart):
            return _NEVER
        if track.lost:
            return _NEVER if item.partial else _COST_RETURNED + unlike + min(apart, 1.0)
        if track.held_by:
            # What fell out of a hand is seen whole; a piece that looks like it belongs to what lies there.
            fell = item.label == track.label and not item.partial and not covered(self._tracks, item, but=track)
            return unlike + min(apart / _STEP_M, 5.0) if apart <= self._config.grasp_radius_m or fell else _NEVER
        # A piece tells of a hidden thing only where that is: of anything else of its colour there are pieces, too.
        near = float(max(track.size[:2])) / 2 + _SAME_PLACE_M if item.partial and not track.visible else _BUMP_M
        if apart <= near:
            return unlike + apart / _STEP_M
        sight = self._sights[id(track)]
        if track.inferred or track.container not in (TABLE, USERS_SIDE):
            holder = self._places.known.get(track.container)
            if holder is not None and holder.holds(*position[:2]):
                return unlike + 3.0 + min(apart, 1.0)
            if item.partial or (track.visible and sight is not Sight.EMPTY and not track.inferred):
                return _NEVER
            return _COST_LEFT_CONTAINER + unlike + min(apart, 1.0)
        in_container = self._places.holder(*position[:2]) is not None
        if sight is Sight.EMPTY and (not item.partial or (unlike == 0.0 and in_container)):
            return _COST_MOVED + unlike + min(apart, 1.0) + item.partial
        return _NEVER

    def _unlike(self, track: Track, item: Detection, position: Doubles, apart: float) -> float:
        """How little a detection looks like a known thing: 0 for its label and colour."""
        if item.label == track.label:
            unlike = 0.0
        elif item.score_of(track.label) > 0.3:
            unlike = 1.0
        elif item.partial or apart < _SAME_PLACE_M:
            unlike = 3.0
        else:
            return _NEVER
        if track.colour and item.colour and item.colour != track.colour:
            # Only the light changes a colour, and in place; where the colour is in the name it is another thing.
            moved = float(np.linalg.norm(position - track.position)) > _SAME_PLACE_M
            if moved or unlike or self._lexicon.base_name(track.label, track.colour) != track.label:
                return _NEVER
            unlike += 3.0
        return unlike

    def _carried_past(self, track: Track, item: Detection, position: Doubles, apart: float) -> bool:
        """Whether a detection away from a thing's place is at a hand that holds another thing, and so may be a piece of that.

        A thing that is pushed stays low and was seen before; one that rises, comes out of hiding or has the colour of
        what is carried waits until the hand is away.
        """
        top = float(position[2] + item.size_m[2] / 2)
        rises = top > track.top_z + LIFTED_M
        if apart <= _SAME_PLACE_M and not rises:
            return False
        if any(load.track is track for load in self._loads):
            return False
        return any(
            (not track.visible or rises or item.colour == load.track.colour)
            and at_hand(load.hand, position, top, self._config.grasp_radius_m)
            for load in self._loads
        )


def at_hand(hand: HandState, position: Doubles, top_z: float, radius_m: float) -> bool:
    """Whether a thing with its centre at `position` and its top at `top_z` is where a hand could have it."""
    tool = np.array(hand.position_m)
    return bool(np.linalg.norm(position[:2] - tool[:2]) <= radius_m) and abs(top_z - tool[2]) <= _HAND_HEIGHT_M


def covered(tracks: Sequence[Track], item: Detection, *, but: Track | None = None) -> bool:
    """Whether a detection lies on a known thing of its colour, other than `but`."""
    place = np.array(item.pose_world.position_m[:2])
    return any(
        track is not but
        and track.confirmed
        and not track.lost
        and track.colour == item.colour
        and float(np.linalg.norm(track.position[:2] - place)) < max(track.size[:2]) / 2
        for track in tracks
    )
