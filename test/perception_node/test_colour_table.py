"""Colours get the names that people use, also in half shade."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_sim.scene import load_scene
from perception_node.detectors.colour_table import ColourTable
from perception_node.lexicon import load_lexicon

TABLE = ColourTable(load_lexicon().colours)


def name_of(rgb) -> str:
    return TABLE.name(int(TABLE.classify(np.array([[rgb]], np.uint8))[0, 0]))


@pytest.mark.parametrize('item', load_scene('table', 0).library, ids=lambda item: item.name)
@pytest.mark.parametrize('light', [1.0, 0.9, 0.8])
def test_every_object_of_the_scenes_has_its_colour(item, light):
    assert name_of([round(255 * light * value) for value in item.rgb]) == item.colour


def test_shades_know_what_they_are_shades_of():
    assert TABLE.is_shade('grey', 'white')
    assert TABLE.is_shade('black', 'red')
    assert not TABLE.is_shade('grey', 'red')


@given(st.tuples(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255)))
def test_every_pixel_has_a_number_that_has_a_name(rgb):
    number = int(TABLE.classify(np.array([[rgb]], np.uint8))[0, 0])
    assert number == 0 or TABLE.number(TABLE.name(number)) == number


def test_an_unknown_colour_is_refused():
    with pytest.raises(ValueError, match='mauve'):
        TABLE.number('mauve')
