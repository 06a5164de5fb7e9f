// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The rotation of the device relative to a reference frame whose z axis points up.
///
/// The rotation from the device's axes to those of the reference is Rz(yaw)·Rx(pitch)·Ry(roll): a device that lies flat
/// with its face up has pitch and roll 0. For use on one thread at a time: `multiply(byInverseOf:)` changes it.
open class CMAttitude: NSObject, NSCopying, NSSecureCoding {
    private var rotation: Rotation

    /// The attitude of a device whose axes are those of the reference. (On Apple's platforms such an object must not be
    /// read.)
    public override init() { rotation = .identity }

    init(deviceToReference quaternion: CMQuaternion) { rotation = Rotation(quaternion) }

    /// Restores an attitude from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        guard coder.holdsNumbers(forKey: Self.key) else {
            rotation = .identity
            return
        }
        guard let numbers = coder.decodeNumbers(4, forKey: Self.key) else { return nil }
        rotation = Rotation(CMQuaternion(x: numbers[0], y: numbers[1], z: numbers[2], w: numbers[3]))
    }

    /// The angle about the y axis in radians, from -π to π.
    ///
    /// Where the device stands upright (pitch ±π/2) roll and yaw turn about the same axis; roll is then 0.
    open var roll: Double { rotation.angles.roll }

    /// The angle about the x axis in radians, from -π/2 to π/2; positive when the top edge is raised.
    open var pitch: Double { rotation.angles.pitch }

    /// The angle about the z axis in radians, from -π to π, positive counterclockwise as seen from above.
    open var yaw: Double { rotation.angles.yaw }

    /// The rotation from the device's axes to those of the reference, of length 1.
    open var quaternion: CMQuaternion { rotation.quaternion }

    /// The rotation from the axes of the reference to the device's: v(device) = M·v(reference).
    ///
    /// So gravity in the device's axes is -(m13, m23, m33). It is the transpose of the matrix of ``quaternion``.
    open var rotationMatrix: CMRotationMatrix { rotation.matrix }

    /// Makes this attitude relative to another: M·M(other)⁻¹. Relative to itself an attitude is the identity.
    open func multiply(byInverseOf attitude: CMAttitude) {
        rotation = Rotation(quaternion).relative(to: Rotation(attitude.quaternion))
    }

    /// An independent copy: `multiply(byInverseOf:)` on this one does not change it.
    open func copy(with zone: NSZone? = nil) -> Any { CMAttitude(deviceToReference: quaternion) }

    /// True: attitudes can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the attitude into a keyed archive.
    open func encode(with coder: NSCoder) {
        let q = quaternion
        coder.encode(numbers: [q.x, q.y, q.z, q.w], forKey: Self.key)
    }

    /// The angles and the quaternion.
    open override var description: String {
        let q = quaternion
        return "<CMAttitude roll \(roll) pitch \(pitch) yaw \(yaw) quaternion x \(q.x) y \(q.y) z \(q.z) w \(q.w)>"
    }

    private static let key = "CMAttitude.quaternion"
}
