"""Facts follow their folder: changed, renamed and deleted files take effect at once; others are not embedded again."""

import threading
import time
from datetime import UTC, datetime

import pytest

from lucca_core.errors import MemoryFault, ModelRetryable
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.facts.facts import Facts
from lucca_memory.retrieval.analysis import analysed
from lucca_memory.retrieval.values import Question

NOW = datetime(2026, 3, 9, tzinfo=UTC)
DEADLINE_S = 20.0
"""For a machine that is busy with other things; the two seconds are measured by `lucca bench memory`."""


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / 'facts'
    path.mkdir()
    (path / 'gym.md').write_text('# Gym\n\nThe lab is room 2.202.\n\nThe roof was repaired.\n')
    (path / 'tea.txt').write_text('Green tea is drawn at 80 degrees.\n')
    return path


def _places(facts, text, **options):
    return [item.source for item in facts.recall(Question(text=text, now=NOW, **options))]


def _wait_until(condition):
    deadline = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, 'it never came about'
        pause.wait(0.02)


def test_a_file_in_another_encoding_is_named_once(folder, caplog):
    (folder / 'keys.txt').write_bytes('Where?\nDer Schlüssel liegt im Kühlschrank.\n'.encode('latin-1'))
    (folder / 'noise.txt').write_bytes(bytes(range(256)))
    (folder / 'windows.txt').write_text('The ladder is behind the door.\r\n', encoding='utf-16')
    facts = Facts(folder, HashedEmbedder())
    facts.refresh()
    facts.refresh()
    told = [record.getMessage() for record in caplog.records if 'fact file' in record.getMessage()]
    assert told == [
        f'fact file {folder / "keys.txt"} is not in UTF-8 (line 2): letters in it are lost',
        f'fact file {folder / "noise.txt"} is left out: it is not text',
    ]
    assert {passage.file for passage in facts.passages} == {'gym.md', 'keys.txt', 'tea.txt', 'windows.txt'}
    assert facts.recall(Question(text='Where is the ladder?', now=NOW))[0].source == 'windows.txt:1'


def test_a_fact_is_found_with_file_and_line(folder):
    facts = Facts(folder, HashedEmbedder())
    facts.refresh()
    best = facts.recall(Question(text='Which room is the lab?', now=NOW))[0]
    assert (best.kind, best.source, best.item_id) == ('fact', 'gym.md:3', 'fact:gym.md:3')
    assert best.text == 'Gym: The lab is room 2.202.'


def test_only_what_has_changed_is_analysed_again_and_not_while_somebody_asks(folder, monkeypatch):
    read = []

    def noted(text):
        read.append(text)
        return analysed(text)

    monkeypatch.setattr('lucca_memory.facts.facts.analysed', noted)
    facts = Facts(folder, HashedEmbedder())
    facts.refresh()
    assert len(read) == 3
    (folder / 'tea.txt').write_text('Green tea is drawn at 70 degrees.\n')
    facts.refresh()
    assert read[3:] == ['Green tea is drawn at 70 degrees.']
    assert _places(facts, 'How many degrees does tea need?')[0] == 'tea.txt:1'
    assert len(read) == 4


def test_nothing_is_embedded_twice(folder, tmp_path):
    embedder = HashedEmbedder()
    facts = Facts(folder, embedder, vectors_file=tmp_path / 'facts.sqlite')
    facts.refresh()
    while facts.embed_missing():
        pass
    assert len(embedder.asked) == 3
    (folder / 'gym.md').write_text('# Gym\n\nThe lab is room 2.202.\n\nThe roof was rebuilt.\n')
    (folder / 'tea.txt').rename(folder / 'drinks.txt')
    assert facts.refresh()
    while facts.embed_missing():
        pass
    assert embedder.asked[3:] == ['Gym: The roof was rebuilt.']
    again = HashedEmbedder()
    restarted = Facts(folder, again, vectors_file=tmp_path / 'facts.sqlite')
    restarted.refresh()
    assert restarted.embed_missing() == 0
    assert 'meaning' in restarted.recall(Question(text='green tea', now=NOW))[0].why


def test_a_touched_file_is_no_change(folder):
    facts = Facts(folder, NoEmbedder())
    assert facts.refresh()
    (folder / 'tea.txt').touch()
    assert not facts.refresh()


