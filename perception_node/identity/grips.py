"""The object in each hand: taken when the hand closes, carried with it, and put down where it opens."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lucca_core.protocol.snapshots import HAND
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.identity.matching import LIFTED_M, Load, at_hand, in_place
from perception_node.identity.track import SAME_PLACE_M, Track, stack_top
from perception_node.identity.visibility import Sight, View
from perception_node.robot_view import HandState

_CARRIED_M = 0.06
_FLOOR_M = 0.006
_MOVED_M = 0.005


@dataclass
class _Grip:
    """One hand. `candidate`: id of the object it closed on, '' if unknown. `last_at`: where it was last seen closed.

    `stood`: by id, where objects were when it closed, or when they were first seen near it since.
    """

    closed: bool = False
    closed_at: Doubles | None = None
    last_at: Doubles | None = None
    candidate: str = ''
    stood: dict[str, Doubles] = field(default_factory=dict)


class Grips:
    """Moves the objects in hands along with them.

    Args:
        config: radius of a grasp, and height of the table.
        tracks: all known objects, the tracker's own list.
    """

    def __init__(self, config: PerceptionConfig, tracks: Sequence[Track]) -> None:
        self._config = config
        self._tracks = tracks
        self._grips: dict[str, _Grip] = {}
        self._now_s = 0.0

    def follow(self, stamp_s: float, hands: Sequence[HandState], places: Places, view: View) -> None:
        """Updates which hands are closed. One that closed may hold the nearest object; one that opened released it."""
        self._now_s = stamp_s
        for hand in hands:
            grip = self._grips.setdefault(hand.side, _Grip())
            tool = np.array(hand.position_m)
            if hand.closed and not grip.closed:
                grip.closed_at = tool
                grip.stood = {item.object_id: item.position.copy() for item in self._tracks}
                nearest = min(
                    (item for item in self._tracks if item.confirmed and not item.lost and not item.held_by),
                    key=lambda item: float(np.linalg.norm(item.position - tool)),
                    default=None,
                )
                within = nearest is not None and np.linalg.norm(nearest.position - tool) <= self._config.grasp_radius_m
                grip.candidate = nearest.object_id if within and nearest is not None else ''
                if within and nearest is not None:
                    nearest.grip = nearest.position - tool
            elif grip.closed and not hand.closed:
                self._release(hand, grip, places, view)
            grip.closed = hand.closed
            if hand.closed:
                grip.last_at = tool

    def loads(self, hands: Sequence[HandState], detections: Sequence[Detection]) -> list[Load]:
        """What each closed hand holds: an object seen in it, or the one it closed on, unless seen in its old place."""
        loads = []
        for hand in hands:
            candidate = self._grips[hand.side].candidate
            held = next((item for item in self._tracks if item.held_by == hand.side), None)
            supposed = next((item for item in self._tracks if item.object_id == candidate), None)
            if hand.closed and held is not None:
                loads.append(Load(hand, held))
            elif hand.closed and supposed is None:
                loads.append(Load(hand, None))
            elif hand.closed and supposed is not None and not supposed.held_by and not in_place(supposed, detections):
                loads.append(Load(hand, supposed))
        return loads

    def holder(self, track: Track, item: Detection, hands: Sequence[HandState], places: Places) -> HandState | None:
        """The closed hand that must hold an object seen as `item`: it held the object before, or has lifted it."""
        position = np.array(item.pose_world.position_m)
        top = float(position[2] + item.size_m[2] / 2)
        place = places.holder(float(position[0]), float(position[1]), track.label)
        tool_apart = {hand.side: float(np.linalg.norm(position - np.array(hand.position_m))) for hand in hands}
        for hand in sorted(hands, key=lambda hand: (hand.side != track.held_by, tool_apart[hand.side])):
            if not hand.closed or not at_hand(hand, position, top, self._config.grasp_radius_m):
                continue
            support = self._config.table_z_m
            if place is not None:
                on_pad = place.kind == 'pad'
                support = stack_top(self._tracks, place, support, track) if on_pad else support + place.height_m
            grip = self._grips[hand.side]
            stood = grip.stood.setdefault(track.object_id, track.position.copy())
            # An object that has not moved was already that high: it stands on something that was never seen. Pieces of
            # it are seen here and there, and what the hand did not close on stands beside what it carries.
            supposed = grip.candidate in ('', track.object_id)
            moved_m = _MOVED_M if supposed else SAME_PLACE_M
            # Low over a box, an object may look as if it were inside; a hand keeps what it holds until it opens.
            lifted = top - track.size[2] > support + LIFTED_M and np.linalg.norm(position - stood) > moved_m
            full = any(other.held_by == hand.side and other is not track for other in self._tracks)
            if track.held_by == hand.side or (lifted and not full):
                return hand
        return None

    def hold(self, track: Track, hand: HandState) -> None:
        """A hand now holds an object, which moves to where the hand is."""
        tool = np.array(hand.position_m)
        if track.held_by != hand.side:
            grip = self._grips[hand.side]
            if grip.candidate != track.object_id:
                track.grip = track.position - tool
                if np.linalg.norm(track.grip) > self._config.grasp_radius_m:
                    track.grip = np.zeros(3)
            grip.candidate = track.object_id
            track.held_by = hand.side
            track.enter(HAND, self._now_s)
            track.inferred = False
            track.empty_frames = 0
        track.position = tool + track.grip

    def hold_unseen(self, track: Track, hands: Sequence[HandState], sight: Sight) -> bool:
        """Whether an unseen object is in a hand: it was before, or a hand closed on it and its place is empty."""
        if track.held_by:
            hand = next((item for item in hands if item.side == track.held_by), None)
            if hand is not None:
                self.hold(track, hand)
            return True
        if sight is Sight.EMPTY:
            for hand in hands:
                if hand.closed and self._grips[hand.side].candidate == track.object_id:
                    self.hold(track, hand)
                    return True
        return False

    def renamed(self, before: str, after: str) -> None:
        """An object has a new id from now on."""
        for grip in self._grips.values():
            if grip.candidate == before:
                grip.candidate = after

    def lose(self, track: Track) -> None:
        """An object was seen where no hand holds it."""
        if track.held_by:
            self._grips[track.held_by].candidate = ''
            track.held_by = ''

    def _release(self, hand: HandState, grip: _Grip, places: Places, view: View) -> None:
        tool = np.array(hand.position_m)
        for track in self._tracks:
            held = track.held_by == hand.side
            # It was taken, carried and released while its old place never came into view.
            unseen = (
                track.object_id == grip.candidate
                and not track.visible
                and not track.held_by
                and grip.closed_at is not None
                and np.linalg.norm(tool[:2] - grip.closed_at[:2]) > _CARRIED_M
            )
            if held or unseen:
                self._put_down(track, self._let_go_at(track, tool, grip, places, view), places)
        grip.candidate = ''
        grip.closed_at = None

    def _let_go_at(self, track: Track, tool: Doubles, grip: _Grip, places: Places, view: View) -> Doubles:
        """Where a hand released an object before it was seen open.

        That is where the hand is now or, if the object can only be there, where the hand was last seen closed.
        """
        here = tool + track.grip
        if grip.last_at is None or np.linalg.norm(tool - grip.last_at) <= _CARRIED_M:
            return here
        before = grip.last_at + track.grip
        ruled_out = [self._ruled_out(track, position, places, view) for position in (here, before)]
        return before if ruled_out == [True, False] else here

    def _ruled_out(self, track: Track, position: Doubles, places: Places, view: View) -> bool:
        """Whether an object released at `position` would be seen, and is not."""
        place = places.holder(float(position[0]), float(position[1]), track.label)
        if place is not None and place.kind == 'open':
            return view.excludes(place.spots(self._config.table_z_m, track.size), track.size)
        return view.sight(self._resting(track, position, places), track.size) is Sight.EMPTY

    def _resting(self, track: Track, position: Doubles, places: Places) -> Doubles:
        """Where the centre of an object comes to rest that was released at `position`."""
        x, y = float(position[0]), float(position[1])
        place = places.holder(x, y, track.label)
        bottom = self._config.table_z_m
        if place is not None:
            bottom = stack_top(self._tracks, place, bottom, track) if place.kind == 'pad' else bottom + _FLOOR_M
        return np.array([x, y, bottom + track.size[2] / 2])

    def _put_down(self, track: Track, position: Doubles, places: Places) -> None:
        """Assumes that an object lies where it was released, until it is seen."""
        x, y = float(position[0]), float(position[1])
        track.held_by = ''
        track.enter(places.name_at(x, y, track.label), self._now_s)
        track.inferred = places.holder(x, y, track.label) is not None
        track.let_go = True
        track.empty_frames = 0
        track.position = self._resting(track, position, places)
