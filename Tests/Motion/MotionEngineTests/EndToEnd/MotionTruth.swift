// SPDX-License-Identifier: Apache-2.0

import Testing
import CoreMotion
import DeviceCore
import SimulatedDevice

/// A recording of a board with an optical reference, parsed independently of the package.
struct MotionTruth {
    /// A row with its attitude: the rotation from the board's axes to east, north and up as a quaternion w, x, y, z.
    struct Row {
        let index: Int
        let attitude: [Double]

        /// The up direction in the board's axes: the third row of the rotation matrix.
        var up: SIMD3<Double> {
            let (w, x, y, z) = (attitude[0], attitude[1], attitude[2], attitude[3])
            return [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]
        }
    }

    struct Malformed: Error {
        let line: String
    }

    /// The interval between rows, in seconds.
    static let interval = 0.0105

    let count: Int
    /// The rows with a reference attitude while the board moves.
    let rows: [Row]

    init(_ name: String) throws {
        let lines = try String(contentsOf: Recordings.url("broad/\(name).csv"), encoding: .utf8)
            .split(separator: "\n").dropFirst()
        count = lines.count
        var rows: [Row] = []
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count > 9 else { continue }
            let numbers = fields.compactMap { Double($0) }
            guard numbers.count == 14 else { throw Malformed(line: String(line)) }
            let length = numbers[9...12].reduce(0) { $0 + $1 * $1 }.squareRoot()
            if numbers[13] > 0 { rows.append(Row(index: index, attitude: numbers[9...12].map { $0 / length })) }
        }
        self.rows = rows
    }
}

/// A callback of a device motion handler.
struct ReceivedMotion {
    /// Nanoseconds since the start of the recording.
    var time: Int64
    var gravity: SIMD3<Double>
    var userAcceleration: SIMD3<Double>
    var rotationRate: SIMD3<Double>
    /// w, x, y, z.
    var attitude: [Double]
    var heading: Double
    var description: String

    init(_ motion: CMDeviceMotion, begin: Double) {
        time = Int64(((motion.timestamp - begin) * 1e9).rounded())
        let (g, u, r, q) = (motion.gravity, motion.userAcceleration, motion.rotationRate, motion.attitude.quaternion)
        gravity = [g.x, g.y, g.z]
        userAcceleration = [u.x, u.y, u.z]
        rotationRate = [r.x, r.y, r.z]
        attitude = [q.w, q.x, q.y, q.z]
        heading = motion.heading
        description = motion.description
    }
}

/// All callbacks of a device motion handler.
@MainActor
struct MotionLog {
    private(set) var motions: [ReceivedMotion] = []
    private(set) var errors: [Int] = []

    /// Plays the whole recording with a handler.
    init(_ device: SimulatedDevice, interval: Double = 0, frame: CMAttitudeReferenceFrame? = nil) {
        final class Storage {
            var motions: [ReceivedMotion] = []
            var errors: [Int] = []
        }
        let storage = Storage()
        device.use {
            let begin = device.device.clock.now.seconds
            let manager = CMMotionManager()
            manager.deviceMotionUpdateInterval = interval
            let handler: CMDeviceMotionHandler = { motion, error in
                if let motion { storage.motions.append(ReceivedMotion(motion, begin: begin)) }
                if let error = error as NSError? { storage.errors.append(error.code) }
            }
            if let frame {
                manager.startDeviceMotionUpdates(using: frame, to: .main, withHandler: handler)
            } else {
                manager.startDeviceMotionUpdates(to: .main, withHandler: handler)
            }
            do { try device.play() } catch { Issue.record(error) }
            manager.stopDeviceMotionUpdates()
        }
        motions = storage.motions
        errors = storage.errors
    }
}

/// Angles in degrees and their root mean square.
enum Angles {
    static func between(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        atan2(a.cross(b).length, (a * b).sum()) * 180 / .pi
    }

    /// Returns the angle of the rotation between two attitudes, given as quaternions w, x, y, z.
    static func between(_ a: [Double], _ b: [Double]) -> Double {
        // The vector part of conj(a)·b, whose length is the sine of half the angle.
        let x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
        let y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
        let z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
        let w = abs(zip(a, b).reduce(0) { $0 + $1.0 * $1.1 })
        return 2 * atan2((x * x + y * y + z * z).squareRoot(), w) * 180 / .pi
    }

    static func rootMeanSquare(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }
}
