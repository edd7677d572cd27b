"""The runner of planned motions, segment after segment."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from action_node.cancel_latch import CancelSign
from action_node.config import ActionConfig
from action_node.motion.motion_plan import MotionSegment
from action_node.segment_stream import SegmentStream
from action_node.stop.valve import Arms, Valve
from action_node.stream_end import StreamEnded
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a motion ended (`done`, `cancelled`, `stopped`, `timeout` or `hardware_fault`), and in which segment."""

    code: ReasonCode
    message: str
    segment: int


class MotionRunner:
    """Runs motions, one at a time, segment after segment."""

    def __init__(
        self,
        arms: Arms,
        valve: Valve,
        config: ActionConfig,
        stop: Callable[[str], tuple[str, ...]] | None = None,
        watched: Collection[str] = (),
    ) -> None:
        """
        Args:
            arms: the controllers and measured joints.
            valve: the way to the controllers.
            config: settings.
            stop: carries out a protective stop for a cause; returns what could not be held, and why. None: it shuts
                the valve.
            watched: joints whose measured position has to be finite during every motion, also if it does not move
                them.
        """
        self._arms = arms
        self._valve = valve
        self._config = config
        self._stop = stop or (lambda _: valve.stop())
        self._watched = tuple(watched)

    def run(
        self,
        segments: Sequence[MotionSegment],
        *,
        cancelled: CancelSign | None = None,
        withdrawn: CancelSign | None = None,
        grasp: int = 0,
        deadline_s: float = float('inf'),
        watch: Callable[[float, Mapping[str, float]], None] | None = None,
        progress: Callable[[float], None] | None = None,
        sent: Callable[[], None] | None = None,
    ) -> RunEnd:
        """Runs a motion and returns when the arms are at rest or hold.

        Args:
            segments: run one after the other.
            cancelled: once set, the arm comes to rest on its path and the run ends as `cancelled`.
            withdrawn: heeded in place of `cancelled` before the segment `grasp`.
            grasp: index of the segment that closes the hand around an object; 0 if none does.
            deadline_s: ROS time after which the run ends as `timeout`.
            watch: called at every tick with ROS time and the measured joints.
            progress: called with the fraction of the motion that is done, 0 to 1; never ahead of what was sent.
            sent: called once, after the first trajectory was sent.
        """
        lengths = [float(item.times_s[-1]) for item in segments]
        total_s = max(sum(lengths), 1e-9)
        index = 0
        stream: SegmentStream | None = None
        try:
            for index, segment in enumerate(segments):
                before_s = sum(lengths[:index])
                stream = SegmentStream(
                    self._arms,
                    self._valve,
                    self._config,
                    segment,
                    watched=self._watched,
                    cancelled=withdrawn if withdrawn is not None and index < grasp else cancelled,
                    deadline_s=deadline_s,
                    watch=watch,
                    progress=_part_of(progress, before_s, lengths[index], total_s),
                    sent=sent if index == 0 else None,
                )
                stream.run()
        except (StreamEnded, MotionError) as error:
            return self._end_of(error, index, under_way=stream is not None and stream.under_way)
        except BaseException:
            # A bug must not leave an arm moving to the end of its chunk.
            self._valve.hold()
            raise
        return RunEnd(ReasonCode.DONE, '', len(segments))

    def _end_of(self, error: StreamEnded | MotionError, segment: int, *, under_way: bool) -> RunEnd:
        """Holds the arms after an error in a segment, or stops them if it is a hardware fault under way."""
        if isinstance(error, StreamEnded):
            if error.code is ReasonCode.CANCELLED:
                return RunEnd(error.code, str(error), segment)
            if error.code is ReasonCode.HARDWARE_FAULT and under_way:
                return RunEnd(error.code, f'{error}{self._protected(str(error))}', segment)
        return RunEnd(error.code, f'{error}{self._held()}', segment)

    def _protected(self, cause: str) -> str:
        """Stops until a reset. Returns a text about it."""
        faults = self._stop(cause)
        return f'; nothing moves until action/reset{_not_held(faults)}'

    def _held(self) -> str:
        """Holds the arms. Returns a text about what could not be held, or an empty one."""
        return _not_held(self._valve.hold())


def _not_held(faults: Sequence[str]) -> str:
    return f'; not held: {", ".join(faults)}' if faults else ''


def _part_of(
    progress: Callable[[float], None] | None, before_s: float, length_s: float, total_s: float
) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda fraction: progress((before_s + fraction * length_s) / total_s)
