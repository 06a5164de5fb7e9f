// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The mapping from directions of gravity to orientations, with hysteresis.
struct OrientationBands: Sendable, Equatable {
    private let flatEnterCosine: Double
    private let flatLeaveCosine: Double
    private let edgeCosine: Double

    init(_ settings: OrientationSettings) {
        flatEnterCosine = cos(settings.flatEnterAngle * .pi / 180)
        flatLeaveCosine = min(flatEnterCosine, cos(settings.flatLeaveAngle * .pi / 180))
        edgeCosine = cos((45 + max(0, settings.edgeHysteresis)) * .pi / 180)
    }

    /// Returns the orientation for a direction, without hysteresis.
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

    /// Returns whether a device keeps its orientation at a direction of gravity.
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

    /// - Parameter share: The component of gravity that points away from the edge; positive if the edge is up.
    private func keepsEdge(_ share: Double, at direction: SIMD3<Double>) -> Bool {
        guard abs(direction.z) < flatEnterCosine else { return false }
        // The angle between the edge and gravity, both projected onto the plane of the screen.
        let inPlane = (direction.x * direction.x + direction.y * direction.y).squareRoot()
        return share >= edgeCosine * inPlane
    }
}
