// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import BlackBox

@Suite("Triggers of a black box")
struct TriggerTests {
    @Test(
        "Triggers are parsed with their units",
        arguments: [
            ("signal", RecordingTrigger.Condition.signal), ("SIGUSR1", .signal), ("shake", .shake), ("end", .end),
            ("fall", .fall(0.2)), ("fall>350ms", .fall(0.35)), ("impact>4g", .impact(39.2266)),
            ("impact>50m/s2", .impact(50)), ("lost-fix", .lostFix(5)), ("lost-fix>2min", .lostFix(120)),
            ("unplugged", .unplugged(nil)), ("unplugged=Weigh Scale", .unplugged("Weigh Scale")),
            ("speed>36km/h", .speedAbove(10)), ("speed>10mph", .speedAbove(4.4704)),
            ("speed<18km/h", .speedBelow(5)), (" shake ", .shake), ("speed>10 m/s", .speedAbove(10)),
        ])
    func reading(text: String, condition: RecordingTrigger.Condition) throws {
        let trigger = try RecordingTrigger(text)
        switch (trigger.condition, condition) {
        case (.fall(let a), .fall(let b)), (.impact(let a), .impact(let b)), (.lostFix(let a), .lostFix(let b)),
            (.speedAbove(let a), .speedAbove(let b)), (.speedBelow(let a), .speedBelow(let b)):
            #expect(abs(a - b) < 1e-9)
        default: #expect(trigger.condition == condition)
        }
    }

    @Test(
        "An invalid trigger is rejected with its expected syntax",
        arguments: [
            ("impact", "for example impact>4g"), ("impact>4", "in g, m/s2"), ("impact<4g", "for example impact>4g"),
            ("impact>-4g", "a number above 0"), ("impact>0g", "a number above 0"), ("impact>nang", "a number above 0"),
            ("impact>1e9g", "at most 1000000"), ("speed=5km/h", "speed>130km/h or speed<5km/h"), ("speed", "speed>130"),
            ("speed>fast", "in m/s, km/h, mph, kn"), ("shake>3", "accepts no value"), ("unplugged=", "unplugged=NAME"),
            ("explosion", "is not one of signal, shake"), ("fall<1s", "fall or fall>0.3s"),
            ("lost-fix=3", "lost-fix>20s"),
        ])
    func refusals(text: String, part: String) {
        let error = #expect(throws: DeviceError.self) { try RecordingTrigger(text) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\"\(text)\"") == true)
        #expect(throws: DeviceError.self) { try RecordingTrigger.list(" ,") }
    }

