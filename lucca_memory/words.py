"""The English word lists of memory, in words.yaml, shared by retrieval and the network."""

import functools
from pathlib import Path

from lucca_core.yaml_file import LocatedMapping, load_yaml

WORDS_FILE = Path(__file__).with_name('words.yaml')


@functools.cache
def _lists() -> LocatedMapping:
    return load_yaml(WORDS_FILE)


def word_list(name: str) -> list[str]:
    """The words of a list, in order.

    Raises:
        ConfigError: the file is missing or is not YAML.
        KeyError: there is no such list.
    """
    return str(_lists()[name]).split()


def word_set(name: str) -> frozenset[str]:
    """The words of a list; raises as `word_list`."""
    return frozenset(word_list(name))


def word_pairs(name: str) -> dict[str, str]:
    """A list of pairs `word:other`, from the first to the second; raises as `word_list`."""
    return dict(pair.split(':') for pair in word_list(name))


def attribute_words() -> dict[str, list[str]]:
    """For each attribute the words that name it; raises as `word_list`."""
    return {name: words.split() for name, words in _lists()['attributes'].items()}
