// SPDX-License-Identifier: Apache-2.0

// Measures the playback of a recorded drive from its file through the managers to the program's callbacks, and checks
// that every run delivers the same callbacks.

import CoreLocation
import CoreMotion
import Foundation
import SimulatedDevice
import SystemCalls
import Trace

/// A digest of all callbacks in order: FNV-1a over words, with the upper bits folded in.
struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func begin(_ kind: UInt64) { mix(kind) }

    mutating func add(_ number: Double) { mix(number.bitPattern) }

    private mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x0000_0100_0000_01b3
        value ^= value &>> 29
    }
}

final class Program: NSObject, CLLocationManagerDelegate {
    var digest = Digest()
    var locations = 0
    var headings = 0
    var motions = 0
    var readings = 0
    var errors = 0

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            self.locations += 1
            digest.begin(1)
            digest.add(location.coordinate.latitude)
            digest.add(location.coordinate.longitude)
            digest.add(location.altitude)
            digest.add(location.ellipsoidalAltitude)
            digest.add(location.course)
            digest.add(location.speed)
            digest.add(location.horizontalAccuracy)
            digest.add(location.verticalAccuracy)
            digest.add(location.courseAccuracy)
            digest.add(location.speedAccuracy)
            digest.add(location.timestamp.timeIntervalSinceReferenceDate)
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
        headings += 1
        digest.begin(2)
        digest.add(heading.magneticHeading)
        digest.add(heading.trueHeading)
        digest.add(heading.headingAccuracy)
        digest.add(heading.x)
        digest.add(heading.y)
        digest.add(heading.z)
        digest.add(heading.timestamp.timeIntervalSinceReferenceDate)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { errors += 1 }

    func take(_ motion: CMDeviceMotion) {
        motions += 1
        digest.begin(3)
        digest.add(motion.timestamp)
        let attitude = motion.attitude.quaternion
        digest.add(attitude.x)
        digest.add(attitude.y)
        digest.add(attitude.z)
        digest.add(attitude.w)
        let (rate, gravity, acceleration) = (motion.rotationRate, motion.gravity, motion.userAcceleration)
        let field = motion.magneticField
        digest.add(rate.x)
        digest.add(rate.y)
        digest.add(rate.z)
        digest.add(gravity.x)
        digest.add(gravity.y)
        digest.add(gravity.z)
        digest.add(acceleration.x)
        digest.add(acceleration.y)
        digest.add(acceleration.z)
        digest.add(field.field.x)
        digest.add(field.field.y)
        digest.add(field.field.z)
        digest.add(Double(field.accuracy.rawValue))
        digest.add(motion.heading)
    }

    func take(_ kind: UInt64, _ x: Double, _ y: Double, _ z: Double, _ timestamp: Double) {
        readings += 1
        digest.begin(kind)
        digest.add(x)
        digest.add(y)
        digest.add(z)
        digest.add(timestamp)
    }
}

func seconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var now = timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// In KiB. ru_maxrss would be the value of the parent process, if larger.
func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

// drive-playback TRACE [RUNS [motion | raw | locations]] [--limit SECONDS]
let usage = "usage: drive-playback TRACE [RUNS [motion | raw | locations]] [--limit SECONDS]"
var arguments = Array(CommandLine.arguments.dropFirst())
/// The limit for the median of the runs in seconds, nil for no limit.
var limit: Double?
if let index = arguments.firstIndex(of: "--limit") {
    guard index + 1 < arguments.count, let seconds = Double(arguments[index + 1]), seconds > 0 else {
        complain(usage)
        exit(2)
    }
    limit = seconds
    arguments.removeSubrange(index...index + 1)
}
guard let path = arguments.first else {
    complain(usage)
    exit(2)
}
let runs = max(1, arguments.count > 1 ? Int(arguments[1]) ?? 2 : 2)
let mode = arguments.count > 2 ? arguments[2] : "motion"
var digests: Set<UInt64> = []
var times: [Double] = []
for _ in 0..<runs {
    let cpu = seconds(CLOCK_PROCESS_CPUTIME_ID)
    let mainCPU = seconds(CLOCK_THREAD_CPUTIME_ID)
    let start = seconds()
    let file = try TraceFile(path: path)
    let opened = seconds()
    let device = SimulatedDevice(file)
    let made = seconds()
    let program = Program()
    try device.use {
        let locationManager = CLLocationManager()
        locationManager.delegate = program
        locationManager.startUpdatingLocation()
        let motionManager = CMMotionManager()
        if mode != "locations" {
            locationManager.startUpdatingHeading()
            motionManager.startDeviceMotionUpdates(using: .xMagneticNorthZVertical, to: .main) { motion, error in
                if let motion { program.take(motion) } else { program.errors += 1 }
            }
        }
        if mode == "raw" {
            motionManager.magnetometerUpdateInterval = 0.01
            motionManager.startAccelerometerUpdates(to: .main) { data, _ in
                guard let data else { return }
                program.take(4, data.acceleration.x, data.acceleration.y, data.acceleration.z, data.timestamp)
            }
            motionManager.startGyroUpdates(to: .main) { data, _ in
                guard let data else { return }
                program.take(5, data.rotationRate.x, data.rotationRate.y, data.rotationRate.z, data.timestamp)
            }
            motionManager.startMagnetometerUpdates(to: .main) { data, _ in
                guard let data else { return }
                program.take(6, data.magneticField.x, data.magneticField.y, data.magneticField.z, data.timestamp)
            }
        }
        try device.play()
    }
    let end = seconds()
    digests.insert(program.digest.value)
    times.append(end - start)
    func shown(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
    print(
        "{\"mode\":\"\(mode)\",\"wall_s\":\(shown(end - start)),\"open_s\":\(shown(opened - start)),\"device_s\":\(shown(made - opened)),\"play_s\":\(shown(end - made)),\"cpu_s\":\(shown(seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu)),\"player_cpu_s\":\(shown(seconds(CLOCK_THREAD_CPUTIME_ID) - mainCPU)),\"locations\":\(program.locations),\"headings\":\(program.headings),\"motions\":\(program.motions),\"readings\":\(program.readings),\"errors\":\(program.errors),\"digest\":\"\(String(program.digest.value, radix: 16))\",\"peak_kib\":\(peak())}"
    )
}
guard digests.count == 1 else {
    complain("drive-playback: the callbacks were not the same each time")
    exit(1)
}
let median = times.sorted()[times.count / 2]
if let limit, median > limit {
    complain(String(format: "drive-playback: the median is %.3f s, and %.3f s are the limit", median, limit))
    exit(1)
}