    @Test("A list contains each trigger once")
    func lists() throws {
        #expect(
            try RecordingTrigger.list("impact>4g,shake,impact>4g").map(\.text) == ["impact>4g", "shake"])
    }

    private static func watch(_ text: String) throws -> TriggerDetector {
        TriggerDetector(try RecordingTrigger.list(text))
    }

    private static func time(_ seconds: Double) -> BootTime { BootTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test("An impact is reported once, and again after a second without impacts")
    func impact() throws {
        var watch = try Self.watch("impact>4g")
        var received: [Double] = []
        for tick in 0..<500 {
            let time = Double(tick) / 100
            // 4.08 g at 1 s for 0.1 s, at 1.5 s, and at 4 s in another direction.
            let isHit = (100..<110).contains(tick) || tick == 150 || tick == 400
            let value: SIMD3<Double> = isHit ? (tick == 400 ? [-40, 0, 0] : [0, 0, 40]) : [0, 0, 9.8]
            if !watch.process(acceleration: value, at: Self.time(time)).isEmpty { received.append(time) }
        }
        #expect(received == [1, 4])
    }

    @Test("A fall is reported after its duration, and a gap in the readings is not a fall")
    func fall() throws {
        var watch = try Self.watch("fall>0.3s")
        var received: [Double] = []
        for tick in 0..<1000 {
            let time = Double(tick) / 100
            // A hop of 0.25 s, a fall of 0.5 s, and a fall whose readings have a gap in the middle.
            if (655..<690).contains(tick) { continue }
            let isFalling = (100..<125).contains(tick) || (300..<350).contains(tick) || (650..<695).contains(tick)
            if !watch.process(acceleration: [0, 0, isFalling ? 0.5 : 9.8], at: Self.time(time)).isEmpty {
                received.append(time)
            }
        }
        #expect(received == [3.3])
    }

    @Test("Shaking at 4 Hz is a shake, and a rotation is not")
    func shake() throws {
        var watch = try Self.watch("shake")
        var received = 0
        for tick in 0..<300 {
            let time = Double(tick) / 100
            // 2 g back and forth for a second.
            let x = (100..<200).contains(tick) ? 19.6 * ((tick / 12) % 2 == 0 ? 1.0 : -1.0) : 0
            received += watch.process(acceleration: [x, 0, 9.8], at: Self.time(time)).count
        }
        #expect(received == 1)
        var rotated = try Self.watch("shake")
        for tick in 0..<300 {
            #expect(
                rotated.process(acceleration: [0, 0, tick < 150 ? 9.8 : -9.8], at: Self.time(Double(tick) / 100))
                    .isEmpty
            )
        }
    }

    private static func report(_ mode: FixMode, speed: Double = .nan) -> PositionReport {
        var report = PositionReport()
        report.mode = mode
        report.speed = speed
        return report
    }

    @Test("A lost fix is reported after its timeout, and again only after a new fix")
    func lostFix() throws {
        var watch = try Self.watch("lost-fix>3s")
        var received: [Int] = []
        for second in 0..<60 {
            let hasFix = (10..<20).contains(second) || (22..<30).contains(second) || second == 40
            if !watch.process(Self.report(hasFix ? .threeDimensional : .none), at: Self.time(Double(second))).isEmpty {
                received.append(second)
            }
        }
        // The last fixes were at 29 s and 40 s.
        #expect(received == [32, 43])
        var gone = try Self.watch("lost-fix")
        #expect(gone.processPositionLoss().isEmpty)
        _ = gone.process(Self.report(.twoDimensional), at: Self.time(1))
        #expect(gone.processPositionLoss() == ["lost-fix"])
        #expect(gone.processPositionLoss().isEmpty)
    }

    @Test("A speed trigger fires when the threshold is crossed, with hysteresis")
    func speed() throws {
        var over = try Self.watch("speed>10m/s,speed<2m/s")
        let speeds = [0, 1, 5, 9.9, 10.1, 9.9, 10.2, .nan, 12, 9, 10.5, 3, 1.9, 2.05, 1.8, 5, 0.5]
        var received: [String] = []
        for (second, speed) in speeds.enumerated() {
            for event in over.process(Self.report(.threeDimensional, speed: speed), at: Self.time(Double(second))) {
                received.append("\(second) \(event)")
            }
        }
        #expect(received == ["4 speed>10m/s", "10 speed>10m/s", "12 speed<2m/s", "16 speed<2m/s"])
    }

    @Test("An unplugged trigger matches any accessory or the named one")
    func accessories() throws {
        var watch = try Self.watch("unplugged=Scale,unplugged")
        #expect(watch.processUnplugging(of: "Printer") == ["unplugged"])
        #expect(watch.processUnplugging(of: "Scale") == ["unplugged=Scale", "unplugged"])
    }

    @Test("Each trigger reports the sources that it requires")
    func needs() throws {
        let all = try RecordingTrigger.list(
            "signal,shake,fall,impact>4g,lost-fix,unplugged,speed>1m/s,speed<1m/s,end")
        #expect(all.filter(\.needsAcceleration).map(\.text) == ["shake", "fall", "impact>4g"])
        #expect(all.filter(\.needsPosition).map(\.text) == ["lost-fix", "speed>1m/s", "speed<1m/s"])
        #expect(all.filter(\.needsAccessories).map(\.text) == ["unplugged"])
    }
}
