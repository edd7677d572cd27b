"""The synthetic voices of the stop spotter, split into training, validation and test voices.

Some test voices belong to no listed family: their parameters are drawn at random from what espeak-ng accepts.
"""

import math
import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from lucca_core.errors import SpeechError
from speech_node.speaking.espeak_speaker import PROGRAM


def _families(*lines: str) -> tuple[str, ...]:
    return tuple(family for line in lines for family in line.split(', '))


_SEEN = _families(
    'f3, klatt2, m3, f4 aunty, belinda, benjamin, travis, Mario Michael gustave, kaukovalta',
    'm8 Nguyen max RicishayMax RicishayMax2 RicishayMax3 '
    'robosoft robosoft2 robosoft3 robosoft4 robosoft5 robosoft6 robosoft7 robosoft8',
    'Andrea, Annie, linda, steph steph2 steph3, adam, Gene Gene2, paul, fast, Andy AnxiousAndy, anika anikaRobot',
    'boris, croak, david, f1, f5, grandma, grandpa, Jacky, klatt4, klatt5, klatt6, m5, m6, Marco, Mike, sandro',
    'shelby, whisper',
)
"""Families of which a member was used to measure an earlier spotter or to choose its threshold; and `fast`, which
sounds like no other variant."""
_UNSEEN = _families(
    'Alex, Alicia, Demonic, Denis, Diogo Henrique Hugo michel miguel, Lee, Mr_serious Tweaky john norbert, Storm',
    'UniRobot, announcer, antonio, caleb, ed, edward edward2, f2, iven iven2 iven3 iven4, klatt, klatt3, m1, m2, m4',
    'm7, marcelo, pablo, pedro, quincy, rob, robert, victor, whisperf, zac',
)
"""The other families. Variants of espeak-ng 1.51 that share at least half of their lines belong to one family."""
_ACCENTS = ('en-us', 'en-gb')
_HELD_OUT, _DRAW = 10, 1
_MOST_VOICES = 349
"""The number of voices that espeak-ng 1.51 reads from its data folder; it does not find further ones."""
_KLATT = (1, 2, 3)
"""Sources of espeak-ng's Klatt synthesiser for random voices: those that no held-out voice has."""


