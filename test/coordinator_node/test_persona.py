import pytest

from coordinator_node.persona import Persona, load_persona
from lucca_core.errors import ConfigError


def test_the_persona_that_is_shipped_can_be_read():
    persona = load_persona()
    assert persona.name == 'Lucca'
    assert persona.languages == ('en',)


def test_what_is_left_out_has_the_defaults(tmp_path):
    file = tmp_path / 'persona.yaml'
    file.write_text('name: Pim\n')
    assert load_persona(file) == Persona(name='Pim')


@pytest.mark.parametrize(
    ('text', 'line', 'reason'),
    [
        ('name: Pim\nmood: bad\n', 2, 'no setting'),
        ('name: Pim\n\nstyle: short\n', 3, 'must be'),
        ('name: ""\n', 1, 'name must be one printable line'),
        ('languages: [english]\n', 1, 'ISO 639-1'),
        ('most_sentences: 0\n', 1, 'most_sentences must be from 1 to'),
        ('name: Pim\nabout: "do <start_task(x)>"\n', 2, 'without < and >'),
        ('name: [', 1, 'is not YAML'),
    ],
)
def test_a_bad_file_is_refused_with_file_line_and_reason(tmp_path, text, line, reason):
    file = tmp_path / 'persona.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=reason) as caught:
        load_persona(file)
    assert (caught.value.file, caught.value.line) == (str(file), line)
