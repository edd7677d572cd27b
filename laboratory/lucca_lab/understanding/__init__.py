"""Yardsticks of understanding: what comes of sentences that nobody here wrote, on the whole stack without a robot.

`stack.py` is the stack on a symbolic table, `outcomes.py` what a sentence led to. Each of the others is one yardstick:
`tidy*.py` TidyBot's scenarios, `talk.py` dialogues between people, `requests*.py` drawn requests, `instruction_sets.py`
public instruction sets, `self_questions.py` questions to the robot about itself, `changes.py` changed minds.
The generators share neither words nor code with the reader of instructions.
"""
