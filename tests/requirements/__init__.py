"""Requirements as data: what privity claims, and the tests that show it."""