def test_changes_are_followed_while_it_runs(folder):
    with Facts(folder, HashedEmbedder()) as facts:
        (folder / 'new.md').write_text('The umbrella stands in the hall.\n')
        _wait_until(lambda: _places(facts, 'umbrella hall')[:1] == ['new.md:1'])
        (folder / 'new.md').write_text('\n\nThe umbrella stands in the kitchen.\n')
        _wait_until(lambda: _places(facts, 'umbrella kitchen')[:1] == ['new.md:3'])
        (folder / 'new.md').rename(folder / 'other.md')
        _wait_until(lambda: _places(facts, 'umbrella kitchen')[:1] == ['other.md:3'])
        (folder / 'other.md').unlink()
        _wait_until(lambda: not [p for p in facts.passages if p.file == 'other.md'])
        (folder / 'sub').mkdir()
        (folder / 'sub' / 'deep.txt').write_text('The key hangs behind the door.\n')
        _wait_until(lambda: _places(facts, 'key behind the door')[:1] == ['sub/deep.txt:1'])


def test_words_are_found_while_meanings_are_still_made(folder):
    class Slow(HashedEmbedder):
        allowed = threading.Event()

        def embed(self, texts):
            if any('umbrella' in text for text in texts) and len(texts[0]) > 12:
                self.allowed.wait(DEADLINE_S)
            return super().embed(texts)

    embedder = Slow()
    with Facts(folder, embedder) as facts:
        (folder / 'new.md').write_text('The umbrella stands in the hall of the house.\n')
        _wait_until(lambda: _places(facts, 'umbrella')[:1] == ['new.md:1'])
        embedder.allowed.set()
        question = Question(text='umbrella', now=NOW)
        _wait_until(lambda: 'meaning' in facts.recall(question)[0].why)


def test_a_failing_embedder_costs_only_the_meaning(folder, caplog):
    class Failing(HashedEmbedder):
        def embed(self, texts):
            raise ModelRetryable('no answer')

    with Facts(folder, Failing()) as facts:
        assert _places(facts, 'green tea')[0] == 'tea.txt:1'
        _wait_until(lambda: 'facts are searched by words only' in caplog.text)


def test_other_files_links_and_hidden_ones_are_no_facts(folder, tmp_path):
    (folder / 'picture.png').write_bytes(b'umbrella')
    (folder / '.hidden.md').write_text('umbrella')
    (tmp_path / 'outside.md').write_text('umbrella')
    (folder / 'link.md').symlink_to(tmp_path / 'outside.md')
    (folder / 'loop').symlink_to(folder)
    (folder / 'bad.txt').write_bytes(b'caf\xe9 umbrella')
    facts = Facts(folder, NoEmbedder())
    facts.refresh()
    assert {passage.file for passage in facts.passages} == {'gym.md', 'tea.txt', 'bad.txt'}


def test_a_damaged_file_of_vectors_is_begun_anew(folder, tmp_path, caplog):
    file = tmp_path / 'facts.sqlite'
    file.write_bytes(b'no database' * 1000)
    facts = Facts(folder, HashedEmbedder(), vectors_file=file)
    assert 'is replaced by a new file' in caplog.text
    facts.refresh()
    assert facts.embed_missing() == 3


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(MemoryFault, match='cannot be used as folder of facts'):
        Facts(tmp_path / 'file' / 'facts', NoEmbedder()).start()


@pytest.fixture
def named(tmp_path):
    folder = tmp_path / 'named'
    folder.mkdir()
    (folder / 'wifi.md').write_text(
        '# Wi-Fi\nAlso called: WLAN, wireless\nThe password is on the router in the hall.\n'
    )
    (folder / 'router.md').write_text(
        '# Hall router\nAlso called: fritz\nIt is restarted on Sundays, as wireless fails.\n'
    )
    (folder / 'boiler.md').write_text('# Boiler\nAlso called: heating\nThe boiler is serviced by Kessel and Sons.\n')
    (folder / 'old.md').write_text('# Old boiler\nPreviously serviced by Brand. Replaced by the new one.\n')
    facts = Facts(folder, HashedEmbedder())
    facts.refresh()
    facts.embed_missing(10)
    return facts


@pytest.mark.parametrize(
    ('text', 'files'),
    [
        ('WLAN password', ['wifi.md']),
        ('what is with the heating?', ['boiler.md']),
        ('Does the hall router slow down our wireless?', ['router.md', 'wifi.md']),
        ('who looks after the boilers?', ['boiler.md']),
        ('the boilr', ['boiler.md']),
        ('What is the capital of Peru?', []),
        ('who did the old boiler before?', ['old.md']),
    ],
)
def test_enough_is_what_the_question_names_or_what_shares_its_words_and_nothing_else(named, text, files):
    found = named.recall(Question(text=text, now=NOW, enough=True))
    assert sorted(item.file for item in found) == sorted(files)
    assert len(named.recall(Question(text=text, now=NOW))) == 4


def test_what_a_question_names_goes_first(named):
    best = named.recall(Question(text='Where do I find the wireless password?', now=NOW))[0]
    assert best.file == 'wifi.md'
