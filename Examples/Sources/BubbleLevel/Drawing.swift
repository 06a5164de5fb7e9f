// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Level.State {
    /// The level as text with a fixed number of lines. A column is 0.5° and a line is 1°. The bubble stops at the edge.
    package var drawing: String {
        let (width, height) = (21, 9)
        var lines = [[Character]](repeating: Array(repeating: " ", count: width), count: height)
        for column in 0..<width { (lines[0][column], lines[height - 1][column]) = ("-", "-") }
        for line in 1..<height - 1 { (lines[line][0], lines[line][width - 1]) = ("|", "|") }
        lines[height / 2][width / 2] = "+"
        if case .lying(let tilt, let face, _) = self {
            // The bubble rises. If the board lies face down, its right edge is on the left when seen from above.
            let right = face == .up ? tilt.right : -tilt.right
            let column = Int((right * 2).rounded().clamped(to: 9)) + width / 2
            lines[height / 2 - Int(tilt.top.rounded().clamped(to: 3))][column] = "o"
        }
        return (lines.map { String($0) } + [text]).joined(separator: "\n")
    }

    /// The state as one line.
    package var text: String {
        switch self {
        case .standing: return "lay the board on its back or on its face"
        case .calibrating: return "calibrating: leave it alone"
        case .lying(let tilt, let face, let isCalibrated):
            let size = (tilt.right * tilt.right + tilt.top * tilt.top).squareRoot()
            let words = [
                size < 0.3 ? "level" : nil, face == .down ? "face down" : nil, isCalibrated ? nil : "not calibrated",
            ]
            return String(format: "right %+.1f top %+.1f", tilt.right, tilt.top)
                + words.compactMap { $0.map { ", " + $0 } }.joined()
        }
    }
}

extension Double {
    fileprivate func clamped(to limit: Double) -> Double { max(-limit, min(limit, self)) }
}

extension SIMD3<Double> {
    var length: Double { (self * self).sum().squareRoot() }
}

/// Returns the angle that has the given sine, in degrees.
func degrees(_ sine: Double) -> Double { asin(max(-1, min(1, sine))) * 180 / .pi }
