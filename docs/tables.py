#!/usr/bin/env python3
"""Writes the tables of performance.md from docs/figures/*.json, the untouched output of the benches.

    docs/tables.py            rewrites what stands between <!-- NAME --> and <!-- end -->
    docs/tables.py --check    changes nothing; fails when a table is not what its file says
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE / "performance.md"
LEFT_OUT = {"samples_ms"}


def text(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    if isinstance(value, dict):
        return " ".join(f"{key}={part}" for key, part in value.items())
    return str(value)


def table(report):
    rows = report["rows"]
    columns = [name for name in rows[0] if name not in LEFT_OUT]
    lines = [" | ".join(columns), " | ".join("---" for _ in columns)]
    lines += [" | ".join(text(row[name]) for name in columns) for row in rows]
    goals = [f"* {goal['goal']}: {goal['measured']}{'' if goal['met'] else ' (**missed**)'}" for goal in report["goals"]]
    return "\n".join([f"| {line} |" for line in lines] + ([""] + goals if goals else []))


def rewritten(page):
    def fill(match):
        report = json.loads((HERE / "figures" / f"{match[1]}.json").read_text())
        return f"<!-- {match[1]} -->\n\n{table(report)}\n\n<!-- end -->"

    return re.sub(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", fill, page, flags=re.DOTALL)


def main():
    page = PAGE.read_text()
    fresh = rewritten(page)
    if sys.argv[1:] == ["--check"]:
        if fresh != page:
            sys.exit("docs/performance.md does not show docs/figures: run docs/tables.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(fresh)


main()
