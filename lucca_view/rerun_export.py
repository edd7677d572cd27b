"""A recorded session in Rerun's format; needs the extra `rerun`."""

from collections.abc import Iterable
from pathlib import Path

import rerun as rr

from lucca_core.errors import RecordingError
from lucca_core.protocol.observations import PERMITTED, ActionEnded, GateDecision, GoalNews, LogEntry, MemoryMisread
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm.exchange import ModelExchange
from lucca_view.events import Diagnosed, Event, JointsSeen, PathPlanned, PictureSeen, Said, SceneSeen
from lucca_view.panels import prose
from lucca_view.pictures import jpeg_of
from lucca_view.robot_lines import RobotLines

APPLICATION = 'lucca'
WALL, ROS = 'wall', 'ros'
"""The names of the timelines: wall time, and ROS time from its zero."""


def write_rerun(events: Iterable[Event], robot: RobotLines | None, out: Path) -> int:
    """Writes a session as a Rerun file, .rrd. Returns the number of events.

    Args:
        events: oldest first.
        robot: draws the robot; None leaves it out.
        out: file to write; an existing one is replaced.

    Raises:
        RecordingError: it cannot be written.
    """
    try:
        out.write_bytes(b'')
        with rr.RecordingStream(APPLICATION) as stream:
            stream.save(out)
            export = _Export(stream, robot)
            count = 0
            for event in events:
                export.log(event)
                count += 1
            stream.flush()
    except (OSError, RuntimeError) as error:
        raise RecordingError(f'{out} cannot be written: {error}') from error
    return count


class _Export:
    """Logs events to one stream."""

    def __init__(self, stream: rr.RecordingStream, robot: RobotLines | None) -> None:
        self._stream = stream
        self._robot = robot
        self._joints: dict[str, float] = {}

    def log(self, event: Event) -> None:
        self._stream.set_time(WALL, timestamp=event.wall_s)
        self._stream.set_time(ROS, duration=event.stamp_s)
        match event.value:
            case SceneSeen(snapshot=snapshot):
                self._scene(snapshot)
            case JointsSeen(positions=positions):
                self._joints = positions
                if self._robot:
                    self._stream.log('world/robot', rr.LineStrips3D(self._robot.lines(positions)))
            case PathPlanned() as path if self._robot and self._joints:
                way = self._robot.path(path, self._joints)
                self._stream.log('world/path', rr.LineStrips3D([way] if way else []))
            case PictureSeen(jpeg_base64=text):
                if jpeg := jpeg_of(text):
                    self._stream.log('camera', rr.EncodedImage(contents=jpeg, media_type='image/jpeg'))
            case ModelExchange() as exchange:
                prompt = '\n\n'.join(f'{message.role}: {message.content}' for message in exchange.messages)
                answer = exchange.reply.text if exchange.reply else exchange.error
                self._text(f'models/{exchange.asker}', f'{answer}\n\n{prompt}', bad=bool(exchange.error))
            case GateDecision() as decision:
                said = f'{decision.request.text}: {decision.code} {decision.message}'.strip()
                self._text('gate', said, bad=decision.code != PERMITTED)
            case ActionEnded(result=result):
                own_ms = 1e3 * (result.overhead_before_s + result.overhead_after_s)
                self._stream.log('times/lucca_ms', rr.Scalars(own_ms))
                self._stream.log('times/planning_ms', rr.Scalars(1e3 * result.planning_s))
            case GoalNews() as news:
                wish = news.request.text or news.request.task
                step = f'{news.step.phase} {news.step.text} {news.step.code}' if news.step else ''
                end = f'{news.result.status} {news.result.said or news.result.reason}' if news.result else ''
                self._text('goals', f'{wish}: {step or end or "given"}'.strip())
            case LogEntry(task=task, text=text):
                self._text('log', f'{task}: {prose(text)}')
            case MemoryMisread(task=task, misread=misread):
                self._text('corrections', f'{task}: {"; ".join(misread)}', bad=True)
            case Said() as said_:
                who = 'robot' if said_.by_robot else said_.person or 'somebody'
                self._text('said', f'{who}: {said_.text}')
            case Diagnosed() as found:
                self._text('parts', f'{found.part}: {found.level} {found.message}', bad=found.level != 'ok')

    def _scene(self, snapshot: Snapshot) -> None:
        boxes = rr.Boxes3D(
            centers=[item.pose_world.position_m for item in snapshot.objects],
            sizes=[item.size_m for item in snapshot.objects],
            labels=[item.name for item in snapshot.objects],
        )
        self._stream.log('world/objects', boxes)
        places = rr.Boxes3D(
            centers=[
                (item.position_world_m[0], item.position_world_m[1], item.position_world_m[2] + item.size_m[2] / 2)
                for item in snapshot.containers
            ],
            sizes=[item.size_m for item in snapshot.containers],
            labels=[item.name for item in snapshot.containers],
        )
        self._stream.log('world/containers', places)

    def _text(self, entity: str, text: str, *, bad: bool = False) -> None:
        self._stream.log(entity, rr.TextLog(text, level='WARN' if bad else 'INFO'))
