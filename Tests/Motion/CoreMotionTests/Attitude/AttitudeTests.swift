// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CoreMotion

@Suite("CMAttitude")
struct AttitudeTests {
    private static let half = 0.5.squareRoot()

    /// A pose with a rotation matrix written down by hand. The rows of the matrix are the axes of the device in the
    /// reference frame: v(device) = M·v(reference).
    struct Pose: Sendable, CustomTestStringConvertible {
        var name: String
        var quaternion: [Double]
        var angles: [Double]
        var matrix: [Double]
        var testDescription: String { name }
    }

    static let poses = [
        Pose(
            name: "flat, face up", quaternion: [0, 0, 0, 1], angles: [0, 0, 0],
            matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]),
        // The top edge is raised by 90 degrees: y points up, and z points in the former direction of -y.
        Pose(
            name: "upright", quaternion: [half, 0, 0, half], angles: [0, .pi / 2, 0],
            matrix: [1, 0, 0, 0, 0, 1, 0, -1, 0]),
        // A right-handed rotation about y by 90 degrees: x points down, and z points in the former direction of x.
        Pose(
            name: "on its right edge", quaternion: [0, half, 0, half], angles: [.pi / 2, 0, 0],
            matrix: [0, 0, -1, 0, 1, 0, 1, 0, 0]),
        // A counterclockwise rotation by 90 degrees: x points in the former direction of y.
        Pose(
            name: "turned to the left", quaternion: [0, 0, half, half], angles: [0, 0, .pi / 2],
            matrix: [0, 1, 0, -1, 0, 0, 0, 0, 1]),
        Pose(
            name: "face down, over the right edge", quaternion: [0, 1, 0, 0], angles: [.pi, 0, 0],
            matrix: [-1, 0, 0, 0, 1, 0, 0, 0, -1]),
        Pose(
            name: "upside down", quaternion: [-half, 0, 0, half], angles: [0, -.pi / 2, 0],
            matrix: [1, 0, 0, 0, 0, -1, 0, 1, 0]),
    ]

    private func attitude(_ q: [Double]) -> CMAttitude {
        CMAttitude(deviceToReference: CMQuaternion(x: q[0], y: q[1], z: q[2], w: q[3]))
    }

    private func elements(_ m: CMRotationMatrix) -> [Double] {
        [m.m11, m.m12, m.m13, m.m21, m.m22, m.m23, m.m31, m.m32, m.m33]
    }

    private func isNear(_ a: [Double], _ b: [Double], _ tolerance: Double = 1e-12) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test("The rotation matrix and the angles of a pose match the values computed by hand", arguments: poses)
    func pose(_ pose: Pose) {
        let attitude = attitude(pose.quaternion)
        #expect(isNear(elements(attitude.rotationMatrix), pose.matrix))
        #expect(
            isNear(
                [abs(attitude.roll), attitude.pitch, attitude.yaw],
                pose.angles.enumerated().map { index, angle in
                    // A roll of +180 degrees equals a roll of -180 degrees.
                    index == 0 ? abs(angle) : angle
                }))
    }

    /// q = qz(yaw)·qx(pitch)·qy(roll), multiplied out by hand.
    private func quaternion(roll: Double, pitch: Double, yaw: Double) -> [Double] {
        let (cr, sr) = (cos(roll / 2), sin(roll / 2))
        let (cp, sp) = (cos(pitch / 2), sin(pitch / 2))
        let (cy, sy) = (cos(yaw / 2), sin(yaw / 2))
        // qx·qy = (sp·cr, cp·sr, sp·sr, cp·cr), multiplied by qz from the left.
        let (x, y, z, w) = (sp * cr, cp * sr, sp * sr, cp * cr)
        return [cy * x - sy * y, cy * y + sy * x, cy * z + sy * w, cy * w - sy * z]
    }

    @Test(
        "Attitudes recorded by Core Motion yield the recorded angles and gravity",
        arguments: RecordedAttitudes.rows)
    func recorded(row: [Double]) {
        let (roll, pitch, yaw) = (row[0] * 1e-4, row[1] * 1e-4, row[2] * 1e-4)
        let attitude = attitude(quaternion(roll: roll, pitch: pitch, yaw: yaw))
        #expect(isNear([attitude.roll, attitude.pitch, attitude.yaw], [roll, pitch, yaw], 1e-9))
        let m = attitude.rotationMatrix
        // Angles and gravity are rounded to 1e-4, so each component of gravity may be off by 1.5e-4.
        #expect(isNear([-m.m13, -m.m23, -m.m33], row[3...].map { $0 * 1e-4 }, 2e-4))
    }

    @Test("The angles of an attitude are within their ranges and equal the original angles")
    func ranges() {
        for roll in stride(from: -3.1, through: 3.1, by: 0.31) {
            for pitch in stride(from: -1.57, through: 1.57, by: 0.157) {
                for yaw in stride(from: -3.1, through: 3.1, by: 0.31) {
                    let attitude = attitude(quaternion(roll: roll, pitch: pitch, yaw: yaw))
                    #expect(isNear([attitude.roll, attitude.pitch, attitude.yaw], [roll, pitch, yaw], 1e-9))
                }
            }
        }
    }

    @Test("At a pitch of ±90 degrees, where roll and yaw share an axis, the whole rotation is reported as yaw")
    func upright() {
        let up = attitude(quaternion(roll: 0.3, pitch: .pi / 2, yaw: 0.5))
        #expect(isNear([up.roll, up.pitch, up.yaw], [0, .pi / 2, 0.8], 1e-7))
        let down = attitude(quaternion(roll: 0.3, pitch: -.pi / 2, yaw: 0.5))
        #expect(isNear([down.roll, down.pitch, down.yaw], [0, -.pi / 2, 0.2], 1e-7))
    }

    @Test("An attitude relative to itself is the identity")
    func relativeToItself() {
        let attitude = attitude(quaternion(roll: 0.4, pitch: -0.7, yaw: 2.1))
        attitude.multiply(byInverseOf: attitude)
        #expect(isNear(elements(attitude.rotationMatrix), [1, 0, 0, 0, 1, 0, 0, 0, 1]))
        #expect(isNear([attitude.roll, attitude.pitch, attitude.yaw], [0, 0, 0]))
    }

    @Test("The relative yaw is the difference of the yaws")
    func relativeYaw() {
        let attitude = attitude(quaternion(roll: 0, pitch: 0, yaw: 0.9))
        attitude.multiply(byInverseOf: self.attitude(quaternion(roll: 0, pitch: 0, yaw: 0.4)))
        #expect(isNear([attitude.roll, attitude.pitch, attitude.yaw], [0, 0, 0.5]))
    }

    @Test("The matrix of a relative attitude is the matrix times the inverse of the other matrix")
    func relativeMatrix() {
        // The matrix of the upright pose is (1 0 0 / 0 0 1 / 0 -1 0). The matrix of the pose turned to the left is (0 1
        // 0 / -1 0 0 / 0 0 1), and its inverse is the transpose, (0 -1 0 / 1 0 0 / 0 0 1). The rows of the product are
        // the first, the third and the negated second row of the transpose.
        let upright = attitude([Self.half, 0, 0, Self.half])
        upright.multiply(byInverseOf: attitude([0, 0, Self.half, Self.half]))
        #expect(isNear(elements(upright.rotationMatrix), [0, -1, 0, 0, 0, 1, -1, 0, 0]))
    }

    @Test("A copy is not affected by changes of the original")
    func copy() throws {
        let attitude = attitude(quaternion(roll: 0, pitch: 0, yaw: 1))
        let copy = try #require(attitude.copy() as? CMAttitude)
        attitude.multiply(byInverseOf: attitude)
        #expect(abs(copy.yaw - 1) < 1e-12)
    }

    @Test("A quaternion is normalized; a zero or non-finite quaternion becomes the identity")
    func length() {
        let long = attitude([0, 0, 3, 3])
        #expect(isNear([long.quaternion.z, long.quaternion.w], [Self.half, Self.half]))
        for q in [[0, 0, 0, 0], [.nan, 0, 0, 1], [.infinity, 0, 0, 1]] {
            #expect(attitude(q).quaternion.w == 1)
        }
    }

    @Test("An attitude created by an app is the identity")
    func made() {
        let attitude = CMAttitude()
        #expect([attitude.roll, attitude.pitch, attitude.yaw] == [0, 0, 0])
        #expect(attitude.quaternion.w == 1)
    }

    @Test("A device motion returns the same attitude object each time, and its copy has a separate one")
    func deviceMotion() throws {
        var values = CMDeviceMotion.Values()
        values.attitude = CMQuaternion(x: 0, y: 0, z: Self.half, w: Self.half)
        let motion = CMDeviceMotion(values, measuredAt: 3)
        let copy = try #require(motion.copy() as? CMDeviceMotion)
        motion.attitude.multiply(byInverseOf: motion.attitude)
        #expect(motion.attitude.yaw == 0)
        #expect(isNear([copy.attitude.yaw, copy.timestamp], [.pi / 2, 3]))
    }
}
