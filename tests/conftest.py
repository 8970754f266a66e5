"""What holds for every test: each one names the requirements that it proves."""

pytest_plugins = ["tests.requirements.plugin"]
