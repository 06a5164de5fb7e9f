// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import IIODSimulator
import IIOFormat
import Trace

/// The encoding of the run's number and the reading's own number in a reading.
enum Numbers {
    /// Seconds between fixes, by the receiver's time.
    static let fixInterval = 0.05
    /// Seconds between samples.
    static let sampleInterval = 0.005
    /// The number of samples after which the count restarts at 0. It covers a longer time than any delay of the main
    /// thread.
    static let samplePeriod = 65_536

    private static let receiver = "/dev/ttyE0"

    // MARK: Fixes: the latitude is the number in millionths of a degree, the longitude the run in ten-thousandths.

    static func run(of coordinate: CLLocationCoordinate2D) -> Int { Int((coordinate.longitude * 1e4).rounded()) }

    static func number(of coordinate: CLLocationCoordinate2D) -> Int { Int((coordinate.latitude * 1e6).rounded()) }

    /// A trace of `count` fixes.
    static func trace(run: Int, count: Int) throws -> TraceFile {
        var text = #"{"format":"device-services-trace","version":1,"devices":[{"kind":"gpsd","path":"\#(receiver)","#
        text += #""driver":"NMEA0183","bps":9600,"cycle":\#(fixInterval)}]}"# + "\n"
        let longitude = decimal(run, digits: 4)
        for number in 0..<count {
            let time = decimal(number * 50, digits: 3)
            text += #"{"t":\#(time),"gpsd":{"class":"TPV","device":"\#(receiver)","mode":3,"time":""#
            text += #"2026-05-01T\#(clock(number * 50))Z","lat":\#(decimal(number, digits: 6)),"lon":\#(longitude),"#
            text += #""altMSL":500.0,"eph":5.0,"epv":8.0,"speed":2.2,"track":0.0}}"# + "\n"
        }
        return try TraceFile(bytes: Array(text.utf8), name: "run \(run)")
    }

    private static func decimal(_ number: Int, digits: Int) -> String {
        let text = String(number)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.utf8.count)) + text
        return padded.dropLast(digits) + "." + padded.suffix(digits)
    }

    private static func clock(_ milliseconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let seconds = milliseconds / 1000
        return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))."
            + decimal(milliseconds % 1000, digits: 3).suffix(3)
    }

    // MARK: Samples: x is the number, y the run, in the kernel's units.

    /// A board with one chip of three sensors.
    static func board() -> SimulatedIIOContext {
        let kinds: [(SensorKind, String)] = [
            (.accelerometer, "accel"), (.gyroscope, "anglvel"), (.magnetometer, "magn"),
        ]
        let sensors = kinds.map { kind, name in
            var sensor = SensorDescription(id: "board/\(name)", kind: kind)
            sensor.name = "numbered"
            sensor.rates = .list([1 / sampleInterval])
            return sensor
        }
        let peaks = Dictionary(uniqueKeysWithValues: kinds.map { ($0.0, Double(samplePeriod)) })
        return SimulatedIIOContext(sensors: sensors, peaks: peaks, rate: 1 / sampleInterval)
    }

    /// The samples of this board in a run.
    struct Samples: IIOSampleSource {
        let run: Int

        private static let times = (0..<samplePeriod).map { Int64($0) * 5_000_000 }
        private static let vectors = (0..<samplePeriod).map { SIMD3(Double($0), 0, 0) }

        func signals(for device: IIODevice) -> IIODeviceSignals {
            var signals = IIODeviceSignals(duration: Int64(samplePeriod) * 5_000_000)
            for channel in device.channels {
                switch channel.id.suffix(2) {
                case "_x": signals.channels[channel.id] = .held(times: Self.times, vectors: Self.vectors, component: 0)
                case "_y": signals.channels[channel.id] = .constant(Double(run))
                default: break
                }
            }
            return signals
        }
    }
}
