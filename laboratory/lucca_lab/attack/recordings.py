"""Attack on recordings of sessions: mutated files must be refused by name, or hold nothing that was not recorded."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_core.errors import RecordingError
from lucca_core.protocol.observations import Observable
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_view.events import Event, JointsSeen, Said, SceneSeen, SessionInfo
from lucca_view.recording.reader import read_session
from lucca_view.recording.redaction import Redaction
from lucca_view.recording.writer import SessionWriter


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    original, mutated = folder / 'session.mcap', folder / 'mutated.mcap'
    _write(original)
    data = original.read_bytes()
    known = [event.value for event in read_session(original).events]

    def trial(chance: random.Random) -> Counts:
        mutated.write_bytes(_mutated(data, chance))
        try:
            read = read_session(mutated)
        except RecordingError as error:
            if str(mutated) not in str(error):
                raise Broken(f'refused without the name of the file: {error}') from error
            return {'refused': 1}
        if invented := [event.value for event in read.events if event.value not in known]:
            raise Broken(f'was never recorded: {str(invented[0])[:200]}')
        return {'read to a cut': 1} if read.cut else {'read whole': 1}

    yield trial


def _write(file: Path) -> None:
    writer = SessionWriter(file, SessionInfo(lucca_version='0', robot='nicol'), Redaction({}))
    chance = random.Random(5)
    for number in range(400):
        pear = TableObject(object_id=str(number), name=f'pear {number}', label='pear')
        values: tuple[Observable, ...] = (
            SceneSeen(snapshot=Snapshot(stamp_s=number, objects=(pear,))),
            JointsSeen(positions={f'joint {n}': chance.random() for n in range(20)}),
            Said(by_robot=True, person='', text=f'sentence {chance.random()}'),
        )
        for value in values:
            writer.write(Event(wall_s=1e9 + number, stamp_s=number, value=value))
    writer.close()


def _mutated(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data = data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
            case 1:
                data = data[:place] + chance.randbytes(chance.choice((1, 8, 60))) + data[place:]
            case 2:
                data = data[:place] + b'\xff' * 8 + data[place + 8 :]
            case _:
                data = data[: place + 1]
    return data


PART = Attack(
    name='recordings',
    promise='A mutated recording of a session is refused by name, or holds only events that were recorded.',
    open=_open,
    sample=12,
    count=5_000,
)
