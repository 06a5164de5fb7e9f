// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import IIODSimulator

/// The expected answers were recorded from Debian's iiod 0.24 unless a comment states otherwise.
@Suite("iiod commands")
struct CommandTests {
    @Test(
        "Lines are accepted or rejected as by iiod",
        arguments: [
            ("version", "0.24.v0.24  \n"), ("Version", "-22\n"), (" VERSION", "-22\n"), ("VERSION ", "0.24.v0.24  \n"),
            ("VERSION x", "-22\n"), ("print x", "-22\n"), ("EXIT now", "-22\n"), ("ZPRINT", "-22\n"),
            ("TIMEOUT x", "0\n"), ("TIMEOUT", "-22\n"), ("TIMEOUT 99999999999999", "0\n"), ("TIMEOUT  5", "0\n"),
            ("READ iio:device0 OUTPUT accel_x raw", "-6\n"), ("READ iio:device0 DEBUG x", "-2\n"),
            ("READ iio:device0 DEBUG ", "0\n\n"), ("READ trigger0 ", "0\n\n"), ("READ iio:device0 BUFFER nope", "-2\n"),
            ("READ iio:device0  sampling_frequency", "4\n100\0\n"),
            ("read iio:device0 input accel_x raw", "4\n100\0\n"),
            ("READ", "-22\n"), ("READ iio:device0 INPUT", "-22\n"),
            ("OPEN iio:device0 0 0000000f", "-22\n"), ("OPEN iio:device0 x 0000000f", "-22\n"),
            ("OPEN iio:device0 -5 0000000f", "-12\n"), ("OPEN iio:device0 4 0000000g", "-22\n"),
            ("OPEN iio:device0 4 0000000f CYCLI", "-22\n"), ("OPEN iio:device0 4 0000000f cyclic", "-1\n"),
            ("OPEN nodev 4 0000000f", "-19\n"), ("OPEN trigger0 4 00000001", "-22\n"),
            ("OPEN  iio:device0 4 ffffffff", "0\n"), ("OPEN iio:device0 4 000000000000000f", "-22\n"),
            // Unlike iiod, the simulator rejects a request for memory of this size immediately.
            ("OPEN iio:device0 99999999999999999999 0000000f", "-12\n"),
            ("CLOSE nodev", "-19\n"), ("READBUF nodev 4", "-19\n"), ("READBUF iio:device0 x", "-9\n"),
            ("WRITEBUF iio:device0 4", "-9\n"), ("GETTRIG nodev", "-22\n"), ("SETTRIG nodev x", "-19\n"),
            ("SETTRIG iio:device0 iio:device0", "-22\n"), ("SETTRIG trigger0 trigger0", "-2\n"),
            ("SET iio:device0 FOO 1", "-22\n"), ("SET iio:device0 BUFFERS_COUNT x", "-22\n"),
            ("SET iio:device0 buffers_count 4", "0\n"), ("SET nodev BUFFERS_COUNT 1", "-19\n"),
            ("WRITE nodev x 2", "-19\n"), ("WRITE iio:device0 x", "-22\n"),
            ("WRITE iio:device0 sampling_frequency x", "-5\n"),
            ("WRITE iio:device0 sampling_frequency 0", "-5\n"), ("WRITE iio:device0 sampling_frequency -4", "-12\n"),
            ("WRITE iio:device0 sampling_frequency 99999999999", "-12\n"),
        ])
    func answers(line: String, expected: String) {
        var dialogue = Dialogue { $0.attributesFollowSamples = false }
        #expect(dialogue.line(line) == expected)
        // The session continues after every line.
        #expect(dialogue.line("VERSION") == "0.24.v0.24  \n")
    }

    @Test("Lines may end without a carriage return")
    func lineEnds() {
        var dialogue = Dialogue()
        #expect(dialogue.send(Array("VERSION\n\n\r\nTIMEOUT 5\n".utf8)) == Array("0.24.v0.24  \n0\n".utf8))
    }

    @Test("HELP returns text, and the session continues")
    func help() {
        var dialogue = Dialogue()
        #expect(dialogue.line("HELP").contains("READBUF"))
        #expect(dialogue.line("TIMEOUT 1") == "0\n")
    }

    @Test("An unterminated line is rejected once and uses bounded memory")
    func longLine() {
        var dialogue = Dialogue()
        var replies: [UInt8] = []
        for _ in 0..<1000 { replies += dialogue.send([UInt8](repeating: 65, count: 1000)) }
        #expect(replies == Array("-22\n".utf8))
        #expect(dialogue.session.acceptsInput)
        #expect(dialogue.line("") == "")
        #expect(dialogue.line("TIMEOUT 1") == "0\n")
    }

    @Test("Mask bits are indices into the channel list")
    func mask() throws {
        // accel_x and the timestamp are the fourth and seventh of the seven channels of a BMI160: 0x08 + 0x40.
        #expect(try #require(IIODChannelMask("00000048", channelCount: 7)).channels == [3, 6])
        // The most significant word comes first: channel 32 is bit 0 of the first word.
        let wide = try #require(IIODChannelMask("0000000100000003", channelCount: 33))
        #expect(wide.channels == [0, 1, 32])
        #expect(IIODChannelMask("00000001", channelCount: 33) == nil)
        #expect(
            IIODChannelMask("0000000A", channelCount: 4).map { String(decoding: $0.text, as: UTF8.self) } == "0000000a")
    }
}
