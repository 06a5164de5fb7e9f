// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Draws rows of a terminal over the ones it drew before, without taking the screen.
struct RowPainter {
    /// Seconds between pictures: an eye does not need more, and a terminal at the end of a line may not take more.
    static let pause = 0.05

    private let output: StandardOutput
    private var drawnRows = 0

    init(output: StandardOutput) {
        self.output = output
    }

    /// Draws rows in place of the last ones.
    mutating func draw(_ rows: [String]) {
        var text = drawnRows > 0 ? "\u{1B}[\(drawnRows)A" : ""
        for row in rows { text += "\r\u{1B}[2K\(row)\n" }
        // What is left of a higher picture.
        if drawnRows > rows.count { text += "\u{1B}[J" }
        drawnRows = rows.count
        output.write(Array(text.utf8))
    }

    /// Leaves the rows where they are; the next ones come below.
    mutating func leave() {
        drawnRows = 0
    }
}
