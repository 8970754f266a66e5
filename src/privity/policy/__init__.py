"""The pure evaluator: it decides from frozen facts, and silence is denial."""
