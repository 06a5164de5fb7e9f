// SPDX-License-Identifier: Apache-2.0

// The counterpart of libiio_client.c: IIOSource alone, whose batches hold the same arrays. Prints its results as one
// JSON object.
//
//   motion-source PORT BUFFER SAMPLES [paced]
//
// CPU is user + system time of the whole process from the first batch on. Latency (only with "paced"): see
// iiod-flood.c.

import DeviceCore
import IIOSource
import Synchronization
import SystemCalls

func cpu() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
}

func monotonic() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Returns a number from /proc/self/status.
func status(_ key: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix(key + ":") { return Int(text.filter { $0.isNumber }) ?? 0 }
    }
    return 0
}

/// The results so far. Only the source's thread accesses them while samples arrive.
final class Tally: @unchecked Sendable {
    let wanted: Int
    let isPaced: Bool
    var count = 0
    var sum = 0.0
    var start: Int64 = 0
    var used = 0.0
    var latencies: [Double] = []
    let scale = 0.00059855

    init(wanted: Int, isPaced: Bool) {
        self.wanted = wanted
        self.isPaced = isPaced
        latencies.reserveCapacity(isPaced ? wanted : 0)
    }

    func take(_ batch: MotionBatch) {
        if start == 0 {
            // The first batch only starts the clock.
            start = monotonic()
            used = cpu()
            return
        }
        sum += batch.values[batch.count - 1].z
        if isPaced {
            let now = monotonic()
            for value in batch.values {
                let parts = (value / scale).rounded(.toNearestOrEven)
                let sent =
                    Int64(UInt16(bitPattern: Int16(parts.x))) | Int64(UInt16(bitPattern: Int16(parts.y))) << 16
                    | Int64(UInt16(bitPattern: Int16(parts.z))) << 32
                latencies.append(Double((now - sent) & 0xFFFF_FFFF_FFFF) * 1e-3)
            }
        }
        count += batch.count
        if count >= wanted { finish() }
    }

    func finish() {
        let wall = Double(monotonic() - start) * 1e-9
        let used = cpu() - used
        var text =
            "{\"client\":\"IIOSource\",\"samples\":\(count),\"wall_s\":\(wall),\"cpu_s\":\(used),"
            + "\"cpu_us_per_sample\":\(used * 1e6 / Double(max(1, count))),"
            + "\"samples_per_s\":\((Double(count) / wall).rounded()),\"sum\":\(sum),\"max_rss_kb\":\(status("VmHWM"))"
        if !latencies.isEmpty {
            latencies.sort()
            func percentile(_ part: Double) -> Double { latencies[Int(Double(latencies.count - 1) * part)] }
            text += ",\"latency_us\":{\"p50\":\(percentile(0.5)),\"p90\":\(percentile(0.9)),"
            text += "\"p99\":\(percentile(0.99)),\"max\":\(percentile(1))}"
        }
        print(text + "}")
        exit(0)
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let buffer = Int(arguments[2]), let samples = Int(arguments[3]) else {
    print("usage: motion-source PORT BUFFER SAMPLES [paced]")
    exit(64)
}
var options = IIOSourceOptions()
options.samplesPerRefill = buffer
let source = IIOSource(
    addresses: [try MotionSourceAddress("ip:127.0.0.1:\(arguments[1])")], clock: LiveClock(), options: options)
let tally = Tally(wanted: samples, isPaced: arguments.contains("paced"))
let subscription = source.subscribe(MotionRequest(kind: .accelerometer)) { event in
    switch event {
    case .samples(let batch): tally.take(batch)
    case .lost(let error):
        print(error)
        exit(1)
    case .regained: break
    }
}
while true { pause() }
