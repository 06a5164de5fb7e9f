// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What a plot is written as.
enum PlotFormat: String, CaseIterable, ExpressibleByArgument {
    case svg, html, png

    /// What the ending of a name says; nil for another one.
    init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
        guard fileName.contains("."), let format = Self(rawValue: ending == "htm" ? "html" : ending) else { return nil }
        self = format
    }
}
