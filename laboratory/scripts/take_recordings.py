"""Copies the recordings that a list names from clones of their repositories, for `lucca eval voice --wav-dir`.

A list has lines such as `owner/name COMMIT`, each followed by indented paths. The clones (bare or not) lie in folders
called `owner+name`. Prints how many files were copied. Files that are missing are named, and the exit code is 1.

    .venv/bin/python laboratory/scripts/take_recordings.py LIST --clones FOLDER --out FOLDER
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def listed(text: str) -> Iterator[tuple[str, str, str]]:
    """The repository, commit and path of each file in a list; lines that begin with # are comments."""
    repository = commit = ''
    for line in text.splitlines():
        if line.startswith('#') or not line.strip():
            continue
        if line[0].isspace():
            yield repository, commit, line.strip()
        else:
            repository, commit = line.split()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('list', type=Path)
    arguments.add_argument('--clones', type=Path, required=True)
    arguments.add_argument('--out', type=Path, required=True)
    asked = arguments.parse_args()
    copied, missing = 0, []
    for repository, commit, path in listed(asked.list.read_text(encoding='utf-8')):
        folder = repository.replace('/', '+')
        shown = subprocess.run(['git', '-C', asked.clones / folder, 'show', f'{commit}:{path}'], capture_output=True)
        if shown.returncode:
            missing.append(f'{repository} {path}: {shown.stderr.decode(errors="replace").strip()}')
            continue
        place = asked.out / folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(shown.stdout)
        copied += 1
    sys.stdout.write(f'{copied} files copied to {asked.out}\n')
    for line in missing:
        sys.stderr.write(f'missing: {line}\n')
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
