"""Colours stay what they are in light of any colour, as long as the table tells the light."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_sim.scene import load_scene
from perception_node.detectors.colour_table import ColourTable
from perception_node.detectors.white_balance import HEADROOM, balanced, gains
from perception_node.lexicon import load_lexicon

TABLE_RGB = (118.0, 124.0, 136.0)
COLOURS = ColourTable(load_lexicon().colours, HEADROOM)
lights = st.tuples(*[st.floats(0.45, 1.0)] * 3)


def picture(rgb, light):
    """The table with one patch of a colour, in some light: the camera ends at 255."""
    made = np.tile(np.array(TABLE_RGB), (20, 20, 1))
    made[5:15, 5:15] = rgb
    return np.clip(np.rint(made * light), 0, 255).astype(np.uint8)


def table_mask():
    mask = np.ones((20, 20), bool)
    mask[5:15, 5:15] = False
    return mask


@given(lights)
def test_the_table_looks_as_it_should_in_any_light(light):
    seen = picture((200, 30, 30), light)
    again = balanced(seen, gains(seen, table_mask(), TABLE_RGB))
    assert again[0, 0] == pytest.approx(np.array(TABLE_RGB) * HEADROOM, abs=3)


@pytest.mark.parametrize('item', load_scene('table', 0).library, ids=lambda item: item.name)
@pytest.mark.parametrize(
    'light', [(1.0, 0.7, 0.45), (0.5, 0.4, 0.3), (0.8, 0.9, 1.0), (1.3, 1.25, 1.2), (1.45, 1.1, 0.75)]
)
def test_every_object_of_the_scenes_has_its_colour_in_any_light(item, light):
    seen = picture(255 * np.array(item.rgb), light)
    again = balanced(seen, gains(seen, table_mask(), TABLE_RGB))
    assert COLOURS.name(int(COLOURS.classify(again)[10, 10])) == item.colour


@pytest.mark.parametrize('light', [(2.2, 2.1, 1.7), (2.2, 2.0, 2.0), (2.3, 1.9, 1.1)])
def test_white_stays_white_where_its_channels_are_at_their_end(light):
    seen = picture((250, 250, 250), np.array(light) * 0.75)
    again = balanced(seen, gains(seen, table_mask(), TABLE_RGB))
    assert COLOURS.name(int(COLOURS.classify(again)[10, 10])) == 'white'


@pytest.mark.parametrize('colour', [(0, 0, 0), (2, 2, 2), (255, 255, 255)])
def test_a_table_too_dark_or_too_bright_tells_nothing(colour):
    seen = np.full((20, 20, 3), colour, np.uint8)
    assert gains(seen, table_mask(), TABLE_RGB) == pytest.approx(np.ones(3))


def test_without_a_colour_or_without_a_table_nothing_is_changed():
    seen = picture((200, 30, 30), (0.5, 0.6, 0.7))
    assert gains(seen, table_mask(), (0.0, 0.0, 0.0)) == pytest.approx(np.ones(3))
    assert gains(seen, np.zeros((20, 20), bool), TABLE_RGB) == pytest.approx(np.ones(3))


def test_a_ruined_picture_is_no_reason_for_wild_colours():
    seen = np.full((20, 20, 3), (200, 10, 10), np.uint8)
    factors = gains(seen, table_mask(), TABLE_RGB)
    assert ((factors >= 0.3) & (factors <= 6.0)).all()
