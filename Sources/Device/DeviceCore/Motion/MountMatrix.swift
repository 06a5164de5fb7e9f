// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Turns readings from a sensor's own axes into those of the device it is mounted in.
///
/// Three rows of three numbers: the device's vector is the matrix times the sensor's. In the device's axes x points to
/// the right, y to the top edge and z out of the screen.
public struct MountMatrix: Sendable, Hashable {
    /// The first, second and third row: each gives one component of the device's vector.
    public var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { (row0, row1, row2) }
        set { (row0, row1, row2) = newValue }
    }

    private var row0: SIMD3<Double>
    private var row1: SIMD3<Double>
    private var row2: SIMD3<Double>

    /// A matrix of those rows; nothing is checked.
    public init(_ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>) {
        self.row0 = row0
        self.row1 = row1
        self.row2 = row2
    }

    /// The sensor's axes are the device's.
    public static let identity = MountMatrix([1, 0, 0], [0, 1, 0], [0, 0, 1])

    /// True when readings stay as they are.
    public var isIdentity: Bool { self == .identity }

    /// The vector in the device's axes.
    @inlinable
    public func apply(to vector: SIMD3<Double>) -> SIMD3<Double> {
        let (first, second, third) = rows
        return SIMD3((first * vector).sum(), (second * vector).sum(), (third * vector).sum())
    }

    /// The determinant: 1 for a rotation, -1 for a rotation with a mirror, near 0 when directions are lost.
    public var determinant: Double {
        row0.x * (row1.y * row2.z - row1.z * row2.y)
            - row0.y * (row1.x * row2.z - row1.z * row2.x)
            + row0.z * (row1.x * row2.y - row1.y * row2.x)
    }

    /// The matrix with the signs of all components turned.
    public var negated: MountMatrix { MountMatrix(-row0, -row1, -row2) }
}
