// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// A calibration procedure that processes readings and instructs the user until it has an outcome. It performs no I/O,
/// so it can be tested and can process recordings.
package protocol CalibrationTask: Sendable {
    var topic: CalibrationTopic { get }

    /// The current instruction for the user, as a sentence.
    var instruction: String { get }

    /// A sentence that explains why there is no progress, or nil if there is progress.
    var hint: String? { get }

    /// The completed fraction, 0...1.
    var progress: Double { get }

    var status: String { get }

    /// True if progress must be displayed separately, or false if the instructions already include it.
    var reportsProgress: Bool { get }

    var outcome: CalibrationOutcome? { get }

    mutating func process(_ sample: CalibrationSample)

    /// A sentence that explains why there is no result yet.
    var failureReason: String { get }

    /// Ends the calibration. Returns the best result that the readings allow, or the reason for the failure.
    mutating func finish() -> Result<CalibrationOutcome, CalibrationFailure>

    /// A map of the directions measured so far, or nil if the task does not provide one.
    var map: SphereMap? { get }
}

extension CalibrationTask {
    package var reportsProgress: Bool { true }

    package mutating func finish() -> Result<CalibrationOutcome, CalibrationFailure> {
        outcome.map { .success($0) } ?? .failure(CalibrationFailure(reason: failureReason))
    }

    package var map: SphereMap? { nil }

    static var turnHint: String { "This side has already been measured. Turn the device to the next side." }
}

/// A sentence that explains why a calibration has no result.
package struct CalibrationFailure: Error, Equatable { package let reason: String }

package struct CalibrationSample: Sendable {
    var kind: SensorKind
    /// The reading, in m/s², rad/s or gauss.
    var value: SIMD3<Double>
    /// The time on the device's clock, in seconds.
    var seconds: Double
}

/// A map of the measured directions on a sphere. All cells have the same area.
package struct SphereMap: Sendable {
    package static let rows = 8
    static let columns = 16

    private var cells = [Bool](repeating: false, count: rows * columns)

    /// Creates a map from the readings' directions relative to `center`.
    init(_ readings: some Sequence<SIMD3<Double>>, center: SIMD3<Double>) {
        for reading in readings {
            let v = reading - center
            let length = (v * v).sum().squareRoot()
            guard length > 0, length.isFinite else { continue }
            // Slices of a sphere with equal heights have equal areas (Archimedes).
            let row = min(Int((1 - v.z / length) / 2 * Double(Self.rows)), Self.rows - 1)
            let azimuth = (atan2(v.y, v.x) / (2 * .pi) + 1).truncatingRemainder(dividingBy: 1)
            let column = min(Int(azimuth * Double(Self.columns)), Self.columns - 1)
            cells[max(row, 0) * Self.columns + max(column, 0)] = true
        }
    }

    /// Returns true if the map's cell at this position contains a measured direction. Row 0 is at the top. `share` is
    /// the horizontal position in the map, as a fraction of the map's width.
    package func isCovered(row: Int, at share: Double) -> Bool {
        let column = Int(share * Double(Self.columns))
        let cell = row * Self.columns + column
        return (0..<Self.columns).contains(column) && cells.indices.contains(cell) && cells[cell]
    }
}
