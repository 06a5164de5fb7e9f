// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Geodesy
import SyntheticMotion
import Testing
import Trace

@Suite("Synthetic traces")
struct SynthesizerTests {
    private func options(_ change: (inout MotionOptions) -> Void) -> MotionOptions {
        var options = MotionOptions()
        change(&options)
        return options
    }

    @Test("Events are in time order, have their configured rates and match the header")
    func contents() throws {
        let options = options {
            $0.inertialUnit = .mpu9250
            $0.magnetometer = .ak8963
            $0.barometer = .bmp280
            $0.receiver = .openSky
            $0.seed = 77
            $0.biasFraction = 0.1
        }
        let synthesizer = try MotionSynthesizer(try Routes.straight(azimuth: 30, length: 200), options: options)
        // 200 m at 10 m/s and 2 m/s² take 25 s, plus 3 s at both ends.
        #expect(abs(synthesizer.duration - 31) < 1e-6)
        let contents = try TraceContents(try synthesizer.trace())
        #expect(contents.times == contents.times.sorted())
        for (kind, count) in [
            (SensorKind.accelerometer, 3101), (.gyroscope, 3101), (.magnetometer, 3101), (.pressure, 311),
        ] {
            let samples = contents.samples[kind, default: []]
            // The count may differ by one, because the duration is rounded.
            #expect(abs(samples.count - count) <= 1)
            let step: Int64 = kind == .pressure ? 100_000_000 : 10_000_000
            #expect(samples.enumerated().allSatisfy { $0.element.time == Int64($0.offset) * step })
        }
        #expect(contents.reports.count == 32 || contents.reports.count == 31)
        let header = contents.header
        #expect(header.clock == "virtual")
        #expect(header.start?.wallTime == WallTime(nanoseconds: 1_767_225_600_000_000_000))
        #expect(header.sensors.map(\.name) == ["mpu9250", "mpu9250", "ak8963", "bmp280"])
        #expect(header.sensors.map(\.rates) == [.list([100]), .list([100]), .list([100]), .list([10])])
        #expect(header.devices.first?.receiver.path == "/dev/synthetic")
        let member = try #require(header.otherMembers.first { $0.name == "synthetic" })
        let text = String(decoding: member.json, as: UTF8.self)
        for part in [
            "\"seed\":77", "\"imu\":\"mpu9250\"", "\"turns\":\"flat\"", "\"receiver\":\"open-sky\"",
            "\"bias\":{\"accelerometer\":[",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test("Reports match the path at their times in position, course, speed and climb")
    func reports() throws {
        let synthesizer = try MotionSynthesizer(try Routes.town(), options: options { $0.fixRate = 3 })
        let contents = try TraceContents(try synthesizer.trace())
        #expect(contents.reports.count == Int(synthesizer.duration * 3) + 1)
        for (time, report) in contents.reports {
            let state = synthesizer.state(at: Double(time) / 1e9)
            #expect(report.mode == .threeDimensional)
            #expect(report.time?.nanoseconds == synthesizer.start.nanoseconds + time)
            #expect(abs(report.latitude - state.latitude) < 1e-9)
            #expect(abs(report.longitude - state.longitude) < 1e-9)
            #expect(abs(report.altitudeMSL - state.altitude) < 1e-4)
            #expect(abs(report.speed - state.speed) < 1e-3)
            #expect(abs(report.climb - state.velocity.z) < 1e-3)
            if state.speed > 2 { #expect(abs(difference(report.track, state.heading)) < 1e-3) }
            if state.speed < 0.29 { #expect(report.track.isNaN) }
            #expect(report.horizontalError > 0)
        }
    }

    @Test("A delayed report keeps the time of its fix")
    func delay() throws {
        let synthesizer = try MotionSynthesizer(
            try Routes.straight(azimuth: 0), options: options { $0.fixDelay = 0.35 })
        let contents = try TraceContents(try synthesizer.trace())
        #expect(contents.times == contents.times.sorted())
        for (time, report) in contents.reports {
            #expect(report.time?.nanoseconds == synthesizer.start.nanoseconds + time - 350_000_000)
            #expect(time % 1_000_000_000 == 350_000_000)
        }
    }

    @Test("Positions that arrive after the last sensor reading are written")
    func delayAtEnd() throws {
        let route = try Routes.straight(azimuth: 0)
        func fixTimes(delay: Double) throws -> [WallTime?] {
            let synthesizer = try MotionSynthesizer(route, options: options { $0.fixDelay = delay })
            return try TraceContents(try synthesizer.trace()).reports.map { $0.report.time }
        }
        let undelayed = try fixTimes(delay: 0)
        #expect(try fixTimes(delay: 3.5) == undelayed)
    }

    @Test("The seed determines all bytes, and omitting a sensor leaves the others unchanged")
    func seeds() throws {
        let route = try Routes.straight(azimuth: 30, length: 100)
        let noisy = options {
            $0.inertialUnit = .icm20948
            $0.magnetometer = .ak09916
            $0.barometer = .bmp280
            $0.receiver = .urban
            $0.biasFraction = 0.2
        }
        func bytes(_ options: MotionOptions) throws -> [UInt8] {
            Array(try MotionSynthesizer(route, options: options).trace().bytes)
        }
        let first = try bytes(noisy)
        #expect(try bytes(noisy) == first)
        var other = noisy
        other.seed = 2
        #expect(try bytes(other) != first)
        var fewer = noisy
        fewer.magnetometer = nil
        fewer.fixRate = 0
        let (all, some) = (
            try TraceContents(try MotionSynthesizer(route, options: noisy).trace()),
            try TraceContents(try MotionSynthesizer(route, options: fewer).trace())
        )
        #expect(some.samples[.magnetometer] == nil && some.reports.isEmpty)
        #expect(some.values(.gyroscope) == all.values(.gyroscope))
        #expect(some.values(.pressure) == all.values(.pressure))
    }

    @Test("Hard and soft iron transform the magnetic field as configured")
    func iron() throws {
        let route = try Routes.straight(azimuth: 0, length: 50)
        let matrix = MountMatrix([1.1, 0.05, 0], [0.05, 0.9, 0], [0, 0, 1])
        let pure = try TraceContents(try MotionSynthesizer(route).trace()).values(.magnetometer)
        let spoiled = try TraceContents(
            try MotionSynthesizer(
                route,
                options: options {
                    $0.hardIron = [0.2, -0.1, 0.05]
                    $0.softIron = matrix
                }
            ).trace()
        ).values(.magnetometer)
        try #require(pure.count == spoiled.count && pure.count > 500)
        for (before, after) in zip(pure, spoiled) {
            #expect((matrix.apply(to: before) + [0.2, -0.1, 0.05] - after).length < 1e-12)
        }
    }

    @Test("A route from a recorded trace follows its positions at their times")
    func fromTrace() throws {
        let first = try MotionSynthesizer(
            try Routes.town(), options: options { $0.start = WallTime(nanoseconds: 1_780_000_000_123_000_000) })
        let trace = try first.trace()
        let route = try MotionRoute(trace)
        #expect(route.start == first.start)
        let again = try MotionSynthesizer(route)
        #expect(again.start == first.start)
        #expect(abs(again.duration - first.duration.rounded(.down)) < 1e-6)
        var worst = 0.0
        for time in stride(from: 5, to: again.duration - 5, by: 0.73) {
            let (a, b) = (first.state(at: time), again.state(at: time))
            let off = Geodesic.distance(
                from: GeodeticCoordinate(latitude: a.latitude, longitude: a.longitude),
                to: GeodeticCoordinate(latitude: b.latitude, longitude: b.longitude))
            worst = max(worst, off)
            // Smoothing applies twice. A corner is cut by half its acceleration, 3 m/s², times the variance of the
            // spline, (0.5 s)². The straight line between positions one second apart cuts another eighth of that.
            #expect(off < 1.2, "\(time)")
            #expect(abs(a.altitude - b.altitude) < 0.5)
            if a.speed > 5, b.speed > 5 { #expect(abs(difference(a.heading, b.heading)) < 15) }
        }
        #expect(worst > 0.001)
    }

    @Test("gpsd lines without arrival timestamps form a route, and other receivers are skipped")
    func fromReports() throws {
        var lines: [UInt8] = []
        for second in 0..<60 {
            var report = PositionReport()
            report.receiver = second % 2 == 0 || second < 2 ? "/dev/one" : "/dev/one"
            report.mode = .threeDimensional
            report.time = WallTime(nanoseconds: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000)
            report.latitude = 48 + Double(second) * 1e-4
            report.longitude = 11
            report.altitudeHAE = 600
            lines += GPSDEncoder.encode(report) + [0x0a]
            report.receiver = "/dev/two"
            report.longitude = 12
            lines += GPSDEncoder.encode(report) + [0x0a]
        }
        let route = try MotionRoute(try TraceFile(bytes: lines, name: "two.json"))
        #expect(route.duration == 59)
        #expect(route.warnings.count == 1)
        let state = try MotionSynthesizer(route).state(at: 30)
        // 1e-4° per second are 11.12 m/s, from the start.
        #expect(abs(state.speed - 11.12) < 0.01)
        #expect(abs(state.latitude - 48.003) < 1e-6)
        #expect(abs(state.ellipsoidalAltitude - 600) < 1e-3)
        #expect(abs(try MotionSynthesizer(route).state(at: 0).speed - 11.12) < 0.01)
        #expect(abs(difference(state.heading, 0)) < 1e-3)
    }

    @Test("Writing stops when the condition returns false")
    func ended() throws {
        let builder = TraceBuilder(name: "cut")
        var calls = 0
        let summary = try MotionSynthesizer(try Routes.town()).write(
            to: builder,
            while: {
                calls += 1
                return calls < 5
            })
        #expect(!summary.isComplete)
        #expect(summary.fixes == 5)
        #expect(try TraceContents(try builder.file()).values(.gyroscope).count == 500)
    }

    @Test("An error thrown by the sink is rethrown")
    func brokenSink() throws {
        final class Broken: TraceSink {
            var remaining = 100
            func write(_ header: TraceHeader) throws(DeviceError) {}
            func write(_ event: TraceEvent) throws(DeviceError) {
                remaining -= 1
                guard remaining > 0 else { throw DeviceError(.inputOutput, "full") }
            }
        }
        let synthesizer = try MotionSynthesizer(try Routes.straight(azimuth: 0))
        #expect(message { () throws(DeviceError) in try synthesizer.write(to: Broken()) } == "full")
    }
}
