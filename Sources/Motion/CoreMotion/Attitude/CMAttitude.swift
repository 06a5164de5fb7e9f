// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The rotation of the device relative to a reference frame whose z axis points up.
///
/// The rotation from device axes to reference axes is Rz(yaw)·Rx(pitch)·Ry(roll). Pitch and roll are 0 when the device
/// is lying flat, face up. `multiply(byInverseOf:)` changes the attitude, so use an attitude on only one thread at a
/// time.
open class CMAttitude: NSObject, NSCopying, NSSecureCoding {
    private var rotation: Rotation

    /// Creates the identity attitude. On Apple's platforms, the properties of an attitude created this way must not be
    /// read.
    public override init() { rotation = .identity }

    init(deviceToReference quaternion: CMQuaternion) { rotation = Rotation(quaternion) }

    /// Creates an attitude from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0, 0, 1]) else { return nil }
        rotation = Rotation(CMQuaternion(x: numbers[0], y: numbers[1], z: numbers[2], w: numbers[3]))
    }

    /// The rotation about the y axis in radians, from -π to π. If the device is upright (pitch ±π/2), roll and yaw are
    /// rotations about the same axis, so roll is reported as 0.
    open var roll: Double { rotation.angles.roll }
    /// The rotation about the x axis in radians, from -π/2 to π/2. It is positive if the top edge is raised.
    open var pitch: Double { rotation.angles.pitch }
    /// The rotation about the z axis in radians, from -π to π, counterclockwise as seen from above.
    open var yaw: Double { rotation.angles.yaw }
    /// The rotation from device axes to reference axes, as a unit quaternion.
    open var quaternion: CMQuaternion { rotation.quaternion }
    /// The matrix M that converts a vector from reference axes to device axes: v(device) = M·v(reference). It is the
    /// transpose of the matrix that corresponds to ``quaternion``.
    open var rotationMatrix: CMRotationMatrix { rotation.matrix }

    /// Makes this attitude relative to the given attitude. The rotation matrix M becomes M·M(attitude)⁻¹.
    open func multiply(byInverseOf attitude: CMAttitude) {
        rotation = Rotation(quaternion).relative(to: Rotation(attitude.quaternion))
    }

    /// Returns an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any { CMAttitude(deviceToReference: quaternion) }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the attitude into a keyed archive.
    open func encode(with coder: NSCoder) {
        let q = quaternion
        coder.encode(numbers: [q.x, q.y, q.z, q.w], forKey: Self.archiveKey)
    }

    /// A string that contains the angles and the quaternion.
    open override var description: String {
        let q = quaternion
        return "<CMAttitude roll \(roll) pitch \(pitch) yaw \(yaw) quaternion x \(q.x) y \(q.y) z \(q.z) w \(q.w)>"
    }

    private static let archiveKey = "CMAttitude.quaternion"
}

/// A reference frame for attitudes. In every frame, the z axis points up.
public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
    /// The raw value, with one bit for each frame.
    public var rawValue: UInt

    /// Creates a set of frames from a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The x axis points in an arbitrary horizontal direction. Gyroscope errors make it drift, but magnetic
    /// disturbances do not affect it.
    public static let xArbitraryZVertical = CMAttitudeReferenceFrame(rawValue: 1)
    /// The x axis points in an arbitrary horizontal direction. The magnetometer prevents it from drifting. When updates
    /// start, the direction is the same as in `xArbitraryZVertical`.
    public static let xArbitraryCorrectedZVertical = CMAttitudeReferenceFrame(rawValue: 2)
    /// The x axis points to magnetic north, and the y axis points west. The yaw is 0 if the right edge points north.
    public static let xMagneticNorthZVertical = CMAttitudeReferenceFrame(rawValue: 4)
    /// The x axis points to true north, and the y axis points west. Requires a position to determine the declination.
    public static let xTrueNorthZVertical = CMAttitudeReferenceFrame(rawValue: 8)
}
