// SPDX-License-Identifier: Apache-2.0

// Measures the motion sensor readings per second that a trace in memory delivers to a cursor and through the hub to a
// subscriber, and that a recorder writes.

import DeviceCore
import SimulatedDevice
import SystemCalls
import Trace

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

final class Counter: @unchecked Sendable {
    var count = 0
    var sum = SIMD3<Double>.zero

    func add(_ event: MotionEvent) {
        guard case .samples(let batch) = event else { return }
        count += batch.count
        for value in batch.values { sum += value }
    }
}

/// Returns the median of several runs, in readings per second.
func rate(_ count: Int, runs: Int, _ body: () throws -> Void) rethrows -> Int {
    var rates: [Double] = []
    for _ in 0..<runs {
        let start = seconds()
        try body()
        rates.append(Double(count) / (seconds() - start))
    }
    rates.sort()
    return Int(rates[runs / 2])
}

// motion-playback [READINGS [RUNS]]
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = max(1, arguments.first ?? 500_000)
let runs = max(1, arguments.dropFirst().first ?? 7)

/// A trace at 100 Hz, with `batch` readings that arrive together.
func trace(batch: Int, sensor: String) throws -> TraceFile {
    let name = sensor == "accelerometer" ? "" : ",\"sensor\":\"\(sensor)\""
    var text =
        "{\"format\":\"device-services-trace\",\"version\":1,\"start\":{\"utc\":\"2026-05-01T10:00:00Z\",\"boot\":100},\"sensors\":[{\"id\":\"\(sensor)\","
    text += "\"kind\":\"accelerometer\",\"mountMatrix\":\"0, 1, 0; 1, 0, 0; 0, 0, -1\"}]}\n"
    text.reserveCapacity(count * 120)
    func time(_ index: Int) -> String {
        let fraction = String(index % 100 * 10_000_000 + 1_234_567)
        return "\(index / 100)." + String(repeating: "0", count: 9 - fraction.count) + fraction
    }
    for index in 0..<count {
        let arrival = (index / batch + 1) * batch
        let noise = Double((index &* 2_654_435_761) & 0xffff)
        text +=
            "{\"t\":\(time(arrival)),\"accelerometer\":[\(noise / 10_000),\(-noise / 7000),\(9.80665 + noise * 1e-7)]"
        text += "\(name),\"stamp\":\(time(index))}\n"
    }
    return try TraceFile(bytes: Array(text.utf8), name: "memory")
}

for (batch, sensor) in [(1, "accelerometer"), (8, "accelerometer"), (8, "local:/iio:device0/accel")] {
    let file = try trace(batch: batch, sensor: sensor)
    let read = rate(count, runs: runs) {
        var sum = SIMD3<Double>.zero
        var found = 0
        var cursor = TraceCursor(file)
        file.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                guard let sample = record.sample else { continue }
                found += 1
                sum += sample.value
            }
        }
        precondition(found == count && sum.x > 0 && cursor.warningCount == 0)
    }
    let unheard = try rate(count, runs: runs) {
        try SimulatedDevice(file).play()
    }
    let played = try rate(count, runs: runs) {
        let counter = Counter()
        let device = SimulatedDevice(file)
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .accelerometer)) { counter.add($0) }
        try device.play()
        subscription.cancel()
        precondition(counter.count == count)
    }
    let recorded = try rate(count, runs: runs) {
        let device = SimulatedDevice(file)
        let writer = try TraceWriter(path: "/dev/null", overwrite: true, clock: device.device.clock)
        let recorder = TraceRecorder(device: device.device, writer: writer, motionInterval: .zero)
        try recorder.start()
        try device.play()
        try recorder.stop()
        precondition(recorder.recordedSamples == count)
    }
    print(
        "{\"readings\":\(count),\"batch\":\(batch),\"sensor\":\"\(sensor)\",\"bytes_per_reading\":\(file.bytes.count / count),\"cursor_per_s\":\(read),\"unheard_per_s\":\(unheard),\"subscriber_per_s\":\(played),\"recorded_per_s\":\(recorded)}"
    )
}
