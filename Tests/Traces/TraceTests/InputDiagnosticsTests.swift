// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Trace

@Suite("Input diagnostics")
struct InputDiagnosticsTests {
    @Test("Equal messages are counted, with the line and text of the first one")
    func grouping() {
        var diagnostics = InputDiagnostics()
        diagnostics.record("<ele> has a decimal comma", line: 5, text: "100,5")
        diagnostics.record("<ele> has a decimal comma", line: 9, text: "101,5")
        diagnostics.record("the column is unknown", line: 0, of: "Location.csv", text: "")
        diagnostics.record("the column is unknown", line: 2, of: "Gyroscope.csv", text: "")
        diagnostics.record("the reading is not finite", line: 7, of: "Gyroscope.csv", text: "\"x\"\n")
        #expect(
            diagnostics.remarks == [
                "<ele> has a decimal comma (2 times; first in line 5: \"100,5\").",
                "the column is unknown (2 times; first in Location.csv).",
                #"the reading is not finite (line 7 of Gyroscope.csv: "\"x\"\n")."#,
            ])
        #expect(diagnostics.count == 5)
    }

    @Test("A text is cut at 80 characters, and evaluated for the first occurrence only")
    func longText() {
        var diagnostics = InputDiagnostics()
        var evaluations = 0
        func text() -> String {
            evaluations += 1
            return String(repeating: "x", count: 1000)
        }
        for line in 1...1000 { diagnostics.record("unreadable", line: line, text: text()) }
        #expect(evaluations == 1)
        #expect(
            diagnostics.remarks == [
                "unreadable (1000 times; first in line 1: \"\(String(repeating: "x", count: 80))…\")."
            ])
    }

    @Test("Messages beyond the maximum are counted together")
    func surplus() {
        var diagnostics = InputDiagnostics()
        for number in 0..<1000 { diagnostics.record("message \(number)", line: 1, text: "") }
        #expect(diagnostics.entries.count == InputDiagnostics.maximumMessages)
        #expect(diagnostics.count == 1000)
        #expect(diagnostics.remarks.last == "936 further problems were found in the input.")
    }

    @Test("Diagnostics of a later part are added to those of an earlier one")
    func appending() {
        var first = InputDiagnostics()
        first.record("unreadable", line: 3, text: "a")
        var second = InputDiagnostics()
        second.record("unreadable", line: 8, text: "b")
        second.record("empty", line: 9, text: "")
        first.append(second)
        #expect(first.remarks == ["unreadable (2 times; first in line 3: \"a\").", "empty (line 9)."])
    }

    @Test(
        "An invalid member of the header is reported",
        arguments: [
            #""clock":5"#, #""frame":["sensor"]"#, #""recorder":{}"#, #""source":7"#, #""devices":{}"#,
            #""devices":[5]"#, #""devices":[{"kind":5}]"#, #""devices":[{"kind":"gpsd","bps":"fast"}]"#,
            #""devices":[{"kind":"gpsd","cycle":"1"}]"#, #""sensors":{}"#, #""sensors":["x"]"#, #""sensors":[{}]"#,
            #""sensors":[{"id":"a","kind":"sonar"}]"#, #""sensors":[{"id":"","kind":"gyroscope"}]"#,
            #""sensors":[{"id":"a","kind":"gyroscope","name":5}]"#,
            #""sensors":[{"id":"a","kind":"gyroscope","rates":5}]"#,
            #""sensors":[{"id":"a","kind":"gyroscope","calibration":5}]"#,
            #""sensors":[{"id":"a","kind":"gyroscope","range":5}]"#,
            #""sensors":[{"id":"a","kind":"gyroscope"},{"id":"a","kind":"gyroscope"}]"#, #""contexts":"xml""#,
            #""contexts":[5]"#, #""battery":5"#, #""battery":{"level":1.5}"#, #""battery":{"level":"full"}"#,
            #""battery":{"level":0.5,"state":"sleepy"}"#, #""units":[]"#, #""units":{"t":5}"#,
        ])
    func headerMembers(member: String) throws {
        let line = #"{"format":"device-services-trace","version":1,"later":{"kept":1},"# + member + "}\n"
        let file = try TraceFile(bytes: [UInt8](line.utf8), name: "test.trace")
        #expect(file.header?.warnings.map(\.reason) == [.invalidMember])
        let text = try #require(file.header?.warnings.first?.text)
        // The text is a description for sensors; otherwise the key and the value, or the invalid element.
        let parts = text.hasPrefix("sensor ") ? ["\"sensors\""] : text.split(separator: ":", maxSplits: 1)
        #expect(!parts.isEmpty && parts.allSatisfy { member.contains($0) }, "\(text)")
        #expect(TraceCursor(file).diagnostics.count == 1)
    }

    @Test("null in the header counts as absent, and a complete header has no problems")
    func headerWithoutProblems() throws {
        let line =
            #"{"format":"device-services-trace","version":1,"clock":null,"devices":[{"kind":"gpsd","bps":9600,"cycle":1,"new":5}],"sensors":[{"id":"a","kind":"gyroscope","rates":[1,2]}],"contexts":["<context/>"],"battery":{"level":0.5,"state":"charging"},"units":{"t":"s"}}"#
        let file = try TraceFile(bytes: [UInt8]((line + "\n").utf8), name: "test.trace")
        #expect(TraceCursor(file).diagnostics.isEmpty)
    }

    @Test(
        "An invalid member of an event is reported with its line",
        arguments: [
            #""accelerometer":[1,2,3],"later":1"#, #""accelerometer":[1,2,3],"stamp":"x""#,
            #""pressure":100,"sensor":5"#, #""battery":{"level":2}"#, #""battery":{"state":"asleep"}"#,
            #""battery":{"level":0.5,"volts":4}"#, #""pressure":"x","gpsd":{"class":"TPV"}"#,
        ])
    func eventMembers(member: String) throws {
        let event = "{\"t\":1,\(member)}"
        let text = #"{"format":"device-services-trace","version":1}"# + "\n\(event)\n"
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "test.trace")
        var cursor = TraceCursor(file)
        file.bytes.withUnsafeBytes { bytes in
            while cursor.next(bytes) != nil {}
        }
        #expect(cursor.warnings == [TraceWarning(line: 2, reason: .invalidMember, text: event)])
    }
}
