"""A sentence that is said at a table with coloured objects, and carried out."""

from typing import Any

COLOURS = {
    'apple': 'red', 'banana': 'yellow', 'pear': 'green', 'cup': 'blue', 'can': 'red', 'baseball': 'white',
    'orange': 'orange',
}  # fmt: skip
ALL = 'apple, banana, pear, cup, can, baseball, red cube, blue cube, green cube'


def run(table: Any, text: str, names: str = ALL) -> Any:
    objects = {name: [COLOURS[name]] if name in COLOURS else [] for name in names.split(', ')}
    return table(objects, text).run()
