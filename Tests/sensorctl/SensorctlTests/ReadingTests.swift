// SPDX-License-Identifier: Apache-2.0

import SensorTools
import Testing

@testable import sensorctl

@Suite("Readings and names of arguments")
struct ReadingTests {
    @Test("Colors are printed, and control characters in text are replaced")
    func commands() {
        let ink = TerminalStyle(isOn: true)
        #expect(TerminalText.lines(ink.bold("a\u{1B}[2Jb")) == Array("\u{1B}[1ma\u{FFFD}[2Jb\u{1B}[0m".utf8))
        // All private-use characters that could serve as internal markers of escape sequences.
        let sweep = (0x100000...0x10fffd).compactMap { Unicode.Scalar(UInt32($0)) }.map { "\($0)[2J" }.joined()
        #expect(!TerminalText.lines(sweep).contains(0x1B))
    }

    @Test("Streams, frames and orientations have names and aliases")
    func names() {
        #expect(StreamName(argument: "attitude") == .deviceMotion)
        #expect(StreamName(argument: "device-motion") == .deviceMotion)
        #expect(StreamName(argument: "heading") == .heading)
        #expect(StreamName(argument: "compass") == nil)
        #expect(FrameName(argument: "TRUE") == .true)
        #expect(FrameName(argument: "xTrueNorthZVertical") == .true)
        #expect(FrameName(argument: "xarbitrarycorrectedzvertical") == .corrected)
        #expect(FrameName(argument: "") == nil)
        #expect(EdgeName(argument: "LandscapeLeft") == .landscapeLeft)
    }

    @Test("The list of streams in the help is complete")
    func list() {
        #expect(
            StreamName.allValueStrings.joined(separator: ", ")
                == "location, heading, attitude, device-motion, accelerometer, gyro, magnetometer, pressure, orientation, steps, activity, accessories, beacons, regions, monitor, visits"
        )
        #expect(StreamName.allCases.allSatisfy { StreamName.allValueStrings.contains($0.rawValue) })
    }

    @Test("A line of `watch` contains all properties of an accessory")
    func line() {
        let reading = AccessoryReading(
            connectionID: 4, name: "Weigh Scale", manufacturer: "Example Corp", model: "WS-7", serial: "7731",
            protocols: ["com.example.scale", "com.example.log"])
        #expect(reading.line == "4  Weigh Scale  Example Corp  WS-7  serial 7731  com.example.scale, com.example.log")
        #expect(AccessoryReading(connectionID: 5, name: "\u{1B}[H").line == "5  \u{FFFD}[H  no protocol")
    }
}
