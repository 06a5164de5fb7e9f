// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A place in a file that somebody should look at.
struct FilePlace {
    var name: String
    var line: Int
    /// Counted from 1; nil for the whole line.
    var column: Int?
    /// What the header calls the column; empty when there is none.
    var columnName = ""

    /// The error of something wrong at this place.
    func error(_ what: String) -> DeviceError {
        var text = "\(name), line \(line)"
        if let column { text += ", column \(column)" }
        if !columnName.isEmpty { text += " (\(columnName.prefix(60)))" }
        return DeviceError(.invalidTrace, "\(text): \(what)")
    }
}
