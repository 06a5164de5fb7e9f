// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The settings of an ``OrientationDetector``.
///
/// Apple does not publish its thresholds, so the defaults are derived from observed behaviour and from other systems.
/// Angles are in degrees, times in seconds and accelerations in g. If ``flatLeaveAngle`` is smaller than
/// ``flatEnterAngle``, ``flatEnterAngle`` is used for both. If a setting is NaN, the change that it controls never
/// occurs.
package struct OrientationSettings: Sendable, Equatable {
    /// The time constant of the low-pass filter that estimates the direction of gravity. Android uses 0.1 s in older
    /// releases and 0.2 s in newer ones. The default is 0.1 s, so that the total delay after a quick rotation is below
    /// half a second.
    package var smoothingTime: Double = 0.1
    /// The tilt from horizontal below which the orientation becomes face up or face down.
    package var flatEnterAngle: Double = 30
    /// The tilt from horizontal above which the orientation is no longer face up or face down.
    package var flatLeaveAngle: Double = 40
    /// The angle, in degrees, by which the device must rotate past the diagonal between two edges before the
    /// orientation changes. By default, the orientation changes after a rotation of 60 degrees: 45 degrees to the
    /// diagonal, plus this angle.
    package var edgeHysteresis: Double = 15
    /// The time that a new orientation must last before it is reported.
    package var holdTime: Double = 0.2
    /// If the acceleration differs from 1 g by more than this value, its direction is not used. Android uses 0.41 g.
    package var strongAcceleration: Double = 0.4
    /// The time that must pass without strong acceleration before a new orientation can begin. Android has the same
    /// rule.
    package var settleTime: Double = 0.5
    /// The maximum interval between two samples. After a longer one, the earlier samples are discarded. If a stream is
    /// slow but regular, an interval may be up to three times the previous one, but not longer than 3 s.
    package var maximumGap: Double = 0.25

    package init() {}
}

/// Maps the direction of gravity to an orientation, with hysteresis.
struct OrientationBands: Sendable, Equatable {
    private let flatEnterCosine: Double
    private let flatLeaveCosine: Double
    private let edgeCosine: Double

    init(_ settings: OrientationSettings) {
        flatEnterCosine = cos(settings.flatEnterAngle * .pi / 180)
        flatLeaveCosine = min(flatEnterCosine, cos(settings.flatLeaveAngle * .pi / 180))
        edgeCosine = cos((45 + max(0, settings.edgeHysteresis)) * .pi / 180)
    }

    /// Returns the orientation for a unit vector along gravity, in Apple's axes and sign, without hysteresis.
    func orientation(of direction: SIMD3<Double>) -> DeviceOrientation {
        if -direction.z >= flatEnterCosine { return .faceUp }
        if direction.z >= flatEnterCosine { return .faceDown }
        return if abs(direction.x) > abs(direction.y) {
            direction.x < 0 ? .landscapeLeft : .landscapeRight
        } else {
            direction.y < 0 ? .portrait : .portraitUpsideDown
        }
    }

    func keeps(_ orientation: DeviceOrientation, at direction: SIMD3<Double>) -> Bool {
        switch orientation {
        case .unknown: false
        case .faceUp: -direction.z >= flatLeaveCosine
        case .faceDown: direction.z >= flatLeaveCosine
        case .portrait: keepsEdge(-direction.y, at: direction)
        case .portraitUpsideDown: keepsEdge(direction.y, at: direction)
        case .landscapeLeft: keepsEdge(-direction.x, at: direction)
        case .landscapeRight: keepsEdge(direction.x, at: direction)
        }
    }

    /// Returns true if the device keeps its upright orientation, because the upper edge still points roughly up.
    ///
    /// - Parameter share: The component of gravity that points away from the edge, positive if the edge is up.
    private func keepsEdge(_ share: Double, at direction: SIMD3<Double>) -> Bool {
        guard abs(direction.z) < flatEnterCosine else { return false }
        // Compares the directions of the edge and of gravity, both projected onto the plane of the screen.
        let inPlane = (direction.x * direction.x + direction.y * direction.y).squareRoot()
        return share >= edgeCosine * inPlane
    }
}
