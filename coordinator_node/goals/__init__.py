"""Goals: their queue, their threads, what is asked of people before one begins, and the dispatcher."""
