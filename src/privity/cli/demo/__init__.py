"""The demo: a small team's conversation, a notebook that leaks it, and privity, which does not."""
