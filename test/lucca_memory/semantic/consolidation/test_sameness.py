"""Of statements that say the same one text is kept: what only looks the same must stay two statements."""

import pytest

TWO_FACTS = [
    ('The meeting on Tuesday is in the library.', 'The meeting on Tuesday is in the cellar.'),
    ('I take 2 pills before lunch.', 'I take 2 pills after lunch.'),
    ('On 3 May Paula gave me a book.', 'On 3 May Paula gave me a vase.'),
    ('My code is 4711 for the safe.', 'My code is 4711 for the gate.'),
    ('Dr. Weber sees me on Friday about my knee.', 'Dr. Weber sees me on Friday about my eyes.'),
    ('Dr. Weber sees me on Friday about my knee.', 'Dr. Weber sees me on Friday.'),
    ('Tom lent me 20 euros.', 'I lent Tom 20 euros.'),
    ('Paula beat Tom at chess.', 'Tom beat Paula at chess.'),
    ('The train to Bonn leaves at 8.', 'The train from Bonn leaves at 8.'),
    ('The key is in the blue drawer.', 'The key is on the blue drawer.'),
    ('Paula was born in 1980.', 'Paula was married in 1980.'),
    ('The fee is 30 euros.', 'The fee is not 30 euros.'),
    ('The fee is 30 euros.', 'The fee may be 30 euros.'),
    ('The bakery in Bonn is open until 8.', 'The bakery in Bonn closes at 8.'),
    ('The bakery in Bonn makes 8 cakes.', 'The bakery in Bonn sells 8 cakes.'),
    ('The train to Bonn leaves at 8.', 'The train to Bonn arrives at 8.'),
    ('The meeting is on Tuesday.', 'The meeting on Tuesday is cancelled.'),
    ('The meeting with Paula Berg is on Tuesday.', 'Paula Berg cancelled the meeting on Tuesday.'),
    ('The teacher of Paula is Tom.', 'Paula likes the teacher Tom.'),
    ('Paula sold 3 cars.', 'Paula has 3 cars.'),
    ('The badge of Ada Lind reads RN-19.', 'Ada Lind lost badge RN-19.'),
    ('I like tea.', 'You like tea.'),
    ('He likes tea.', 'She likes tea.'),
    ('The pill is for me.', 'The pill is for him.'),
    ('My dog is called Rex.', 'Her dog is called Rex.'),
    ('My flat is in Bonn.', 'My flat was in Bonn.'),
    ('Paula lives in Bonn.', 'Paula lived in Bonn.'),
    ('I was in Bonn.', 'I will be in Bonn.'),
    ('Paula Berg painted Tom Lind.', 'Paula Berg was painted by Tom Lind.'),
    ('Paula painted the boy.', 'Paula was painted by the boy.'),
    ('The lamp was painted by Paula.', 'The lamp is painted by Paula.'),
    ('Paula paints the lamp.', 'The lamp was painted by Paula.'),
    ('The lamp was painted by Paula.', 'The lamp was painted by Tom.'),
]
ONE_FACT = [
    ('The kiln is in Ulm.', 'The kiln is in Ulm'),
    ('Paula lives in Bonn.', 'Paula lives in Bonn now.'),
    ('The gala is on Tuesday.', 'The gala will be on Tuesday.'),
    ('By the way, the fee is 30 euros.', 'The fee is 30 euros.'),
    ('Ada Lind chairs the tide forum.', 'The chair of the tide forum is Ada Lind.'),
    ('The desk of Edda Ivers has the label LM-69.', 'The desk of Edda Ivers is LM-69.'),
    ('The badge of Ada Lind reads RN-19.', 'Ada Lind has badge RN-19.'),
    ('Tom Berg trains the Kite Ensemble.', 'The trainer of the Kite Ensemble is Tom Berg.'),
    ('Clara Iversen bought a steel lamp.', 'A steel lamp was bought by Clara Iversen.'),
    ('Frida painted the oak lamp.', 'The oak lamp was painted by Frida.'),
    ('The committee bought 3 lamps.', '3 lamps were bought by the committee.'),
    ('Celia Thiel has repaired a tripod.', 'A tripod was repaired by Celia Thiel.'),
    ('The sponsor of the choir is Baxter Motors.', 'The choir is sponsored by Baxter Motors.'),
    ('The choir has its maps made by Baxter Motors.', 'The maps of the choir are made by Baxter Motors.'),
    ('Hanne Bauer shares a flat with Judith Nordin.', 'Judith Nordin shares a flat with Hanne Bauer.'),
    ('Ada Lind is married to Tom Berg.', 'Tom Berg and Ada Lind are married.'),
    ('Each month Karla earns 1183 euros.', 'Karla earns 1183 euros a month.'),
    ('On Friday Paula eats fish.', 'Paula eats fish on Friday.'),
    ('Tom Berg is the trainer of the choir.', 'The trainer of the choir is Tom Berg.'),
    ("Paula's budget is 30 euros.", 'Paula has a budget of 30 euros.'),
    ('Paula Berg lives in Bonn.', 'The home of Paula Berg is in Bonn.'),
    ('The delivery of the Baxter Works comes on 3 May.', 'The Baxter Works delivers on 3 May.'),
]


@pytest.mark.parametrize('said', TWO_FACTS + [(new, old) for old, new in TWO_FACTS])
def test_neither_of_two_facts_with_the_same_words_is_lost(talk, said):
    talk.say(*said)
    living = talk.memory.store.nodes([int(node_id) for node_id in talk.memory.network.column('ids')]).values()
    assert {node.text: node.sources for node in living if node.sources} == {
        text: (f'said:{number}',) for number, text in enumerate(said, 1)
    }


@pytest.mark.parametrize('said', ONE_FACT)
def test_one_fact_in_other_words_is_kept_once_in_the_shortest(talk, said):
    talk.say(*said)
    assert talk.living() == [min(said, key=len)]


def test_what_was_asked_to_be_kept_is_not_replaced_by_a_shorter_text_about_something_else(talk):
    talk.say('My code is 4711 for the garage.', pinned=True)
    talk.say('My code is 4711 for the gate.')
    talk.memory.forget(talk.now, 0)
    assert talk.living() == ['My code is 4711 for the garage.']
