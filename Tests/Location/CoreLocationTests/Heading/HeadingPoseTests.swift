// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import Testing

@testable import CoreLocation

@Suite("Headings of poses calculated by hand")
struct HeadingPoseTests {
    /// Returns the heading and flatness of a pose, rounded to millionths, for a device that was lying flat before.
    private func heading(
        _ pose: Pose, _ orientation: CLDeviceOrientation = .portrait
    ) -> (heading: Double, flatness: Double) {
        var axis = HeadingAxis()
        let (heading, flatness) = axis.direction(of: orientation.topEdge, attitude: pose.quaternion)
        return ((heading * 1e6).rounded() / 1e6, (flatness * 1e6).rounded() / 1e6)
    }

    private let half = 0.5.squareRoot()

    /// Axis directions for the four ways to hold a device like a book: the user faces north, and the screen is tilted
    /// by 45 degrees.
    private var readingPoses: [CLDeviceOrientation: Pose] {
        let (up, face) = (SIMD3(0, half, half), SIMD3(0, -half, half))
        return [
            .portrait: Pose(x: [1, 0, 0], y: up, z: face),
            .portraitUpsideDown: Pose(x: [-1, 0, 0], y: -up, z: face),
            // The top edge points left, which is west. The right edge points up.
            .landscapeLeft: Pose(x: up, y: [-1, 0, 0], z: face),
            // The top edge points right, which is east. The left edge points up.
            .landscapeRight: Pose(x: -up, y: [1, 0, 0], z: face),
        ]
    }

    @Test("The quaternion of a pose rotates each axis to its direction")
    func quaternions() {
        for pose in Array(readingPoses.values) + [0, 90, 180, 270].map(Pose.flat(heading:)) {
            let q = pose.quaternion
            let axes: [(SIMD3<Double>, SIMD3<Double>)] = [
                ([1, 0, 0], pose.x), ([0, 1, 0], pose.y), ([0, 0, 1], pose.z),
            ]
            for (axis, image) in axes {
                let difference = q.rotate(axis) - image
                #expect((difference * difference).sum() < 1e-20)
            }
        }
    }

    @Test("On a table, the heading is that of the top edge", arguments: [0.0, 90, 180, 270, 12.5, 359.5])
    func flat(degrees: Double) {
        #expect(heading(.flat(heading: degrees)).heading == degrees)
        #expect(heading(.flat(heading: degrees)).flatness == 1)
    }

    @Test("On a table, the edges follow each other clockwise: top, right, bottom, left")
    func edges() {
        let north = Pose.flat
        #expect(heading(north, .portrait).heading == 0)
        #expect(heading(north, .landscapeLeft).heading == 90)
        #expect(heading(north, .portraitUpsideDown).heading == 180)
        #expect(heading(north, .landscapeRight).heading == 270)
        for orientation in [CLDeviceOrientation.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight] {
            #expect(orientation.rotation == heading(north, orientation).heading)
        }
    }

    @Test("Face down, the heading is also that of the top edge")
    func faceDown() {
        // Turned over about the long side: the top edge still points north, and right becomes left.
        let pose = Pose(x: [-1, 0, 0], y: [0, 1, 0], z: [0, 0, -1])
        #expect(heading(pose).heading == 0)
        #expect(heading(pose.rotated(by: 90)).heading == 90)
    }

    @Test(
        "Held like a book, the heading is the direction in which the user looks",
        arguments: [CLDeviceOrientation.portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight])
    func reading(orientation: CLDeviceOrientation) throws {
        let pose = try #require(readingPoses[orientation])
        for degrees in [0.0, 90, 180, 270, 300] {
            #expect(heading(pose.rotated(by: degrees), orientation).heading == degrees)
        }
        #expect(heading(pose, orientation).flatness == (half * 1e6).rounded() / 1e6)
    }

