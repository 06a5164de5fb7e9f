// SPDX-License-Identifier: Apache-2.0

// The counterpart of libgps_client.c and gps_client.py: a CLLocationManager on the main run loop, or on the main queue
// after dispatchMain() with PLACE=dispatch in the environment. Prints its results as one JSON object when gpsd closes
// the connection.
//
//   location-client PORT [paced]
//
// CPU is user + system time of the whole process from the first location on, as in C, or from the start of updates if
// no location arrives. Latency (only with "paced"): see gpsd-flood.c.

import CoreLocation
import Dispatch
import GPSDSource
import LiveDevice

func cpu() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
}

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// In KiB. ru_maxrss would be the value of the parent process, if larger.
func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

final class Client: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    let isPaced: Bool
    var delivered = 0
    var latencies: [Double] = []
    var sum = 0.0
    var startWall = 0.0
    var startCPU = 0.0

    init(isPaced: Bool) {
        self.isPaced = isPaced
        super.init()
        latencies.reserveCapacity(100_000)
        manager.delegate = self
        manager.startUpdatingLocation()
        begin()
    }

    func begin() {
        startWall = seconds()
        startCPU = cpu()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        if delivered == 0 { begin() }
        delivered += locations.count
        for location in locations {
            sum += location.coordinate.latitude + location.coordinate.longitude
            guard isPaced else { continue }
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let sent = Int64(((location.coordinate.latitude - 48.1) * 1e9).rounded()) * 10
            latencies.append(Double((Int64(now.tv_nsec) - sent + 1_000_000_000) % 1_000_000_000) * 1e-3)
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard let source = LiveDevice.shared.positionSource as? GPSDSource, source.statistics.connections > 0 else {
            return
        }
        let wall = seconds() - startWall
        let used = cpu() - startCPU
        let statistics = source.statistics
        // VERSION, DEVICES and WATCH are not reports.
        let reports = max(0, statistics.lines - 3)
        var text =
            "{\"client\":\"CLLocationManager\",\"reports\":\(reports),\"tpv\":\(statistics.positions),"
            + "\"delivered\":\(delivered),\"dropped\":\(manager.droppedLocationCount),\"wall_s\":\(wall),\"cpu_s\":\(used),"
            + "\"cpu_us_per_report\":\(used * 1e6 / Double(max(1, reports))),"
            + "\"reports_per_s\":\((Double(reports) / wall).rounded()),\"max_rss_kb\":\(peakMemory())"
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

guard CommandLine.arguments.count > 1 else {
    print("usage: location-client PORT [paced]")
    exit(64)
}
let scheme = ProcessInfo.processInfo.environment["CLIENT"] ?? "gpsd"
setenv("DEVICE_SERVICES_GPSD", "\(scheme)://127.0.0.1:\(CommandLine.arguments[1])", 1)
let client = Client(isPaced: CommandLine.arguments.contains("paced"))
if ProcessInfo.processInfo.environment["PLACE"] == "dispatch" { dispatchMain() }
RunLoop.main.run()
