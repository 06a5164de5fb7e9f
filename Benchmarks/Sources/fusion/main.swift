// SPDX-License-Identifier: Apache-2.0

// The counterpart of vqf_speed.cpp: the cost of an update of the attitude filter. fusion RECORDING [ROUNDS] prints
// nanoseconds as one JSON object, each the median of the rounds.

import Foundation
import SensorFusion
import SystemCalls

struct Sample {
    let rate: SIMD3<Double>
    let acceleration: SIMD3<Double>
    let field: SIMD3<Double>
}

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

func read(_ path: String) -> [Sample] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap { line in
        let v = line.split(separator: ",").compactMap { Double($0) }
        guard v.count >= 9 else { return nil }
        return Sample(
            rate: SIMD3(v[0], v[1], v[2]) * 1e-4, acceleration: SIMD3(v[3], v[4], v[5]) * 1e-3,
            field: SIMD3(v[6], v[7], v[8]) * 0.1)
    }
}

/// Returns the nanoseconds per update. The second number only prevents the compiler from removing the work.
func round(
    _ samples: [Sample], settings: AttitudeSettings, magnetometer: Bool, reading: Bool, interval: Double?
) -> (Double, Double) {
    var filter = AttitudeFilter(settings: settings, interval: interval)
    var sum = 0.0
    let start = seconds()
    for (index, sample) in samples.enumerated() {
        let time = Double(index) * 0.0105
        filter.updateGyroscope(sample.rate, timestamp: time)
        filter.updateAccelerometer(sample.acceleration, timestamp: time)
        if magnetometer { filter.updateMagnetometer(sample.field, timestamp: time) }
        if reading {
            let attitude = magnetometer ? filter.magneticAttitude : filter.attitude
            sum += attitude?.w ?? 0
        }
    }
    let end = seconds()
    return ((end - start) * 1e9 / Double(samples.count), sum + filter.attitude.w)
}

let arguments = CommandLine.arguments
let samples = read(arguments.count > 1 ? arguments[1] : "")
let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 40
guard !samples.isEmpty, rounds > 0 else { exit(1) }

let kinds: [(name: String, settings: AttitudeSettings, magnetometer: Bool, reading: Bool, interval: Double?)] = [
    ("nine_ns", AttitudeSettings(), true, false, nil),
    ("six_ns", AttitudeSettings(), false, false, nil),
    ("nine_read_ns", AttitudeSettings(), true, true, nil),
    ("six_read_ns", AttitudeSettings(), false, true, nil),
    ("nine_reference_ns", .reference, true, false, 0.0105),
    ("six_reference_ns", .reference, false, false, 0.0105),
]
var times = [[Double]](repeating: [], count: kinds.count)
var sum = 0.0
for _ in 0..<rounds {
    for (index, kind) in kinds.enumerated() {
        let (time, part) = round(
            samples, settings: kind.settings, magnetometer: kind.magnetometer, reading: kind.reading,
            interval: kind.interval)
        times[index].append(time)
        sum += part
    }
}
let fields = zip(kinds, times).map { kind, times in
    "\"\(kind.name)\":\((times.sorted()[rounds / 2] * 10).rounded() / 10)"
}
print("{\(fields.joined(separator: ",")),\"sum\":\(sum)}")
