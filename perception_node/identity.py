"""Stable ids: which detection is which object, what a hand carries, what is hidden, what is gone."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lucca_core.values import HAND, TABLE, USERS_SIDE, Pose, TableObject
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.containment import Place, Places
from perception_node.detector import Detection
from perception_node.lexicon import Lexicon
from perception_node.matching import LIFTED_M, Load, Matching, at_hand, covered
from perception_node.naming import Names
from perception_node.robot_view import HandState
from perception_node.track import Track
from perception_node.visibility import Sight, View

_CARRIED_M = 0.06


@dataclass
class _Hand:
    closed: bool = False
    closed_at: Doubles | None = None
    candidate: str = ''


class Tracker:
    """Turns the detections of each frame into objects that keep their ids."""

    def __init__(self, lexicon: Lexicon, config: PerceptionConfig, *, id_prefix: str = 'o') -> None:
        self._lexicon = lexicon
        self._config = config
        self._id_prefix = id_prefix
        self._numbers = itertools.count(1)
        self._tracks: list[Track] = []
        self._names = Names()
        self._hands: dict[str, _Hand] = {}
        self._first = True
        self._now_s = 0.0

    def update(
        self,
        stamp_s: float,
        detections: Sequence[Detection],
        places: Places,
        hands: Sequence[HandState],
        view: View,
    ) -> tuple[TableObject, ...]:
        """The objects after one frame, oldest first. `detections` are of objects; `places` has seen this frame."""
        self._now_s = stamp_s
        self._follow_hands(hands, places)
        sights = {track: view.sight(track.position, track.size) for track in self._tracks}
        found = Matching(
            lexicon=self._lexicon,
            config=self._config,
            tracks=tuple(self._tracks),
            places=places,
            sights=sights,
            loads=self._loads(hands),
        ).of(detections)
        for track, detection in found.pairs:
            self._see(track, detection, stamp_s, places, hands)
        matched = {track for track, _ in found.pairs}
        for track in tuple(self._tracks):
            if track not in matched:
                self._miss(track, sights[track], places, hands, view, withheld=track in found.withheld)
        for detection in sorted(found.free, key=lambda item: (item.label, item.pose_world.position_m)):
            self._begin(detection, stamp_s, places, hands)
        self._first = False
        return tuple(self._value(track) for track in self._tracks if track.confirmed and not track.lost)

    # What a frame changes

    def _see(self, track: Track, item: Detection, stamp_s: float, places: Places, hands: Sequence[HandState]) -> None:
        position = np.array(item.pose_world.position_m)
        x, y = position[:2]
        top = float(position[2] + item.size_m[2] / 2)
        holder = places.holder(x, y)
        gripping = self._gripping(track, position, top, hands, holder)
        if gripping is not None:
            track.visible = True
            track.last_seen_s = stamp_s
            track.box_px = item.box_px
            track.empty_frames = 0
            track.seen_frames += 1
            if track.held_by != gripping.side:
                self._take(track, gripping)
            self._carry(track, gripping)
            return
        if track.held_by:
            self._hands[track.held_by].candidate = ''
            track.held_by = ''
        track.see(item, stamp_s, in_container=holder is not None)
        track.enter(places.name_at(float(track.position[0]), float(track.position[1])), stamp_s)
        if track.seen_frames >= self._config.new_frames:
            track.confirmed = True

    def _gripping(
        self, track: Track, position: Doubles, top: float, hands: Sequence[HandState], holder: Place | None
    ) -> HandState | None:
        """The closed hand that a thing seen at `position` must be in: the one that has it, or one that has lifted it."""
        tool_apart = {hand.side: float(np.linalg.norm(position - np.array(hand.position_m))) for hand in hands}
        for hand in sorted(hands, key=lambda item: (item.side != track.held_by, tool_apart[item.side])):
            if not hand.closed or not at_hand(hand, position, top, self._config.grasp_radius_m):
                continue
            support = self._config.table_z_m
            if holder is not None:
                support = self._stack_top(holder, track) if holder.kind == 'pad' else support + holder.height_m
            # Low over a box it may look as if it lay inside; what a hand has, it has until it opens.
            if track.held_by == hand.side or top - track.size[2] > support + LIFTED_M:
                return hand
        return None

    def _miss(
        self, track: Track, sight: Sight, places: Places, hands: Sequence[HandState], view: View, *, withheld: bool
    ) -> None:
        track.visible = False
        track.box_px = (0, 0, 0, 0)
        if not track.confirmed:
            self._tracks.remove(track)
            return
        if track.lost:
            return
        if track.held_by:
            hand = next((item for item in hands if item.side == track.held_by), None)
            if hand is not None:
                self._carry(track, hand)
            return
        if sight is Sight.EMPTY:
            for hand in hands:
                if hand.closed and self._hands[hand.side].candidate == track.object_id:
                    self._take(track, hand)
                    self._carry(track, hand)
                    return
        holder = places.known.get(track.container)
        if holder is not None and holder.kind == 'open':
            # Walls and other things may hide it anywhere inside: it is gone only if there is no spot left for it.
            track.inferred = True
            gone = holder.visible and view.excludes(holder.spots(self._config.table_z_m, track.size), track.size)
        else:
            track.inferred = track.container not in (TABLE, USERS_SIDE)
            gone = sight is Sight.EMPTY
        if gone and withheld:
            return  # it may be what is seen at a hand, and is told when the hand is away
        track.empty_frames = track.empty_frames + 1 if gone else 0
        if track.empty_frames >= self._config.gone_frames:
            track.lost = True

    def _begin(self, item: Detection, stamp_s: float, places: Places, hands: Sequence[HandState]) -> None:
        position = np.array(item.pose_world.position_m)
        holder = places.holder(*position[:2])
        for hand in hands:
            # What is at a hand is the hand, or what it carries, or will be seen better when it is away.
            if np.linalg.norm(position - np.array(hand.position_m)) < self._config.grasp_radius_m:
                return
        if item.partial and (holder is None or not self._first):
            return
        if holder is None and float(position[2] - item.size_m[2] / 2) > self._config.table_z_m + LIFTED_M:
            return
        if covered(self._tracks, item):
            return  # a piece of something known, cut off by what lies over it
        for track in self._tracks:
            # The same thing may have been moved while an arm hid its old place: wait until that place is seen.
            if (
                track.confirmed
                and not track.lost
                and not track.visible
                and not track.inferred
                and not track.held_by
                and track.label == item.label
                and track.colour in ('', item.colour)
            ):
                return
        track = Track(
            object_id=f'{self._id_prefix}{next(self._numbers)}',
            position=position,
            size=np.array(item.size_m),
            orientation=item.pose_world.orientation_xyzw,
            last_seen_s=stamp_s,
        )
        track.labels[item.label] = 0
        track.see(item, stamp_s, in_container=False)
        if item.partial:
            track.vote(item)
        track.enter(places.name_at(float(position[0]), float(position[1])), stamp_s)
        track.confirmed = self._first or track.seen_frames >= self._config.new_frames
        self._tracks.append(track)

    # Hands

    def _follow_hands(self, hands: Sequence[HandState], places: Places) -> None:
        for hand in hands:
            memory = self._hands.setdefault(hand.side, _Hand())
            tool = np.array(hand.position_m)
            if hand.closed and not memory.closed:
                memory.closed_at = tool
                nearest = min(
                    (item for item in self._tracks if item.confirmed and not item.lost and not item.held_by),
                    key=lambda item: float(np.linalg.norm(item.position - tool)),
                    default=None,
                )
                within = nearest is not None and np.linalg.norm(nearest.position - tool) <= self._config.grasp_radius_m
                memory.candidate = nearest.object_id if within and nearest is not None else ''
                if within and nearest is not None:
                    nearest.grip = nearest.position - tool
            elif memory.closed and not hand.closed:
                self._release(hand, memory, places)
            memory.closed = hand.closed

    def _loads(self, hands: Sequence[HandState]) -> list[Load]:
        """What each closed hand holds: what was seen with it, or else what it closed on and what has not been seen since."""
        loads = []
        for hand in hands:
            candidate = self._hands[hand.side].candidate
            held = next((item for item in self._tracks if item.held_by == hand.side), None)
            supposed = next((item for item in self._tracks if item.object_id == candidate), None)
            if hand.closed and held is not None:
                loads.append(Load(hand, held))
            elif hand.closed and supposed is None:
                loads.append(Load(hand, None))
            elif hand.closed and supposed is not None and not supposed.visible and not supposed.held_by:
                loads.append(Load(hand, supposed))
        return loads

    def _release(self, hand: HandState, memory: _Hand, places: Places) -> None:
        tool = np.array(hand.position_m)
        for track in self._tracks:
            held = track.held_by == hand.side
            # Taken, carried and let go without its old place ever having come into view.
            unseen = (
                track.object_id == memory.candidate
                and not track.visible
                and not track.held_by
                and memory.closed_at is not None
                and np.linalg.norm(tool[:2] - memory.closed_at[:2]) > _CARRIED_M
            )
            if held or unseen:
                self._put_down(track, tool + track.grip, places)
        memory.candidate = ''
        memory.closed_at = None

    def _put_down(self, track: Track, position: Doubles, places: Places) -> None:
        """Where a thing must lie that was let go at `position`, until it is seen."""
        x, y = float(position[0]), float(position[1])
        place = places.holder(x, y)
        track.held_by = ''
        track.enter(places.name_at(x, y), self._now_s)
        track.inferred = place is not None
        track.empty_frames = 0
        bottom = self._config.table_z_m
        if place is not None:
            bottom = self._stack_top(place, track) if place.kind == 'pad' else bottom + 0.006
        track.position = np.array([x, y, bottom + track.size[2] / 2])

    def _take(self, track: Track, hand: HandState) -> None:
        tool = np.array(hand.position_m)
        if self._hands[hand.side].candidate != track.object_id:
            track.grip = track.position - tool
            if np.linalg.norm(track.grip) > self._config.grasp_radius_m:
                track.grip = np.zeros(3)
        self._hands[hand.side].candidate = track.object_id
        track.held_by = hand.side
        track.enter(HAND, self._now_s)
        track.inferred = False
        track.empty_frames = 0

    def _carry(self, track: Track, hand: HandState) -> None:
        track.position = np.array(hand.position_m) + track.grip

    def _stack_top(self, place: Place, without: Track | None) -> float:
        tops = [
            item.top_z
            for item in self._tracks
            if item is not without and item.confirmed and not item.lost and item.container == place.name
        ]
        return max([self._config.table_z_m + place.height_m, *tops])

    # What is told

    def contents(self) -> dict[str, tuple[str, ...]]:
        """Names by container, oldest first; of what came at once, the lower first."""
        held: dict[str, tuple[str, ...]] = {}
        shown = [item for item in self._tracks if item.confirmed and not item.lost]
        for track in sorted(shown, key=lambda item: (item.entered_s, item.top_z)):
            held[track.container] = (*held.get(track.container, ()), self._name(track))
        return held

    def stack_heights_m(self, places: Places) -> dict[str, float]:
        """Height above the table of what is stacked on each pad."""
        return {
            name: self._stack_top(place, None) - self._config.table_z_m
            for name, place in places.known.items()
            if place.kind == 'pad'
        }

    def _name(self, track: Track) -> str:
        return self._names.name(track.object_id, self._lexicon.base_name(track.label, track.colour))

    def _value(self, track: Track) -> TableObject:
        return TableObject(
            object_id=track.object_id,
            name=self._name(track),
            label=track.label,
            attributes=(track.colour,) if track.colour else (),
            score=min(max(track.score, 0.0), 1.0),
            box_px=track.box_px,
            pose_world=Pose(
                (float(track.position[0]), float(track.position[1]), float(track.position[2])), track.orientation
            ),
            size_m=(float(track.size[0]), float(track.size[1]), float(track.size[2])),
            container=track.container,
            visible=track.visible,
            inferred=track.inferred,
            last_seen_s=track.last_seen_s,
        )