    @Test("A roll to the side does not change the heading of the top edge")
    func rolled() {
        // 30 degrees about the long side, which points north: x = (cos 30, 0, -sin 30).
        let cosine = 0.75.squareRoot()
        let pose = Pose(x: [cosine, 0, -0.5], y: [0, 1, 0], z: [0.5, 0, cosine])
        #expect(heading(pose).heading == 0)
        #expect(heading(pose.rotated(by: 200)).heading == 200)
    }

    @Test("Upright like a camera, the heading is that of the back")
    func upright() {
        // The top edge points up and the face south, so the back points north.
        let pose = Pose(x: [1, 0, 0], y: [0, 0, 1], z: [0, -1, 0])
        for degrees in [0.0, 90, 180, 270] {
            #expect(heading(pose.rotated(by: degrees)).heading == degrees)
            #expect(heading(pose.rotated(by: degrees)).flatness == 1)
        }
        // The right edge points up, and the back points north.
        let landscape = Pose(x: [0, 0, 1], y: [-1, 0, 0], z: [0, -1, 0])
        #expect(heading(landscape.rotated(by: 90), .landscapeLeft).heading == 90)
        // In portrait orientation, the top edge of the same pose is horizontal and points west.
        #expect(heading(landscape).heading == 270)
    }

    @Test("With the top edge straight down, the heading is that of the face")
    func nose() {
        // When the top edge of a flat device that faces north is lowered, the face turns to the north.
        let pose = Pose(x: [1, 0, 0], y: [0, 0, -1], z: [0, 1, 0])
        #expect(heading(pose).heading == 0)
        #expect(heading(pose.rotated(by: 90)).heading == 90)
    }

    @Test("The heading remains the same while the device is raised to upright and beyond")
    func raising() {
        var axis = HeadingAxis()
        // Above 130 degrees, the edge is almost flat again, but reversed and under the device.
        for elevation in Array(0...129) + (0...258).map({ 129 - $0 }) {
            let angle = Double(elevation) * .pi / 180
            let pose = Pose(
                x: [1, 0, 0], y: [0, cos(angle), sin(angle)], z: [0, -sin(angle), cos(angle)]
            ).rotated(by: 77)
            let (heading, flatness) = axis.direction(attitude: pose.quaternion)
            #expect(abs(heading - 77) < 1e-9, "\(elevation)")
            #expect(flatness >= 0.5 - 1e-9, "\(elevation)")
        }
    }

    @Test("Hysteresis prevents a trembling hand from toggling between edge and back")
    func hysteresis() {
        // With a roll of 20 degrees, edge and back point in different directions.
        func heading(_ elevation: Double, _ axis: inout HeadingAxis) -> Double {
            let (e, r) = (elevation * .pi / 180, 20 * Double.pi / 180)
            let (y, z) = (SIMD3(0, cos(e), sin(e)), SIMD3(0, -sin(e), cos(e)))
            let x = SIMD3<Double>(1, 0, 0)
            let pose = Pose(x: x * cos(r) - z * sin(r), y: y, z: z * cos(r) + x * sin(r))
            return axis.direction(attitude: pose.quaternion).heading
        }
        var axis = HeadingAxis()
        // The edge points north throughout.
        #expect(abs(heading(55, &axis)) < 1e-9)
        #expect(abs(heading(59, &axis)) < 1e-9)
        let back = heading(61, &axis)
        #expect(back > 200 && back < 345, "the back points to the west of north: \(back)")
        #expect(heading(55, &axis) > 200)
        #expect(heading(51, &axis) > 200)
        #expect(abs(heading(49, &axis)) < 1e-9)
        #expect(abs(heading(59, &axis)) < 1e-9)
    }

    @Test("Angles are normalised to 0 ..< 360")
    func wrap() {
        #expect(HeadingAxis.degrees(360) == 0)
        #expect(HeadingAxis.degrees(-90) == 270)
        #expect(HeadingAxis.degrees(725) == 5)
        #expect(HeadingAxis.degrees(-1e-20) == 0)
    }
}
