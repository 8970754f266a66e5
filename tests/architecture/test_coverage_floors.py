"""A package below its floor is named, and so is one without a floor."""

from tools.coverage_floors import Reached, Report, Summary, below_floor, by_package


def summary(lines: int, covered: int) -> Summary:
    """Return the counts of a file without branches."""
    return Summary(num_statements=lines, covered_lines=covered, num_branches=0, covered_branches=0)


def test_files_of_a_package_count_together() -> None:
    """A package is the sum of its files, wherever they were installed."""
    report = Report(
        files={
            "src/privity/model/ids.py": {"summary": summary(3, 3)},
            ".venv/lib/site-packages/privity/model/plans.py": {"summary": summary(5, 4)},
            "src/privity/__init__.py": {"summary": summary(2, 2)},
        }
    )

    assert by_package(report) == {"privity.model": Reached(covered=7, total=8), "privity": Reached(covered=2, total=2)}


def test_an_uncovered_branch_is_below_a_floor_of_all() -> None:
    """One branch of many is enough."""
    totals = {"privity.model": Reached(covered=999, total=1000), "privity.ops": Reached(covered=95, total=100)}

    assert below_floor(totals, {"privity.model": 100, "privity.ops": 95}) == ["privity.model"]


def test_a_package_without_a_floor_is_below_it() -> None:
    """A new package is not let through unseen."""
    assert below_floor({"privity.new": Reached(covered=1, total=1)}, {}) == ["privity.new"]
