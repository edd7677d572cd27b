"""Words: their forms, meanings and sets, idle words, and the division of text into sentences of words."""