def _drawn() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Voices for training, validation and test.

    Validation and test have one voice from each of ten families, none of which is used in training.
    """
    rng = random.Random(_DRAW)
    families = rng.sample(_UNSEEN, len(_UNSEEN))
    held_out = [f'{rng.choice(_ACCENTS)}+{rng.choice(family.split())}' for family in families[: 2 * _HELD_OUT]]
    rest = [variant for family in (*families[2 * _HELD_OUT :], *_SEEN) for variant in family.split()]
    return (
        tuple(_named(f'{rng.choice(_ACCENTS)}+{variant}') for variant in sorted(rest)),
        tuple(_named(voice) for voice in held_out[_HELD_OUT:]),
        tuple(_named(voice) for voice in held_out[:_HELD_OUT]),
    )


def _named(voice: str) -> str:
    return voice.replace('_', ' ')


_VARIANTS, OTHER_VOICES, FRESH_VOICES = _drawn()
ACCENTS = ('en-us', 'en-gb', 'en-gb-scotland', 'en-gb-x-rp', 'en-029', 'en-gb-x-gbclan', 'en-us-nyc')
TRAINED_VOICES = (*ACCENTS, *_VARIANTS)
TRAINED_SPEEDS = (90, 105, 120, 130, 155, 180, 200)
OTHER_SPEEDS = (115, 142, 168)
OTHER_RANDOM = (30, 1000)
"""Number of random voices that are also used to choose thresholds, and their seed. Training uses smaller seeds."""
FRESH_SPEEDS = (110, 134, 164)
"""Words per minute. `OTHER_…` serves to choose thresholds; `FRESH_…` serves for the reported figures and is never used
for training or choices."""
LATER_VOICES = tuple(random.Random(2).sample(_VARIANTS, 10))
LATER_SPEEDS = (122, 138, 158)
"""Voices on which recognisers of commands were reported after the misses of the fresh voices were looked at, and chosen
since. Only the stop spotter was trained on them."""


def _unlike(voices: Sequence[str]) -> list[str]:
    """The voices of training whose families have none of these voices.

    Whispers are left out: Silero, which decides when somebody speaks, does not take them for speech.
    """
    used = {voice.partition('+')[2] for voice in voices}
    families = [{_named(variant) for variant in family.split()} for family in (*_SEEN, *_UNSEEN)]
    related = set[str]().union(*(family for family in families if family & used))
    return [voice for voice in _VARIANTS if voice.partition('+')[2] not in related and 'whisper' not in voice]


LAST_VOICES = tuple(random.Random(3).sample(_unlike(LATER_VOICES), 10))
LAST_SPEEDS = (118, 136, 154)
"""Voices on which a second ear was reported, and chosen since. Only the stop spotter was trained on them."""
FINAL_VOICES = tuple(random.Random(4).sample(_unlike((*LATER_VOICES, *LAST_VOICES)), 10))
FINAL_SPEEDS = (114, 132, 150)
"""Voices for reports on recognisers of commands after those above were chosen on. Only the stop spotter was trained on
them."""
_STANDING_VOICES = ('en-us+f3', 'en-us+klatt2')
"""Voices of other rows of the report."""
SPARE_VOICES = tuple(
    random.Random(5).sample(_unlike((*LATER_VOICES, *LAST_VOICES, *FINAL_VOICES, *_STANDING_VOICES)), 10)
)
SPARE_SPEEDS = (116, 135, 152)
"""Voices for one more report, of the families that are then left. Only the stop spotter was trained on them."""

RECORDED_VOICES = ('flite:slt', 'flite:rms', 'flite:awb', 'flite:kal16')
RECORDED_SPEEDS = (140, 155, 170)
"""Voices of another program, flite, made of recordings of people (a woman and three men; one is a Scot). Nothing was
trained or chosen on them."""


def random_voice(rng: random.Random) -> str:
    """The variant file of a new random voice.

    Pitch, eight formants, timbre, voicing, breath and other parameters vary somewhat more than in espeak-ng's own
    variants.
    """
    low_hz = math.exp(rng.uniform(math.log(50), math.log(260)))
    throat = math.exp(rng.uniform(math.log(0.76), math.log(1.35)))
    lines = ['language variant', f'pitch {low_hz:.0f} {low_hz * rng.uniform(1.0, 1.9):.0f}']
    lines += _formants(throat, rng)
    for chance, line in (
        (0.45, _tone(rng)),
        (0.5, f'consonants {rng.randint(35, 200)} {rng.randint(40, 200)}'),
        (0.5, f'voicing {rng.randint(30, 200)}'),
        (0.4, f'flutter {rng.randint(0, 20)}'),
        (0.4, f'roughness {rng.randint(0, 7)}'),
        (0.25, f'echo {rng.randint(5, 200)} {rng.randint(5, 60)}'),
        (0.25, f'klatt {rng.choice(_KLATT)}'),
        (0.3, f'intonation {rng.choice((0, 1, 2, 3, 4, 10))}'),
        (0.2, f'stressAmp {_numbers(rng, 14, 26)}'),
        (0.2, f'stressAdd {_numbers(rng, -30, 200)}'),
        (0.15, f'stressLength {_numbers(rng, 110, 280)}'),
        (0.2, f'breath {_numbers(rng, 0, 12)}'),
    ):
        if rng.random() < chance:
            lines.append(line)
    if rng.random() < 0.06:
        # A whisper: breath through the formants, with hardly any voice.
        breath = ' '.join(str(rng.randint(least, 4 * least)) for least in (25, 25, 15, 12, 5, 4))
        width = ' '.join(str(rng.randint(least, 3 * least)) for least in (80, 80, 100, 100, 200, 200))
        lines += [f'voicing {rng.randint(8, 30)}', f'breath {breath}', f'breathw {width}', 'formant 0 100 0 100']
    return '\n'.join(lines) + '\n'


def _formants(throat: float, rng: random.Random) -> Iterator[str]:
    spread = rng.choice((0.03, 0.08, 0.13))
    loudness, width = rng.uniform(0, 45), rng.uniform(0, 50)
    for number in range(9):
        hertz = 100 * throat * math.exp(rng.gauss(0, spread))
        height = max(10.0, rng.gauss(100, loudness))
        yield f'formant {number} {hertz:.0f} {height:.0f} {max(40.0, rng.gauss(110, width)):.0f}'


def _tone(rng: random.Random) -> str:
    """Loudness over pitch: falling, as in most of the variants that have this line, or random."""
    hertz = (rng.randint(60, 300), rng.randint(500, 800), rng.randint(1000, 1400), 2000, rng.randint(2800, 4500))
    if rng.random() < 0.6:
        level, levels = 255.0, [255.0]
        for _ in hertz[1:]:
            level *= math.exp(-rng.uniform(0, 1.2))
            levels.append(max(level, 8.0))
    else:
        levels = [rng.uniform(40, 255) for _ in hertz]
    return 'tone ' + ' '.join(f'{at} {loud:.0f}' for at, loud in zip(hertz, levels, strict=True))


def _numbers(rng: random.Random, low: int, high: int) -> str:
    return ' '.join(str(rng.randint(low, high)) for _ in range(8))


@contextmanager
def random_voices(count: int, seed: int) -> Iterator[tuple[Path, Sequence[str]]]:
    """Gives a data folder of espeak-ng with `count` random voices, and their names. It is deleted at the end.

    Raises:
        SpeechError: espeak-ng is not installed, does not say where its data is, or has no room for so many voices.
    """
    with TemporaryDirectory() as folder:
        data = Path(folder) / 'espeak-ng-data'
        shutil.copytree(_data_folder(), data, ignore=shutil.ignore_patterns('mbrola*', 'mb'))
        room = _MOST_VOICES - sum(file.is_file() for part in ('voices', 'lang') for file in (data / part).rglob('*'))
        if count > room:
            raise SpeechError(f'espeak-ng has room for {room} more voices, asked for are {count}')
        names = []
        for number in range(count):
            # Each voice has its own seed, so that a larger set begins with the same voices.
            rng = random.Random(f'{seed} {number}')
            names.append(f'{rng.choice(ACCENTS)}+random{number}')
            (data / 'voices' / '!v' / f'random{number}').write_text(random_voice(rng), encoding='ascii')
        yield Path(folder), names


def _data_folder() -> Path:
    try:
        told = subprocess.run([PROGRAM, '--version'], capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SpeechError(f'espeak-ng does not answer: {error}') from error
    found = re.search(r'Data at: *(.+)', told)
    if found is None:
        raise SpeechError(f'espeak-ng does not say where its data lie: {told.strip()!r}')
    return Path(found[1].strip())
