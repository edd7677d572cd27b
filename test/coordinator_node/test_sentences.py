from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.talk.sentences import SentenceSplitter, SpokenPart, Voice

TEXTS = st.text(alphabet=st.sampled_from('ab .!?()>"1\n'), max_size=60)


def pieces_of(text, cuts):
    places = sorted({min(cut, len(text)) for cut in cuts})
    return [text[begin:end] for begin, end in zip([0, *places], [*places, len(text)], strict=True)]


def spoken(text, cuts=(), *, free=False):
    said = []
    part = SpokenPart(said.append, free=free)
    for piece in pieces_of(text, cuts):
        part.feed(piece)
    part.close()
    return said


@given(TEXTS, st.lists(st.integers(0, 60), max_size=8))
def test_however_a_text_is_cut_the_same_sentences_come_and_no_word_is_lost(text, cuts):
    said, whole = [], []
    for target, parts in ((said, pieces_of(text, cuts)), (whole, [text])):
        splitter = SentenceSplitter(target.append)
        for piece in parts:
            splitter.feed(piece)
        splitter.close()
    assert said == whole
    assert ' '.join(said).split() == text.split()


def test_a_sentence_is_passed_on_before_the_next_one_is_there():
    said = []
    splitter = SentenceSplitter(said.append)
    splitter.feed('It is in the red shed. The off')
    assert said == ['It is in the red shed.']


def test_abbreviations_and_ordinals_end_no_sentence():
    said = []
    splitter = SentenceSplitter(said.append)
    splitter.feed('Dr. Moe comes on 3. May, e.g. by boat. Good?')
    splitter.close()
    assert said == ['Dr. Moe comes on 3. May, e.g. by boat.', 'Good?']


@given(TEXTS.filter(str.split), st.lists(st.integers(0, 60), max_size=8))
def test_of_a_call_only_what_is_said_is_spoken(text, cuts):
    inside = text.replace(')>', ') ')
    assert ' '.join(spoken(f'<say({inside})>', cuts)).split() == inside.split()
    assert spoken(f'<start_task({inside})>', cuts) == []
    assert spoken(f'Well: <say({inside})>', cuts) == []


def test_with_native_tools_words_are_spoken_and_calls_written_out_are_not():
    assert spoken('Hello. You?', (3,), free=True) == ['Hello.', 'You?']
    assert spoken('<recall(a. b)>', (1,), free=True) == []


def test_the_beginning_of_an_answer_is_spoken_while_the_rest_is_not_there():
    said = []
    part = SpokenPart(said.append, free=False)
    part.feed('<sa')
    part.feed('y(Yes. It is ')
    assert said == ['Yes.']


def test_nothing_is_said_twice_or_after_an_interruption():
    said, stopped = [], []
    voice = Voice(said.append, lambda: bool(stopped))
    voice.say('One.')
    voice.say_rest('One. Two.')
    stopped.append(True)
    voice.say('Three.')
    assert said == voice.spoken == ['One.', 'Two.']
