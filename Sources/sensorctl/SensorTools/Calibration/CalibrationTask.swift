// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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

    /// No more readings come: the best that can be made of those there were, or why there is nothing.
    mutating func finish() -> Result<CalibrationOutcome, CalibrationShortfall>

    /// The directions that were seen, to be drawn; nil where there is nothing to be seen.
    var map: SphereMap? { get }
}

extension CalibrationTask {
    package var tellsProgress: Bool { true }

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
