import json

from benchmarks.parts.common import Target, parser_for, report


def test_a_report_says_which_lines_are_met(tmp_path):
    path = tmp_path / "report.json"
    report({"median": 7.0, "worst": 90}, [Target("median", "<=", 7), Target("worst", "<=", 80)], path=path)
    assert json.loads(path.read_text()) == {
        "figures": {"median": 7.0, "worst": 90},
        "targets": {"median <= 7": ["<=", 7], "worst <= 80": ["<=", 80]},
        "met": {"median <= 7": True, "worst <= 80": False},
    }


def test_a_line_whose_figure_is_missing_is_not_met():
    assert report({}, [Target("median", "<=", 7)])["met"] == {"median <= 7": False}


def test_every_benchmark_takes_quick_and_json():
    options = parser_for("x").parse_args(["--quick", "--json", "out.json"])
    assert options.quick
    assert options.json.name == "out.json"
