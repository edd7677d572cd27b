"""A film of a recorded session that explains itself.

It shows picture, table, requests, calls, the gate's decisions, the memory, and when a task was interrupted and resumed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from lucca_core.errors import RecordingError
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.observations import PERMITTED, LogEntry
from lucca_memory.declarative.entry import entry_from_text
from lucca_view.events import Event
from lucca_view.outside_picture import outside_picture, pixel
from lucca_view.panels import prose
from lucca_view.pictures import Picture, decoded
from lucca_view.recording.reader import RecordedSession
from lucca_view.robot_lines import RobotLines
from lucca_view.session import SessionView, ShownGoal

WIDTH, HEIGHT = 1280, 720
FRAMES_PER_S = 10.0
_LEFT = 800
_INSET, _INSETS_Y = (224, 168), 440
"""Size of the small pictures below the captions, and their upper edge."""
_CAPTIONS_Y, _BELOW_HEADING, _ROW, _BETWEEN = 30, 20, 19, 18
"""Where the captions begin, and the distances between their lines of text."""
_REQUEST_ROWS, _ANSWER_ROWS, _GATE_ROWS, _MEMORY_ROWS, _LOG_ROWS = 2, 3, 2, 3, 6
"""The most lines of each caption. If all others are full, the last one, the log, has two."""
_COLUMNS = 44
_TITLE_S = 2.5
_INK, _SOFT, _GROUND = (36, 31, 27), (104, 93, 84), (250, 248, 246)
_GOOD, _BAD, _MARK = (41, 99, 17), (38, 14, 164), (0, 90, 200)
_BEGUN = 'A recorded session from its beginning'
_TITLES = {
    EntryKind.SUSPENDED: 'INTERRUPTED: {} waits, its log is on disk',
    EntryKind.RESUMED: 'RESUMED: {} goes on where its log ends',
    EntryKind.FINISHED: 'FINISHED: {}',
}


@dataclass(frozen=True, slots=True)
class Title:
    """A caption across the picture, from one moment on, in s of wall time."""

    wall_s: float
    text: str


def titles(events: Sequence[Event]) -> tuple[Title, ...]:
    """The captions: when a task was suspended, resumed or finished."""
    found = []
    for event in events:
        if isinstance(event.value, LogEntry):
            try:
                kind = entry_from_text(event.value.text).kind
            except ValueError:
                continue
            if kind in _TITLES:
                found.append(Title(event.wall_s, _TITLES[kind].format(event.value.task)))
    return tuple(found)


Watched = Callable[[Iterable[Picture], int], Iterable[Picture]]
"""Receives the frames and their number, and passes the frames on; used for a progress bar."""


def _unwatched(shown: Iterable[Picture], total: int) -> Iterable[Picture]:
    return shown


def write_film(
    session: RecordedSession,
    out: Path,
    *,
    robot: RobotLines | None = None,
    speed: float = 2.0,
    most_s: float = 120.0,
    watched: Watched = _unwatched,
) -> float:
    """Writes the film and returns its length in s.

    Args:
        session: a recording; without pictures, the table is drawn from above instead.
        out: file to write, .mp4.
        robot: draws the robot from outside; None leaves that picture out.
        speed: seconds of the session per second of film; increased if the film would be longer than `most_s`.
        most_s: maximum length of the film, in s.
        watched: every frame passes through it.

    Raises:
        RecordingError: the film cannot be written.
    """
    length_s = session.ended_s - session.began_s
    speed = max(speed, length_s / most_s)
    writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*'mp4v'), FRAMES_PER_S, (WIDTH, HEIGHT))
    if not writer.isOpened():
        raise RecordingError(f'{out} cannot be written as a film')
    count = 0
    try:
        for frame in watched(frames(session, speed, robot), _count(session, speed)):
            writer.write(frame)
            count += 1
    finally:
        writer.release()
    return count / FRAMES_PER_S


def frames(session: RecordedSession, speed: float, robot: RobotLines | None = None) -> Iterator[Picture]:
    """The frames of the film, (HEIGHT, WIDTH, 3) in BGR; for the arguments see `write_film`."""
    shown, view, next_event = titles(session.events), SessionView(), 0
    for number in range(_count(session, speed)):
        now_s = session.began_s + number * speed / FRAMES_PER_S
        while next_event < len(session.events) and session.events[next_event].wall_s <= now_s:
            view = view.after(session.events[next_event])
            next_event += 1
        title = [item.text for item in shown if 0 <= now_s - item.wall_s < _TITLE_S * speed]
        begun = _BEGUN if now_s - session.began_s < _TITLE_S * speed else ''
        frame = _frame(view, now_s, session, speed, title[-1] if title else begun, shown)
        if robot is not None and view.joints:
            _inset(frame, outside_picture(view, robot), _LEFT + 12, 'the robot and its path')
        yield frame


def _count(session: RecordedSession, speed: float) -> int:
    return max(1, round((session.ended_s - session.began_s) / speed * FRAMES_PER_S))


def _frame(
    view: SessionView, now_s: float, session: RecordedSession, speed: float, title: str, shown: Sequence[Title]
) -> Picture:
    frame: Picture = np.full((HEIGHT, WIDTH, 3), _GROUND, dtype=np.uint8)
    picture = decoded(view.picture)
    frame[0:600, 0:_LEFT] = cv2.resize(_from_above(view) if picture is None else picture, (_LEFT, 600))
    _captions(frame, view)
    if picture is not None:
        _inset(frame, _from_above(view, 2.6), WIDTH - 12 - _INSET[0], 'what the robot believes')
    _timeline(frame, session, now_s, shown)
    cv2.rectangle(frame, (_LEFT - 170, 0), (_LEFT, 32), (0, 0, 0), -1)
    _write(frame, f'{speed:.1f}x speed, {now_s - session.began_s:.0f} s', _LEFT - 162, 22, (255, 255, 255), 0.5)
    if title:
        cv2.rectangle(frame, (0, 40), (_LEFT, 96), _MARK, -1)
        _write(frame, title, 16, 78, (255, 255, 255), 0.85, thickness=2)
    return frame


def _inset(frame: Picture, picture: Picture, x: int, caption: str) -> None:
    """Puts a small picture below the captions, at this x."""
    width, height = _INSET
    _write(frame, caption, x, _INSETS_Y - 7, _SOFT, 0.45)
    shown = cv2.resize(picture, _INSET, interpolation=cv2.INTER_AREA)
    frame[_INSETS_Y : _INSETS_Y + height, x : x + width] = shown
    cv2.rectangle(frame, (x, _INSETS_Y), (x + width - 1, _INSETS_Y + height - 1), _SOFT, 1)


def _captions(frame: Picture, view: SessionView) -> None:
    goal = _current(view)
    who = f'Asked by {goal.request.person}' if goal and goal.request.person else 'Asked'
    asked = (goal.request.text or goal.request.task) if goal else ''
    y = _block(frame, who, asked, _CAPTIONS_Y, _INK, _REQUEST_ROWS)
    acts = [item for item in view.exchanges if item.exchange.asker == 'coordinator' and item.exchange.reply]
    answer = acts[-1].exchange.reply.text if acts and acts[-1].exchange.reply else ''
    y = _block(frame, "The model's answer", answer, y, _INK, _ANSWER_ROWS)
    if view.decisions:
        decision = view.decisions[-1].value
        permitted = decision.code == PERMITTED
        said = f'permitted: {decision.action}' if permitted else f'refused ({decision.code}): {decision.message}'
        y = _block(frame, 'Gate', said, y, _GOOD if permitted else _BAD, _GATE_ROWS)
    remembered = [
        item.exchange.reply.text for item in view.exchanges if item.exchange.asker == 'worker' and item.exchange.reply
    ]
    told = remembered[-1] if remembered else ''
    y = _block(frame, 'Remembered as still to do or done', told, y, _INK, _MEMORY_ROWS)
    entries = [f'{item.value.task}: {prose(item.value.text)}' for item in view.entries[-2:]]
    _block(frame, 'Log', '\n'.join(entries), y, _INK, _LOG_ROWS)


def _current(view: SessionView) -> ShownGoal | None:
    going_on = [goal for goal in view.goals if goal.result is None]
    shown = going_on or list(view.goals)
    return shown[-1] if shown else None


def _block(frame: Picture, heading: str, text: str, y: int, colour: tuple[int, int, int], most: int) -> int:
    """Writes a heading and at most so many wrapped lines into the right column, above the small pictures.

    Returns the y of the next block.
    """
    room = (_INSETS_Y - 22 - y - _BELOW_HEADING) // _ROW + 1
    most = min(most, room)
    lines = [line for part in text.splitlines() for line in _wrapped(part, _COLUMNS)]
    if len(lines) > most:
        lines = [*lines[: most - 1], f'{lines[most - 1][: _COLUMNS - 4].rstrip()} ...']
    _write(frame, heading[:_COLUMNS], _LEFT + 20, y, _SOFT, 0.5)
    y += _BELOW_HEADING
    for number, line in enumerate(lines):
        _write(frame, line, _LEFT + 20, y + _ROW * number, colour, 0.55)
    return y + _ROW * max(1, len(lines)) + _BETWEEN


def _wrapped(text: str, most: int) -> list[str]:
    lines = ['']
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append('')
        lines[-1] = f'{lines[-1]} {word}'.strip()
    return lines


def _timeline(frame: Picture, session: RecordedSession, now_s: float, shown: Sequence[Title]) -> None:
    length_s = max(1e-3, session.ended_s - session.began_s)

    def x(wall_s: float) -> int:
        return round(20 + (WIDTH - 40) * (wall_s - session.began_s) / length_s)

    cv2.rectangle(frame, (20, 640), (WIDTH - 20, 652), (222, 215, 208), -1)
    cv2.rectangle(frame, (20, 640), (x(now_s), 652), _MARK, -1)
    for number, item in enumerate(shown):
        if item.wall_s <= now_s:
            cv2.line(frame, (x(item.wall_s), 632), (x(item.wall_s), 660), _INK, 2)
            _write(frame, item.text.partition(':')[0].lower(), x(item.wall_s) - 30, 682 + 18 * (number % 2), _INK, 0.45)


def _from_above(view: SessionView, letters: float = 1.0) -> Picture:
    """The table as the robot believes it to be, (600, 800, 3): x up, y left, 620 px per m. `letters`: text size."""
    drawn: Picture = np.full((600, 800, 3), 255, dtype=np.uint8)
    if view.scene is None:
        return drawn

    def corner(x_m: float, y_m: float) -> tuple[int, int]:
        return pixel(400 - 620 * y_m, 560 - 620 * x_m)

    for place in view.scene.value.containers:
        (x_m, y_m, _), (dx, dy, _) = place.position_world_m, place.size_m
        cv2.rectangle(drawn, corner(x_m - dx / 2, y_m - dy / 2), corner(x_m + dx / 2, y_m + dy / 2), (0, 56, 149), 3)
        _write(
            drawn, place.name, corner(x_m, y_m)[0] - 25, corner(x_m - dx / 2, 0.0)[1] + 22, (0, 56, 149), 0.6 * letters
        )
    for item in view.scene.value.objects:
        x_m, y_m, _ = item.pose_world.position_m
        cv2.circle(drawn, corner(x_m, y_m), 10, (174, 80, 5) if item.visible else (150, 150, 150), -1)
        _write(drawn, item.name, corner(x_m, y_m)[0] + 12, corner(x_m, y_m)[1] - 8, _INK, 0.55 * letters)
    return drawn


def _write(
    frame: Picture, text: str, x: int, y: int, colour: tuple[int, int, int], size: float, thickness: int = 1
) -> None:
    # OpenCV's fonts have only ASCII characters.
    plain = text.encode('ascii', 'replace').decode()
    cv2.putText(frame, plain, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, thickness, cv2.LINE_AA)
