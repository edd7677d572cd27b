"""The assignment of a frame's detections to known objects: a cost for every pair, and the cheapest set of pairs.

The evidence, the strongest first:

1. A hand. If it closed on an object that then left its place, it holds it; where it opens, the object is. It holds one
   object at a time.
2. A whole view with the object's own name (colour and shape), in its place. Only this removes doubt, see
   `Track.question`.
3. A whole view with its own name elsewhere. Its old place must be seen empty, or an arm must hide it near by.
4. A piece. It may look like anything of its colour, so it confirms an object where it is. Elsewhere it counts only
   under the object's own name, in a container, with the old place seen empty, and never near another object of that
   colour.

Except for the first, one frame can be wrong in each of them. So a move that no hand explains has to be seen again: see
`looks_needed`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy.optimize import linear_sum_assignment

from lucca_core.protocol.snapshots import TABLE, USERS_SIDE
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.identity.track import SAME_PLACE_M, Track
from perception_node.identity.visibility import Sight
from perception_node.lexicon import PrototypeLexicon
from perception_node.robot_view import HandState

LIFTED_M = 0.03
"""An object this much higher than where it stood, or than anything it could stand on, has been lifted."""
_NEVER = 1e6
_UNLIKE = 3.0
_STEP_M = 0.04
_BUMP_M = 0.15
_HAND_HEIGHT_M = 0.15
_LOOKS_WHOLE, _LOOKS_ODD = 2, 3
# The order in which an object is looked for: where it was, in a hand's way, then anywhere.
_COST_ON_ANOTHER, _COST_PIECE = 2.0, 1.0
_COST_MOVED, _COST_LEFT_CONTAINER, _COST_RETURNED = 6.0, 9.0, 12.0
_COST_UNSEEN = 14.0
"""Of a whole view with another name, for an object that is presumed in a box: anything of that name comes first."""
_UNMATCHED = 16.0
"""At this cost, an object and a detection stay without each other."""


@dataclass(frozen=True, slots=True)
class Load:
    """A closed hand and the object that it holds, as far as known; None if it closed on nothing known."""

    hand: HandState
    track: Track | None


@dataclass(frozen=True, slots=True)
class Matches:
    """The assignment for one frame.

    `free` detections belong to no known object. `withheld` objects may be visible, but what is seen may also be a piece
    of what a hand carries.
    """

    pairs: tuple[tuple[Track, Detection], ...] = ()
    free: tuple[Detection, ...] = ()
    withheld: frozenset[Track] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The assignment problem of one frame, with everything that is known before the frame is examined."""

    lexicon: PrototypeLexicon
    config: PerceptionConfig
    tracks: Sequence[Track]
    places: Places
    sights: Mapping[Track, Sight]
    hands: Sequence[HandState]
    loads: Sequence[Load]
    replaced: frozenset[Track]

    def of(self, detections: Sequence[Detection]) -> Matches:
        """The pairs with the least total cost."""
        if not detections or not self.tracks:
            return Matches(free=tuple(detections))
        standing = {track: seen for track in self.tracks if (seen := in_place(track, detections))}
        costs = np.array([[self._cost(track, item, standing) for item in detections] for track in self.tracks])
        rows, columns = linear_sum_assignment(np.minimum(costs, _UNMATCHED))
        chosen = [pair for pair in zip(rows, columns, strict=True) if costs[pair] < _UNMATCHED]
        taken = {column for _, column in chosen}
        return Matches(
            tuple((self.tracks[row], detections[column]) for row, column in chosen),
            tuple(item for index, item in enumerate(detections) if index not in taken),
            frozenset(track for track in self.tracks if any(self._withheld(track, item) for item in detections)),
        )

    def looks_needed(self, track: Track, item: Detection) -> int:
        """Number of successive frames in which an object must be seen away from its place until this is believed.

        One frame may name an object wrongly, or misread an occupied place as empty, so such a frame alone moves
        nothing. One look is enough if a hand explains the move, within the object's own box, for an object that was
        released and not seen since, and for a whole view if its old place is seen empty or if an arm may have pushed
        it. Otherwise a whole view must be seen twice. A piece, and an object that is suddenly higher than before, must
        be seen three times. In the place of another object of its colour, a whole view must always be seen twice, and
        three times if the object was reported gone.

        An object that another one was seen to replace counts as away, even if it is seen in its old place again.
        """
        if track in self.replaced:
            return _LOOKS_WHOLE
        if track.held_by:
            return 1
        if not item.partial and apart_m(track, item) > SAME_PLACE_M and self._stands_there(track, item):
            return _LOOKS_ODD if track.lost else _LOOKS_WHOLE
        if not track.lost and self._explained(track, item):
            return 1
        if item.partial or (not track.lost and self._risen(track, item)):
            return _LOOKS_ODD
        if track.lost:
            return _LOOKS_WHOLE
        sight = self.sights[track]
        pushed = sight is Sight.HIDDEN and apart_m(track, item) <= _BUMP_M and not self._buried(track)
        return 1 if sight is Sight.EMPTY or pushed or track.let_go else _LOOKS_WHOLE

    def in_reach(self, track: Track, item: Detection) -> bool:
        """Whether a detection is so near to an object's place that it may be of that object."""
        return apart_m(track, item) <= track.reach_m

    def _stands_there(self, track: Track, item: Detection) -> bool:
        """Whether another object of a detection's colour is believed, or was seen just before, where it was made."""
        return any(
            other is not track
            and not (other.lost or other.held_by)
            and other.colour == item.colour
            and apart_m(other, item) < SAME_PLACE_M
            for other in self.tracks
        )

    def _buried(self, track: Track) -> bool:
        """Whether a known object stands on this one, so that it is not an arm that hides it."""
        return any(
            other is not track
            and other.confirmed
            and not other.lost
            and not other.held_by
            and other.position[2] > track.position[2] + LIFTED_M
            and float(np.linalg.norm(other.position[:2] - track.position[:2])) < SAME_PLACE_M
            for other in self.tracks
        )

    def _risen(self, track: Track, item: Detection) -> bool:
        """Whether a detection is higher than an object was, with no hand near it or something on top of the object."""
        position = np.array(item.pose_world.position_m)
        top = float(position[2] + item.size_m[2] / 2)
        return top > track.top_z + LIFTED_M and (self._buried(track) or not self._a_hand_at(position))

    def _explained(self, track: Track, item: Detection) -> bool:
        """Whether the new place needs no further look: it hardly moved, it is still in its box, or a hand is near."""
        position = np.array(item.pose_world.position_m)
        apart = apart_m(track, item)
        if apart <= (0.6 * max(track.size[:2]) if item.partial else track.reach_m):
            return True
        box = self.places.known.get(track.container)
        if box is not None and box.kind == 'open' and box.holds(float(position[0]), float(position[1])):
            return True
        return self._a_hand_at(position) or self._a_hand_at(track.position)

    def _a_hand_at(self, position: Doubles) -> bool:
        """Whether a hand, open or closed, is near enough to push or hold something at a position."""
        radius_m = self.config.grasp_radius_m
        return any(float(np.linalg.norm(position - np.array(hand.position_m))) <= radius_m for hand in self.hands)

    def _cost(self, track: Track, item: Detection, standing: Mapping[Track, Sequence[Detection]]) -> float:
        position = np.array(item.pose_world.position_m)
        apart = float(np.linalg.norm(position[:2] - track.position[:2]))
        unlike = self._unlike(track, item, position, apart)
        if unlike >= _NEVER or self._of_a_load(track, item, position, apart):
            return _NEVER
        if track.lost:
            barred = (
                unlike
                or self._of_another(track, item, standing)
                or (item.partial and not self._may_be_back(track, item))
            )
            return _NEVER if barred else _COST_RETURNED + min(apart, 1.0)
        if track.held_by:
            # An object that fell from a hand is seen whole; a similar piece belongs to something that lies there.
            fell = item.label == track.label and not item.partial and not covered(self.tracks, item, but=track)
            return unlike + min(apart / _STEP_M, 5.0) if fell or self._in_its_hand(track, item) else _NEVER
        # A detection on another object of its colour is mostly that object, under a wrong name or in pieces. A piece
        # beside an object that is seen in its place, or with another name, belongs to something else.
        near = apart <= track.reach_m
        sight = self.sights[track]
        box = self.places.known.get(track.container)
        if item.partial and (track in self.replaced or (apart > SAME_PLACE_M and track in standing)):
            return _NEVER
        # An object that falls off a tower is seen whole, and only a hand lifts an object that is on one.
        off_pad = box is not None and box.kind == 'pad' and (self._risen(track, item) or not box.holds(*position[:2]))
        if item.partial and off_pad:
            return _NEVER
        if box is not None and box.kind == 'open' and item.partial:
            # An object leaves a box in a hand, or is seen whole outside.
            if not near and not box.holds(*position[:2]):
                return _NEVER
            top = float(position[2] + item.size_m[2] / 2)
            if top > self.config.table_z_m + box.height_m + track.size[2] + LIFTED_M:
                return _NEVER
        others = self.tracks
        if not unlike:
            others = [other for other in self.tracks if not _disproves(item, other)]
        if apart_m(track, item) > SAME_PLACE_M and covered(others, item, but=track):
            if item.partial:
                return unlike + apart / _STEP_M + _COST_ON_ANOTHER if near and unlike < _UNLIKE else _NEVER
            # Inside a box places are uncertain, so a whole view with the object's own name counts more than its place.
            named = not unlike and box is not None and box.kind == 'open' and box.holds(*position[:2])
            return min(apart / _STEP_M, _COST_ON_ANOTHER) if named else _NEVER
        taken = sight is Sight.OCCUPIED or unlike >= _UNLIKE or self._of_another(track, item)
        if item.partial and not near and taken:
            return _NEVER
        if apart <= _BUMP_M:
            return unlike + apart / _STEP_M + item.partial * _COST_PIECE
        if track.inferred or track.container not in (TABLE, USERS_SIDE):
            holder = self.places.known.get(track.container)
            if holder is not None and holder.holds(*position[:2]):
                return unlike + 3.0 + min(apart, 1.0)
            if item.partial or (track.visible and sight is not Sight.EMPTY and not track.inferred):
                return _NEVER
            return _COST_LEFT_CONTAINER + unlike + min(apart, 1.0)
        if sight is not Sight.EMPTY or unlike or self._of_another(track, item, standing):
            return _NEVER
        if item.partial and not self._in_a_container(item):
            return _NEVER
        return _COST_MOVED + min(apart, 1.0) + item.partial

    def _of_another(
        self, track: Track, item: Detection, standing: Mapping[Track, Sequence[Detection]] = MappingProxyType({})
    ) -> bool:
        """Whether a detection may be another object of its colour, believed there and not seen otherwise.

        A whole view with the object's own name is not one with another name that is only presumed to be there.
        """
        x, y, _ = item.pose_world.position_m
        return any(
            other is not track
            and not (item.label == track.label and _disproves(item, other))
            and all(seen is item for seen in standing.get(other, ()))
            and other.confirmed
            and not other.lost
            and other.colour == item.colour
            and math.dist(other.position[:2], (x, y)) < max(other.size[:2]) / 2 + SAME_PLACE_M
            for other in self.tracks
        )

    def _boxed(self, track: Track) -> bool:
        """Whether an object is in a box, where most objects are only partly visible."""
        place = self.places.known.get(track.container)
        return place is not None and place.kind == 'open'

    def _in_a_container(self, item: Detection) -> bool:
        """Whether a detection is in a container. Only there may a piece be an object that no hand was seen to bring."""
        x, y, _ = item.pose_world.position_m
        return self.places.holder(x, y, item.label) is not None

    def _may_be_back(self, track: Track, item: Detection) -> bool:
        """Whether a piece in a container may be an object reported as gone, which a hand released there unseen."""
        return track.let_go and self._in_a_container(item) and not covered(self.tracks, item, but=track)

    def _unlike(self, track: Track, item: Detection, position: Doubles, apart: float) -> float:
        """How little a detection looks like a known object: 0 for the same label and colour."""
        in_place = (apart if self._boxed(track) else apart_m(track, item)) < SAME_PLACE_M
        if item.label == track.label:
            unlike = 0.0
        elif item.score_of(track.label) > 0.3:
            unlike = 1.0
        elif item.partial and track.doubted and not self._boxed(track):
            return _NEVER
        elif item.partial and in_place:
            unlike = 2.0
        elif item.partial:
            unlike = _UNLIKE
        elif in_place and not track.doubted:
            unlike = _COST_UNSEEN if track.presumed else _UNLIKE
        else:
            return _NEVER
        if track.colour and item.colour and item.colour != track.colour:
            # Only light changes a colour, and only in place. If the colour is part of the name, it is another object.
            moved = float(np.linalg.norm(position - track.position)) > SAME_PLACE_M
            named = self.lexicon.base_name(track.label, track.colour) != track.label
            if moved or unlike or named or track.doubted:
                return _NEVER
            unlike += 3.0
        return unlike

    def _in_its_hand(self, track: Track, item: Detection) -> bool:
        """Whether a detection is at the hand that holds an object."""
        return any(load.track is track and self._at_hand(load.hand, item) for load in self.loads)

    def _of_a_load(self, track: Track, item: Detection, position: Doubles, apart: float) -> bool:
        """Whether a piece away from an object's place may be of something else that a hand holds there.

        Fingers cut what they carry into pieces, and a piece looks like anything of its colour. If a hand was closed
        before perception began, nothing is known about what it holds except that it rises with the hand.
        """
        rises = float(position[2] + item.size_m[2] / 2) > track.top_z + LIFTED_M
        if not item.partial or (apart <= SAME_PLACE_M and not rises) or self._in_its_hand(track, item):
            return False
        return any(
            (rises if load.track is None else item.colour == load.track.colour)
            for load in self.loads
            if load.track is not track and self._at_hand(load.hand, item)
        )

    def _withheld(self, track: Track, item: Detection) -> bool:
        """Whether a detection could be an object that was pushed, but is at a hand that holds another one."""
        position = np.array(item.pose_world.position_m)
        apart = float(np.linalg.norm(position[:2] - track.position[:2]))
        return apart <= _BUMP_M and self._of_a_load(track, item, position, apart)

    def _at_hand(self, hand: HandState, item: Detection) -> bool:
        position = np.array(item.pose_world.position_m)
        return at_hand(hand, position, float(position[2] + item.size_m[2] / 2), self.config.grasp_radius_m)


