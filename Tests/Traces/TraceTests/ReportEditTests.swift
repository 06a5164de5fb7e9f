// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Trace

@Suite("Edits of gpsd reports")
struct ReportEditTests {
    @Test(
        "Timing members are removed, except in front",
        arguments: [
            (#"{"class":"TPV","rtime":1,"mode":3}"#, #"{"class":"TPV","mode":3}"#),
            (#"{"rtime":1,"class":"TPV","sor":1}"#, #"{"rtime":1,"class":"TPV"}"#),
            (#" { "rtime":1,"class":"TPV"}"#, #" { "rtime":1,"class":"TPV"}"#),
        ])
    func timingMembers(report: String, expected: String) {
        let edit = ReportEdit(removesTimingMembers: true)
        #expect(String(decoding: edit.apply(to: Array(report.utf8)), as: UTF8.self) == expected)
    }
}
