// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import SensorFusion
import SystemCalls

/// Finds how the accelerometer's chip sits in the device, on three sides whose names the user is told.
struct MountTask: CalibrationTask {
    private static let poses: [DevicePose] = [.faceUp, .topEdgeUp, .rightEdgeUp]

    let topic = CalibrationTopic.mount
    let tellsProgress = false
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private var finder: MountMatrixFinder
    private var average = StillAverage(limit: 0.5, duration: 1)
    private var known: [SIMD3<Double>] = []
    private var doneSince: Double?
    /// Why a first attempt came to nothing.
    private var problem: String?

    /// - Parameter keepsExact: true to keep a mount as it was measured where it is close to right angles.
    init(keepsExact: Bool = false) { finder = keepsExact ? MountMatrixFinder(rightAngleLimit: 0) : MountMatrixFinder() }

    private var pose: DevicePose? { known.count < Self.poses.count ? Self.poses[known.count] : nil }

    var instruction: String {
        guard let pose else { return "That was the last side." }
        return "\(known.count + 1) of 3: \(pose.hint)."
    }

    var progress: Double {
        outcome == nil ? (Double(known.count) + min(average.progress, 0.99)) / Double(Self.poses.count) : 1
    }

    var status: String {
        String(format: "%d of 3 sides   still for %.1f of 1 s", known.count, average.progress * average.duration)
    }

    mutating func take(_ sample: CalibrationSample) {
        guard outcome == nil, sample.kind == .accelerometer else { return }
        if !average.update(sample.value, timestamp: sample.seconds) {
            hint = nil
            doneSince = nil
        }
        guard average.isComplete, let pose else { return }
        let mean = average.mean
        // The side that has just been measured, or one before: the user has not moved on yet.
        let isKnown = known.contains { former in
            let lengths = (former * former).sum() * (mean * mean).sum()
            return (former * mean).sum() > 0.7 * lengths.squareRoot()
        }
        guard !isKnown else {
            let since = doneSince ?? sample.seconds
            doneSince = since
            if sample.seconds - since > 2 { hint = "That side has been measured: turn it on to the next." }
            return
        }
        hint = nil
        guard finder.add(mean, pose: pose) else { return }
        known.append(mean)
        if self.pose == nil { conclude() }
    }

    private mutating func conclude() {
        if let estimate = finder.estimate {
            let degrees = 180 / Double.pi
            outcome = .mount(
                matrix: estimate.isRightAngled ? MountMatrix(estimate) : MountMatrix(estimate).withFourDecimals,
                deviation: estimate.isRightAngled ? estimate.angleFromRightAngles * degrees : 0,
                isRounded: estimate.isRightAngled)
            return
        }
        let reason =
            switch finder.problem {
            case .mirrored: "The sides mirror each other: left and right, or up and down, were taken for each other."
            default: "The sides contradict each other: one of them was another."
            }
        problem = reason
        hint = "\(reason) Once more from the beginning."
        finder.reset()
        known = []
    }

    var shortfall: String { problem ?? "The device lay still on \(known.count) of 3 sides only." }
}

extension MountMatrix {
    fileprivate init(_ estimate: MountEstimate) {
        self.init(estimate.matrix.row0, estimate.matrix.row1, estimate.matrix.row2)
    }

    /// More than hands can do.
    fileprivate var withFourDecimals: MountMatrix {
        func rounded(_ row: SIMD3<Double>) -> SIMD3<Double> {
            // Adding zero makes zeros positive.
            (row * 10_000).rounded(.toNearestOrEven) / 10_000 + SIMD3(repeating: 0)
        }
        return MountMatrix(rounded(rows.0), rounded(rows.1), rounded(rows.2))
    }
}

/// A mount matrix as the files take it that can hold one.
enum MountText {
    /// The configuration file of this package.
    static func configuration(_ matrix: MountMatrix, sensor: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("motion") { writer in
                writer.objects("sensors", [matrix]) { ["sensor": sensor, "mountMatrix": $0.text] }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// systemd's database of hardware, whose matrices yield a negative x and y on the axis that points up.
    static func hardwareDatabase(_ matrix: MountMatrix, sensor: SensorDescription?) -> [String] {
        ["sensor:modalias:\(sensor.flatMap(modalias) ?? "*"):dmi:*", " ACCEL_MOUNT_MATRIX=\(systemd(matrix).text)"]
    }

    /// The same rotation as the database's convention writes it.
    static func systemd(_ matrix: MountMatrix) -> MountMatrix {
        let (first, second, third) = matrix.rows
        // Not -first: that makes zeros negative.
        return MountMatrix(SIMD3(repeating: 0) - first, SIMD3(repeating: 0) - second, third)
    }

    /// What the kernel calls the chip of a sensor of this machine; nil for others.
    private static func modalias(_ sensor: SensorDescription) -> String? {
        guard sensor.source == "local:",
            let name = sensor.id.split(separator: "/").first(where: { $0.hasPrefix("iio:device") })
        else { return nil }
        guard let path = realpath("/sys/bus/iio/devices/\(name)", nil) else { return nil }
        defer { free(path) }
        guard let bytes = try? FileBytes.read(String(cString: path) + "/../modalias", limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        // Signs that the database takes for patterns would match something else.
        return text.isEmpty || text.contains(where: { "*?[]\\".contains($0) }) ? nil : text
    }
}
