// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@Suite("Syntax of faults")
struct FaultClauseTests {
    @Test("All parts of a fault are parsed, and missing parts are nil")
    func parts() throws {
        let clause = try FaultClause("stuck=3(iio:device0)@2.5s+300ms")
        #expect(clause.name == "stuck")
        #expect(clause.value == "3")
        #expect(clause.target == "iio:device0")
        #expect(clause.moment == .seconds(2.5))
        #expect(clause.duration == 0.3)
        let bare = try FaultClause(" drop ")
        #expect(bare.text == "drop")
        #expect(bare.name == "drop")
        #expect(bare.value == nil)
        #expect(bare.target == nil)
        #expect(bare.moment == .start)
        #expect(bare.duration == nil)
    }

    @Test("A target may contain any characters except parentheses")
    func targets() throws {
        let clause = try FaultClause("unplug(/dev/serial@1:a=b+c)@4s")
        #expect(clause.target == "/dev/serial@1:a=b+c")
        #expect(clause.moment == .seconds(4))
        #expect(clause.value == nil)
        #expect(try FaultClause("unplug(a@b)").target == "a@b")
        #expect(try FaultClause("unplug(a@b)").moment == .start)
    }

    @Test("A moment such as #12 counts events if the caller supports it, and may have a duration")
    func counts() throws {
        let clause = try FaultClause("stall@#12+2s", counting: "a report")
        #expect(clause.moment == .reading(12))
        #expect(clause.duration == 2)
        #expect(throws: DeviceError.self) { try FaultClause("stall@#12") }
        #expect(throws: DeviceError.self) { try FaultClause("stall@#-1", counting: "a report") }
        #expect(throws: DeviceError.self) { try FaultClause("stall@#", counting: "a report") }
    }

    @Test("A list is separated by commas, and empty elements are ignored")
    func list() throws {
        #expect(try FaultClause.list("a, b=1 ,,c@1s").map(\.name) == ["a", "b", "c"])
        for text in ["", ",", ",,"] { #expect(throws: DeviceError.self) { try FaultClause.list(text) } }
        let longest = String(repeating: "a", count: FaultClause.maximumLength)
        #expect(try FaultClause.list(longest).count == 1)
        #expect(throws: DeviceError.self) { try FaultClause.list(longest + "a") }
    }

    @Test("Values are parsed as the requested type")
    func values() throws {
        #expect(try FaultClause("a=0.25").number(in: 0...1) == 0.25)
        #expect(try FaultClause("a=-7").integer() == -7)
        #expect(try FaultClause("a=20ms").seconds() == 0.02)
        #expect(try FaultClause("a=-2s").seconds(isSigned: true) == -2)
        #expect(try FaultClause("a=1/-2/3.5").numbers(3) == [1, -2, 3.5])
        #expect(try FaultClause("a=x:y=z").requiredValue() == "x:y=z")
    }

    @Test("Times have the same forms as in options, and dates are converted with the start of the recording")
    func times() throws {
        for (text, moment, duration) in [
            ("a@90", 90, nil), ("a@1:30+2m", 90, 120), ("a@1h+300ms", 3600, 0.3), ("a@1:02:03.5+5", 3723.5, 5),
        ] as [(String, Double, Double?)] {
            let clause = try FaultClause(text[...])
            #expect(clause.moment == .seconds(moment) && clause.duration == duration, "\(text)")
        }
        let start = try #require(CivilDate.time(year: 2026, month: 11, day: 27, hour: 9, minute: 58))
        let clause = try FaultClause("a@2026-11-27T10:00:00Z+1m", start: start)
        #expect(clause.moment == .seconds(120) && clause.duration == 60)
        #expect(throws: DeviceError.self) { try FaultClause("a@2026-11-27T09:57:59Z", start: start) }
    }

    @Test(
        "An error quotes the invalid fault",
        arguments: [
            ("a@1d", "needs a time such as 90, 90s"), ("a@-1s", "needs a time such as"),
            ("a@nans", "needs a time such as"), ("a@0x1s", "needs a time such as"), ("a@1s+", "needs a time such as"),
            ("a@1:60", "needs a time such as"), ("a@1000001s", "needs a time from 0"), ("a()", "names no device"),
            ("a@2026-11-27T10:00:00Z", "needs a time since the start, which is unknown here"),
        ])
    func wrongTimes(text: String, reason: String) {
        #expect {
            try FaultClause(text[...])
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains(reason) == true
                && error?.message.contains("\"\(text)\"") == true
        }
    }

    @Test("Invalid, unexpected and missing values are rejected")
    func wrongValues() throws {
        let wordless = try FaultClause("a")
        #expect(throws: DeviceError.self) { try wordless.requiredValue() }
        #expect(throws: DeviceError.self) { try wordless.number(in: 0...1) }
        #expect(throws: DeviceError.self) { try wordless.integer() }
        #expect(throws: DeviceError.self) { try wordless.seconds() }
        #expect(throws: DeviceError.self) { try wordless.numbers(3) }
        #expect(throws: DeviceError.self) { try FaultClause("a=nan").number(in: 0...1) }
        #expect(throws: DeviceError.self) { try FaultClause("a=1000001").integer() }
        #expect(throws: DeviceError.self) { try FaultClause("a=-9223372036854775808").integer() }
        #expect(throws: DeviceError.self) { try FaultClause("a=-2s").seconds() }
        #expect(throws: DeviceError.self) { try FaultClause("a=1/2").numbers(3) }
        #expect(throws: DeviceError.self) { try FaultClause("a=1/2/inf").numbers(3) }
        #expect(throws: DeviceError.self) { try FaultClause("a=1").requireNoValue() }
        #expect(throws: DeviceError.self) { try FaultClause("a@1s+1s").requireNoDuration() }
    }
}
