"""What there is to see of a robot at work: events, the session they make up, recordings of it, the page and the film.

Plain Python on top of `lucca_core`, `lucca_memory`, `lucca_llm` and `lucca_robot`. Events come from the running stack
(`lucca_cli/stack_events.py`) or from a recording; page, replay and film cannot tell which.
"""
