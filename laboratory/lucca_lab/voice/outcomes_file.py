"""A file with one outcome a line, from which an interrupted experiment continues."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from lucca_core.errors import StackError
from speech_node.config import SpeechConfig
from speech_node.hearing.second_ear import ears_of


def all_settings(transcriber: str, but: Collection[str] = ()) -> dict[str, Any]:
    """The node's settings, with another transcriber if one is given, and a hash of its code but for some files.

    A second ear that Whisper has by itself is part of them.

    Raises:
        ConfigError: the transcriber has an unknown second ear.
        SpeechError: its second ear is not installed.
    """
    parts = sorted(part for part in Path(str(resources.files('speech_node'))).rglob('*') if part.is_file())
    wanted = [part for part in parts if part.name.endswith(('.py', '.npz')) and part.name not in but]
    settings = asdict(SpeechConfig()) | ({'transcriber': transcriber} if transcriber else {})
    if ears := ears_of(settings['transcriber'], language=settings['language'], scores_commands=True):
        settings['transcriber'] = ears.spec
    content = b''.join(part.read_bytes() for part in wanted)
    return {'config': settings, 'speech_node': hashlib.sha256(content).hexdigest()[:16]}


def kept_outcomes(file: Path, about: dict[str, Any]) -> list[dict[str, Any]]:
    """The outcomes that an earlier run with the same settings has left in a file; a new file gets only the settings.

    An incomplete last line is removed from the file.

    Args:
        file: its first line has the settings; each of the others is an outcome.
        about: all that outcomes depend on.

    Raises:
        StackError: the file holds outcomes of other settings, or something else.
    """
    if not file.exists() or not file.stat().st_size:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(about) + '\n', encoding='utf-8')
        return []
    first, *lines = file.read_text(encoding='utf-8').splitlines(keepends=True)
    try:
        known = json.loads(first)
    except ValueError:
        known = None
    if known != about:
        raise StackError(
            f'{file} holds outcomes of another seed, other settings or another speech_node; take another --out'
        )
    if lines and not lines[-1].endswith('\n'):
        del lines[-1]
        file.write_text(first + ''.join(lines), encoding='utf-8')
    return [json.loads(line) for line in lines]
