// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Where a guided calibration speaks to its user.
protocol CalibrationScreen: AnyObject {
    /// True when pictures are shown, so that progress need not be told in words.
    var showsPictures: Bool { get }

    /// Says something that stays.
    func say(_ line: String)

    /// Shows how far it has come, in place of what was shown before.
    func show(_ rows: [String])
}

/// Lines, one below the other.
final class LineScreen: CalibrationScreen {
    private let write: (String) -> Void
    let showsPictures = false

    init(_ write: @escaping (String) -> Void) {
        self.write = write
    }

    func say(_ line: String) { write(line) }

    func show(_ rows: [String]) {}
}

/// A terminal in which progress is drawn in place.
final class PictureScreen: CalibrationScreen {
    private let output: StandardOutput
    private var painter: RowPainter
    let showsPictures = true

    init(_ output: StandardOutput) {
        self.output = output
        painter = RowPainter(output: output)
    }

    func say(_ line: String) {
        // Over the picture, which is drawn again below it.
        painter.draw([])
        painter.leave()
        output.write(line: line)
    }

    func show(_ rows: [String]) { painter.draw(rows) }
}
