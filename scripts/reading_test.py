"""Draws the modules of the reading test: can a stranger say what a module holds from its name and first line alone?

    scripts/reading_test.py --seed 60 --count 60 > questions.md

The reader sees only these lines; docs/reading_test.md has the results.
"""

import argparse
import ast
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = ('test/', 'scripts/', '.ci/')


def modules() -> list[Path]:
    """All tracked modules with code, of product and laboratory, without `__init__.py`, tests and scripts."""
    listed = subprocess.run(['git', 'ls-files', '*.py'], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        Path(name)
        for name in sorted(listed.stdout.split())
        if not name.startswith(LEFT_OUT) and not name.endswith(('__init__.py', 'setup.py'))
    ]


def first_line(module: Path) -> str:
    """The first paragraph of a module's docstring, on one line; empty if it has none."""
    text = ast.get_docstring(ast.parse((ROOT / module).read_text(encoding='utf-8'))) or ''
    return ' '.join(text.split('\n\n')[0].split())


def main() -> int:
    """Prints a numbered line for each drawn module."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--count', type=int, default=60)
    given = parser.parse_args()
    drawn = random.Random(given.seed).sample(modules(), given.count)
    for number, module in enumerate(drawn, 1):
        sys.stdout.write(f'{number}. `{module}`: {first_line(module)}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
