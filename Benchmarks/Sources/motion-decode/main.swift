// SPDX-License-Identifier: Apache-2.0

// The counterpart of libiio_decode.c: the cost of decoding a scan and of filtering a sample. Prints nanoseconds as one
// JSON object.

import DeviceCore
import IIOFormat
import SensorFusion
import SystemCalls

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

let scans = 4096
let rounds = 3000
guard let axis = IIODataFormat("be:s16/16>>0"), let stamp = IIODataFormat("le:s64/64>>0") else { exit(1) }
let layout = IIOScanLayout(
    (0..<3).map { (channel: $0, scan: IIOScanElement(index: $0, format: axis)) }
        + [(channel: 3, scan: IIOScanElement(index: 3, format: stamp))])
let axes = ["accel_x", "accel_y", "accel_z"].enumerated().map { index, id in
    IIOAxis(channel: index, channelID: id, scale: 0.00059855, offset: 0, isProcessed: false)
}
guard let decoder = IIOScanDecoder(layout: layout, axes: axes, timestampChannel: 3) else { exit(1) }
var noise: UInt32 = 1
let block = (0..<scans * layout.sampleSize).map { _ -> UInt8 in
    noise = noise &* 1_664_525 &+ 1_013_904_223
    return UInt8(noise >> 24)
}
var values = [SIMD3<Double>](repeating: .zero, count: scans)
var times = [BootTime](repeating: .zero, count: scans)
var sum = 0.0
let start = seconds()
block.withUnsafeBytes { bytes in
    values.withUnsafeMutableBufferPointer { values in
        times.withUnsafeMutableBufferPointer { times in
            for round in 0..<rounds {
                _ = decoder.decode(
                    bytes, stride: layout.sampleSize, count: scans, values: values, times: times, clockOffset: 0)
                sum += values[round % scans].z
            }
        }
    }
}
let decode = (seconds() - start) * 1e9 / Double(scans * rounds)

/// Returns the nanoseconds per call of the body.
@MainActor func measure(_ body: (SIMD3<Double>, Int) -> SIMD3<Double>) -> Double {
    let samples = values
    var total = 0.0
    let start = seconds()
    for round in 0..<rounds / 10 {
        for index in 0..<scans { total += body(samples[index], round &* scans &+ index).z }
    }
    sum += total
    return (seconds() - start) * 1e9 / Double(scans * (rounds / 10))
}

@MainActor func lowPass() -> Double {
    var filter = LowPassFilter(timeConstant: 0.2)
    return measure { sample, _ in filter.update(sample, interval: 0.01) }
}

@MainActor func gravitySeparator() -> Double {
    var separator = GravitySeparator()
    return measure { sample, _ in separator.update(sample, interval: 0.01).gravity }
}

@MainActor func orientation() -> Double {
    var detector = OrientationDetector()
    return measure { sample, index in
        _ = detector.update(acceleration: sample, timestamp: Double(index) * 0.01)
        return sample
    }
}

print(
    "{\"client\":\"IIOFormat\",\"decode_ns\":\(decode),\"low_pass_ns\":\(lowPass()),\"gravity_separator_ns\":\(gravitySeparator()),"
        + "\"orientation_ns\":\(orientation()),\"sum\":\(sum)}")
