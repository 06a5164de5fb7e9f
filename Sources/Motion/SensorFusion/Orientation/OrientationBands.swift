// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Which orientation a direction of gravity belongs to, with room for hysteresis.
struct OrientationBands: Sendable, Equatable {
    private let flatEnterCosine: Double
    private let flatLeaveCosine: Double
    private let edgeCosine: Double

    init(_ settings: OrientationSettings) {
        flatEnterCosine = cos(settings.flatEnterAngle * .pi / 180)
        flatLeaveCosine = min(flatEnterCosine, cos(settings.flatLeaveAngle * .pi / 180))
        edgeCosine = cos((45 + max(0, settings.edgeHysteresis)) * .pi / 180)
    }

    /// The orientation of a direction, without regard to what was before.
    ///
    /// - Parameter direction: A unit vector along gravity, in Apple's axes and sign.
    func orientation(of direction: SIMD3<Double>) -> DeviceOrientation {
        if -direction.z >= flatEnterCosine { return .faceUp }
        if direction.z >= flatEnterCosine { return .faceDown }
        return if abs(direction.x) > abs(direction.y) {
            direction.x < 0 ? .landscapeLeft : .landscapeRight
        } else {
            direction.y < 0 ? .portrait : .portraitUpsideDown
        }
    }

    /// True when a device that is in an orientation still is.
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

    /// - Parameter share: The component of gravity away from the edge that is up.
    private func keepsEdge(_ share: Double, at direction: SIMD3<Double>) -> Bool {
        guard abs(direction.z) < flatEnterCosine else { return false }
        // The angle between the edge and gravity, both seen in the plane of the screen.
        let inPlane = (direction.x * direction.x + direction.y * direction.y).squareRoot()
        return share >= edgeCosine * inPlane
    }
}
