// SPDX-License-Identifier: Apache-2.0

// A CMMotionManager with a handler on a queue. Prints its results as one JSON object.
//
//   motion-manager PORT SAMPLES [INTERVAL] [main|private]
//
// Each sample carries its send time, as described in iiod-flood.c. CPU and context switches are those of the whole
// process.

import CoreMotion
import Dispatch
import Foundation

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

/// In KiB. ru_maxrss would be the value of the parent process, if larger.
func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

func switches() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_nvcsw)
}

final class Client: @unchecked Sendable {
    let manager = CMMotionManager()
    let wanted: Int
    let warmUp = 50
    var count = 0
    var latencies: [Double] = []
    var start: Int64 = 0
    var used = 0.0
    var switched = 0
    let scale = 0.00059855

    init(wanted: Int) {
        self.wanted = wanted
        latencies.reserveCapacity(wanted)
    }

    func start(interval: Double, queue: OperationQueue) {
        manager.accelerometerUpdateInterval = interval
        manager.startAccelerometerUpdates(to: queue) { [self] data, error in
            guard let data else {
                print(error.map { "\($0)" } ?? "no data")
                exit(1)
            }
            take(data)
        }
    }

    func take(_ data: CMAccelerometerData) {
        let now = monotonic()
        count += 1
        if count == warmUp {
            start = now
            used = cpu()
            switched = switches()
        }
        guard count > warmUp else { return }
        func part(_ value: Double) -> Int64 {
            Int64(UInt16(truncatingIfNeeded: Int64((-value * 9.80665 / scale).rounded())))
        }
        let value = data.acceleration
        let sent = part(value.x) | part(value.y) << 16 | part(value.z) << 32
        latencies.append(Double((now - sent) & 0xFFFF_FFFF_FFFF) * 1e-3)
        if latencies.count == wanted { finish(now) }
    }

    func finish(_ now: Int64) {
        let used = cpu() - used
        latencies.sort()
        func percentile(_ part: Double) -> Double { latencies[Int(Double(latencies.count - 1) * part)] }
        print(
            "{\"client\":\"CMMotionManager\",\"samples\":\(wanted),\"wall_s\":\(Double(now - start) * 1e-9),\"cpu_s\":\(used),"
                + "\"cpu_us_per_sample\":\(used * 1e6 / Double(wanted)),\"switches\":\(switches() - switched),"
                + "\"max_rss_kb\":\(peakMemory()),\"latency_us\":{\"p50\":\(percentile(0.5)),\"p90\":\(percentile(0.9)),"
                + "\"p99\":\(percentile(0.99)),\"max\":\(percentile(1))}}")
        exit(0)
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 2, let wanted = Int(arguments[2]) else {
    print("usage: motion-manager PORT SAMPLES [INTERVAL] [main|private]")
    exit(64)
}
setenv("DEVICE_SERVICES_IIO", "ip:127.0.0.1:\(arguments[1])", 1)
let client = Client(wanted: wanted)
let queue = arguments.contains("private") ? OperationQueue() : OperationQueue.main
queue.maxConcurrentOperationCount = 1
client.start(interval: arguments.dropFirst(3).lazy.compactMap { Double($0) }.first ?? 0, queue: queue)
RunLoop.main.run()
