// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import SensorFusion
import SystemCalls

/// Determines the accelerometer's mount matrix from three poses of the device.
struct MountTask: CalibrationTask {
    private static let poses: [DevicePose] = [.faceUp, .topEdgeUp, .rightEdgeUp]

    let topic = CalibrationTopic.mount
    let reportsProgress = false
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private var finder: MountMatrixFinder
    private var average = StillAverage(limit: 0.5, duration: 1)
    private var measurements: [SIMD3<Double>] = []
    private var doneSince: Double?
    /// The reason the previous attempt failed.
    private var problem: String?

    /// - Parameter keepsExact: If true, the measured rotation is kept even if it is close to a right-angle rotation.
    init(keepsExact: Bool = false) { finder = keepsExact ? MountMatrixFinder(rightAngleLimit: 0) : MountMatrixFinder() }

    private var pose: DevicePose? { measurements.count < Self.poses.count ? Self.poses[measurements.count] : nil }

    var instruction: String {
        guard let pose else { return "All sides have been measured." }
        return "\(measurements.count + 1) of 3: \(pose.hint)."
    }

    var progress: Double {
        outcome == nil ? (Double(measurements.count) + min(average.progress, 0.99)) / Double(Self.poses.count) : 1
    }

    var status: String {
        String(format: "%d of 3 sides   still for %.1f of 1 s", measurements.count, average.progress * average.duration)
    }

    mutating func process(_ sample: CalibrationSample) {
        guard outcome == nil, sample.kind == .accelerometer else { return }
        if !average.update(sample.value, timestamp: sample.seconds) {
            hint = nil
            doneSince = nil
        }
        guard average.isComplete, let pose else { return }
        let mean = average.mean
        // If the reading is within 45° of a measured pose, the user has not turned the device yet.
        let isMeasured = measurements.contains { previous in
            let lengths = (previous * previous).sum() * (mean * mean).sum()
            return (previous * mean).sum() > 0.7 * lengths.squareRoot()
        }
        guard !isMeasured else {
            let since = doneSince ?? sample.seconds
            doneSince = since
            if sample.seconds - since > 2 { hint = Self.turnHint }
            return
        }
        hint = nil
        guard finder.add(mean, pose: pose) else { return }
        measurements.append(mean)
        if self.pose == nil { finishMeasurement() }
    }

    private mutating func finishMeasurement() {
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
            case .mirrored: "The measurements are mirrored: left and right, or up and down, were confused."
            default: "The measurements contradict each other: a side other than the requested one was measured."
            }
        problem = reason
        hint = "\(reason) Start again with the first side."
        finder.reset()
        measurements = []
    }

    var failureReason: String { problem ?? "The device lay still on only \(measurements.count) of 3 sides." }
}

extension MountMatrix {
    fileprivate init(_ estimate: MountEstimate) {
        self.init(estimate.matrix.row0, estimate.matrix.row1, estimate.matrix.row2)
    }

    /// The matrix, rounded to four decimals. More would be meaningless, because the device is placed by hand.
    fileprivate var withFourDecimals: MountMatrix {
        func rounded(_ row: SIMD3<Double>) -> SIMD3<Double> {
            // Adding zero converts -0 to 0.
            (row * 10_000).rounded(.toNearestOrEven) / 10_000 + SIMD3(repeating: 0)
        }
        return MountMatrix(rounded(rows.0), rounded(rows.1), rounded(rows.2))
    }
}

/// Formats mount matrices for configuration files and for hwdb (systemd's hardware database).
enum MountText {
    static func configuration(_ matrix: MountMatrix, sensor: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("motion") { writer in
                writer.objects("sensors", [matrix]) { ["sensor": sensor, "mountMatrix": $0.text] }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns an hwdb entry with the matrix. In hwdb's sign convention, an x or y axis that points up has a negative
    /// reading.
    static func hardwareDatabase(_ matrix: MountMatrix, sensor: SensorDescription?) -> [String] {
        ["sensor:modalias:\(sensor.flatMap(modalias) ?? "*"):dmi:*", " ACCEL_MOUNT_MATRIX=\(systemd(matrix).text)"]
    }

    static func systemd(_ matrix: MountMatrix) -> MountMatrix {
        let (first, second, third) = matrix.rows
        // The expression `-first` would produce negative zeros.
        return MountMatrix(SIMD3(repeating: 0) - first, SIMD3(repeating: 0) - second, third)
    }

    /// Returns the kernel's modalias for the sensor, or nil if it is unavailable, as for a remote sensor, or contains
    /// characters that hwdb treats as wildcards.
    private static func modalias(_ sensor: SensorDescription) -> String? {
        guard sensor.source == "local:",
            let name = sensor.id.split(separator: "/").first(where: { $0.hasPrefix("iio:device") })
        else { return nil }
        guard let path = realpath("/sys/bus/iio/devices/\(name)", nil) else { return nil }
        defer { free(path) }
        guard let bytes = try? FileIO.read(String(cString: path) + "/../modalias", limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        return text.isEmpty || text.contains(where: { "*?[]\\".contains($0) }) ? nil : text
    }
}
