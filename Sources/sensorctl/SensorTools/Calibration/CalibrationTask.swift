// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// One calibration: takes readings and says what the user is to do, until it has its outcome. A value without any
/// input or output, so that it can be tested and run on recordings.
package protocol CalibrationTask: Sendable {
    var topic: CalibrationTopic { get }

    /// What to do now, in a sentence.
    var instruction: String { get }

    /// What keeps it from going on; nil when all is well.
    var hint: String? { get }

    /// From 0 to 1.
    var progress: Double { get }

    /// How far it has come, in words and numbers.
    var status: String { get }

    /// False where instructions say enough of how far it has come.
    var tellsProgress: Bool { get }

    /// What came of it; nil as long as it goes on.
    var outcome: CalibrationOutcome? { get }

    mutating func take(_ sample: CalibrationSample)

    /// Why there is nothing yet, in a sentence.
    var shortfall: String { get }

    /// No more readings come: the best that can be made of those there were, or why there is nothing.
    mutating func finish() -> Result<CalibrationOutcome, CalibrationShortfall>

    /// The directions that were seen, to be drawn; nil where there is nothing to be seen.
    var map: SphereMap? { get }
}

extension CalibrationTask {
    package var tellsProgress: Bool { true }

    package mutating func finish() -> Result<CalibrationOutcome, CalibrationShortfall> {
        outcome.map { .success($0) } ?? .failure(CalibrationShortfall(reason: shortfall))
    }

    package var map: SphereMap? { nil }
}

/// Why a calibration has come to nothing, in a sentence.
package struct CalibrationShortfall: Error, Equatable {
    package let reason: String
}

/// A reading on its way to a calibration.
package struct CalibrationSample: Sendable {
    var kind: SensorKind
    /// m/s², rad/s or gauss.
    var value: SIMD3<Double>
    /// Seconds on the device's clock.
    var seconds: Double
}

/// A map of directions, whose cells have the same area each: those that were seen, and those that were not.
package struct SphereMap: Sendable {
    package static let rows = 8
    static let columns = 16

    private var cells = [Bool](repeating: false, count: rows * columns)

    /// The directions of the readings from the center.
    init(_ readings: some Sequence<SIMD3<Double>>, center: SIMD3<Double>) {
        for reading in readings {
            let v = reading - center
            let length = (v * v).sum().squareRoot()
            guard length > 0, length.isFinite else { continue }
            // Slices of the same height have the same area on a sphere (Archimedes).
            let row = min(Int((1 - v.z / length) / 2 * Double(Self.rows)), Self.rows - 1)
            let turn = (atan2(v.y, v.x) / (2 * .pi) + 1).truncatingRemainder(dividingBy: 1)
            let column = min(Int(turn * Double(Self.columns)), Self.columns - 1)
            cells[max(row, 0) * Self.columns + max(column, 0)] = true
        }
    }

    /// The part of all cells that was seen.
    var share: Double { Double(cells.count { $0 }) / Double(cells.count) }

    /// True where a direction was seen: in the row, whose first one is the top of the sphere, at a share of the width.
    package func isSeen(row: Int, at share: Double) -> Bool {
        let column = Int(share * Double(Self.columns))
        let cell = row * Self.columns + column
        return (0..<Self.columns).contains(column) && cells.indices.contains(cell) && cells[cell]
    }
}
