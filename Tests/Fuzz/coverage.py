#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Prints the coverage of each module by a fuzz target, from an export of llvm-cov.

    Tests/Fuzz/coverage.py TARGET EXPORT.json MODULE...
"""
import json
import sys

target, export, *modules = sys.argv[1:]
with open(export, encoding="utf-8") as file:
    files = json.load(file)["data"][0]["files"]
for module in modules:
    summaries = [one["summary"] for one in files if "/" + module in one["filename"]]
    if not summaries:
        sys.exit(f"Nothing of {module} is in the program.")
    row = f"{target:17} {module:38}"
    for kind in ("functions", "regions", "lines"):
        covered, count = (sum(summary[kind][key] for summary in summaries) for key in ("covered", "count"))
        row += f" {covered:5} of {count:5} {kind} {100 * covered // max(count, 1):3} %"
    print(row)
