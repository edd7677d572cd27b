"""The experiment on what memories keep of dialogues within a budget (`lucca eval forgetting --dialogues`)."""