def at_hand(hand: HandState, position: Doubles, top_z: float, radius_m: float) -> bool:
    """Whether an object with its centre at `position` and its top at `top_z` is where a hand could hold it."""
    tool = np.array(hand.position_m)
    return bool(np.linalg.norm(position[:2] - tool[:2]) <= radius_m) and abs(top_z - tool[2]) <= _HAND_HEIGHT_M


def apart_m(track: Track, item: Detection) -> float:
    """Distance of a detection from an object's place; for a piece, mostly a side, without the height."""
    axes = slice(0, 2 if item.partial else 3)
    return float(np.linalg.norm(np.array(item.pose_world.position_m)[axes] - track.position[axes]))


def in_place(track: Track, detections: Sequence[Detection]) -> tuple[Detection, ...]:
    """Whole detections with an object's colour in its place. If there are any, no piece elsewhere is of this object."""
    return tuple(
        item
        for item in detections
        if not item.partial and item.colour == track.colour and apart_m(track, item) < SAME_PLACE_M
    )


def displaced(track: Track, detections: Sequence[Detection]) -> bool:
    """Whether another object is seen whole in the place of a doubted one."""
    return track.doubted and any(
        not item.partial and float(np.linalg.norm(track.position - item.pose_world.position_m)) < SAME_PLACE_M
        for item in detections
    )


def replaced(tracks: Sequence[Track]) -> frozenset[Track]:
    """The objects in whose place another one of their colour is believed on better evidence."""
    return frozenset(
        track
        for track in tracks
        if track.doubted
        and not (track.lost or track.held_by)
        and any(
            other.confirmed
            and not (other.lost or other.held_by)
            and other.colour == track.colour
            and other.doubt < track.doubt
            and float(np.linalg.norm(other.position - track.position)) < SAME_PLACE_M
            for other in tracks
        )
    )


def _disproves(item: Detection, track: Track) -> bool:
    """Whether a whole view has another name than an object that is only presumed to be there."""
    return track.presumed and not item.partial and item.label != track.label


def covered(tracks: Sequence[Track], item: Detection, *, but: Track | None = None) -> bool:
    """Whether a detection lies within the outline of a known object of its colour, not `but`, and not above it."""
    place = np.array(item.pose_world.position_m[:2])
    top = item.pose_world.position_m[2] + item.size_m[2] / 2
    return any(
        track is not but
        and track.confirmed
        and not track.lost
        and track.colour == item.colour
        and top <= track.top_z + LIFTED_M
        and float(np.linalg.norm(track.position[:2] - place)) < max(track.size[:2]) / 2
        for track in tracks
    )
