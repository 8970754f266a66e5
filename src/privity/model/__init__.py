"""The words every other package speaks: values that are evidence of what has been checked."""
