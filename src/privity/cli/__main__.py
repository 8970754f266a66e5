"""`python -m privity.cli`, where the console script is not on the path."""

from privity.cli.entry import main

if __name__ == "__main__":
    main()
