"""Words: forms, meanings and sets of words, and text split into sentences of words."""
