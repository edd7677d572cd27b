"""Stable ids: which detection is which object, what is hidden, and what is gone."""

import itertools
import math
import statistics
from collections import deque
from collections.abc import Sequence

import numpy as np

from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Pose, TableObject
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.identity.grips import Grips
from perception_node.identity.matching import LIFTED_M, Matching, covered, displaced, replaced
from perception_node.identity.object_names import ObjectNames
from perception_node.identity.track import Track, stack_top
from perception_node.identity.visibility import Sight, View
from perception_node.lexicon import PrototypeLexicon
from perception_node.robot_view import HandState

_UNWATCHED_S = 1.0
_UNWATCHED_PERIODS = 3.0
"""Limits in s and in multiples of the usual time between frames, because a detector may be slow.

If two frames are further apart than both, any object may have been put in the place of another.
"""


class Tracker:
    """Turns the detections of each frame into objects that keep their ids."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig, *, id_prefix: str = 'o') -> None:
        self._lexicon = lexicon
        self._config = config
        self._id_prefix = id_prefix
        self._numbers = itertools.count(1)
        self._tracks: list[Track] = []
        self._names = ObjectNames()
        self._grips = Grips(config, self._tracks)
        self._first = True
        self._looked_s = math.inf
        self._periods_s: deque[float] = deque(maxlen=9)

    def update(
        self,
        stamp_s: float,
        detections: Sequence[Detection],
        places: Places,
        hands: Sequence[HandState],
        view: View,
    ) -> tuple[TableObject, ...]:
        """The objects after one frame, oldest first. `detections` has no containers; `places` is already up to date."""
        if self._unwatched(stamp_s):
            for track in self._tracks:
                track.question()
        self._grips.follow(stamp_s, hands, places, view)
        sights = {track: view.sight(track.position, track.size) for track in self._tracks}
        matching = Matching(
            lexicon=self._lexicon,
            config=self._config,
            tracks=tuple(self._tracks),
            places=places,
            sights=sights,
            hands=hands,
            loads=self._grips.loads(hands, detections),
            replaced=replaced(self._tracks),
        )
        found = matching.of(detections)
        unseen = set(self._tracks).difference(track for track, _ in found.pairs)
        for track in self._tracks:
            # First the objects that closed hands hold: a hand that holds one lifts no other.
            if track in unseen and track.confirmed and not track.lost:
                self._grips.hold_unseen(track, hands, sights[track])
        matched, glimpsed = self._see_pairs(found.pairs, matching, stamp_s, places, hands)
        believed = [item for item in detections if id(item) not in glimpsed]
        for track in unseen:
            track.settle()
        for track in tuple(self._tracks):
            if track not in matched:
                self._miss(track, sights[track], believed, places, hands, view, withheld=track in found.withheld)
        for detection in sorted(found.free, key=lambda item: (item.label, item.pose_world.position_m)):
            self._begin(detection, stamp_s, places, hands)
        self._first = False
        return tuple(self._value(track) for track in self._tracks if track.confirmed and not track.lost)

    def _unwatched(self, stamp_s: float) -> bool:
        """Whether the last frame was so long ago that anything may have happened since."""
        period_s, self._looked_s = stamp_s - self._looked_s, stamp_s
        if not math.isfinite(period_s):
            return False
        usual_s = statistics.median(self._periods_s) if self._periods_s else 0.0
        self._periods_s.append(period_s)
        return period_s > max(_UNWATCHED_S, _UNWATCHED_PERIODS * usual_s)

    # What a frame changes

    def _see_pairs(
        self,
        pairs: Sequence[tuple[Track, Detection]],
        matching: Matching,
        stamp_s: float,
        places: Places,
        hands: Sequence[HandState],
    ) -> tuple[set[Track], set[int]]:
        """Updates tracks with their detections. Returns the tracks seen, and the ids of detections only glimpsed."""
        matched, glimpsed = set(), set()
        for track, detection in pairs:
            needed = matching.looks_needed(track, detection)
            if needed == 1:
                track.settle()
            moves = needed == 1 or track.glimpse(detection) >= needed
            if moves or (not track.lost and track not in matching.replaced and matching.in_reach(track, detection)):
                self._see(track, detection, stamp_s, places, hands, moves=moves)
                matched.add(track)
            else:
                glimpsed.add(id(detection))
        return matched, glimpsed

    def _see(
        self,
        track: Track,
        item: Detection,
        stamp_s: float,
        places: Places,
        hands: Sequence[HandState],
        *,
        moves: bool,
    ) -> None:
        position = np.array(item.pose_world.position_m)
        hand = self._grips.holder(track, item, hands, places)
        if hand is not None:
            track.visible = True
            track.last_seen_s = stamp_s
            track.box_px = item.box_px
            track.empty_frames = 0
            track.seen_frames += 1
            self._grips.hold(track, hand)
            return
        self._grips.lose(track)
        name = self._base_name(track)
        held = places.holder(float(position[0]), float(position[1]), item.label) is not None
        track.see(item, stamp_s, in_container=held, moves=moves)
        track.enter(places.name_at(float(track.position[0]), float(track.position[1]), track.label), stamp_s)
        if track.seen_frames >= self._config.new_frames and item.label == track.label:
            track.confirmed = True
        if track.confirmed and self._base_name(track) != name:
            # An object reported under one name is never reported under another one with the same id.
            self._names.forget(track.object_id)
            self._grips.renamed(track.object_id, new := self._new_id())
            track.object_id = new

    def _miss(
        self,
        track: Track,
        sight: Sight,
        detections: Sequence[Detection],
        places: Places,
        hands: Sequence[HandState],
        view: View,
        *,
        withheld: bool,
    ) -> None:
        track.visible = False
        track.box_px = (0, 0, 0, 0)
        if not track.confirmed:
            self._tracks.remove(track)
            return
        if track.lost:
            return
        if self._grips.hold_unseen(track, hands, sight):
            return
        holder = places.known.get(track.container)
        # In a box, objects are seen only now and then, and mostly in part. That gives no reason for doubt.
        if holder is None or holder.kind != 'open':
            track.question()
        if holder is not None and holder.kind == 'open':
            # Walls and other objects may hide it anywhere inside. It is gone only if no place is left for it.
            track.inferred = True
            track.misses += 1
            gone = holder.visible and view.excludes(holder.spots(self._config.table_z_m, track.size), track.size)
        else:
            track.inferred = track.container not in (TABLE, USERS_SIDE)
            other_seen = displaced(track, detections)
            gone = sight is Sight.EMPTY or other_seen
            if other_seen:
                track.question(displaced=True)
        if gone and withheld:
            return  # it may be what is seen at a hand; this is decided when the hand is away
        track.empty_frames = track.empty_frames + 1 if gone else 0
        if track.empty_frames >= self._config.gone_frames:
            track.lost = True

    def _begin(self, item: Detection, stamp_s: float, places: Places, hands: Sequence[HandState]) -> None:
        position = np.array(item.pose_world.position_m)
        holder = places.holder(float(position[0]), float(position[1]), item.label)
        for hand in hands:
            # What is seen at a hand is the hand itself or what it carries, or will be seen better when the hand is
            # away.
            if np.linalg.norm(position - np.array(hand.position_m)) < self._config.grasp_radius_m:
                return
        if item.partial and (holder is None or not self._first):
            return
        if holder is None and float(position[2] - item.size_m[2] / 2) > self._config.table_z_m + LIFTED_M:
            return
        known = [track for track in self._tracks if not displaced(track, (item,)) or track.visible]
        if covered(known, item):
            return  # a piece of a known object, cut off by something that lies over it
        for track in self._tracks:
            # The same object may have been moved while an arm hid its old place: wait until that place is seen.
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
            object_id=self._new_id(),
            position=position,
            size=np.array(item.size_m),
            orientation=item.pose_world.orientation_xyzw,
            last_seen_s=stamp_s,
        )
        track.labels[item.label] = 0
        track.see(item, stamp_s, in_container=False)
        if item.partial:
            track.vote(item)
        track.enter(places.name_at(float(position[0]), float(position[1]), item.label), stamp_s)
        track.confirmed = self._first or track.seen_frames >= self._config.new_frames
        self._tracks.append(track)

    # What is reported

    def contents(self, places: Places) -> dict[str, tuple[str, ...]]:
        """Names by container, oldest first; those that came at the same time, and those in a stack, from below."""
        held: dict[str, tuple[str, ...]] = {}
        stacked = {name for name, place in places.known.items() if place.kind == 'pad'}
        shown = [item for item in self._tracks if item.confirmed and not item.lost]
        for track in sorted(shown, key=lambda item: (item.container not in stacked and item.entered_s, item.top_z)):
            held[track.container] = (*held.get(track.container, ()), self._name(track))
        return held

    def stack_heights_m(self, places: Places) -> dict[str, float]:
        """Height of the stack on each pad above the table."""
        return {
            name: stack_top(self._tracks, place, self._config.table_z_m) - self._config.table_z_m
            for name, place in places.known.items()
            if place.kind == 'pad'
        }

    def _name(self, track: Track) -> str:
        return self._names.name(track.object_id, self._base_name(track))

    def _base_name(self, track: Track) -> str:
        return self._lexicon.base_name(track.label, track.colour)

    def _new_id(self) -> str:
        return f'{self._id_prefix}{next(self._numbers)}'

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
