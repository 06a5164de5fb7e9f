// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDSource
import IIOSource
import SimulatedServers
import TestSupport
import Trace
import UdevSource

/// Traces for the server tests.
enum Traces {
    static let start = #""start":{"utc":"2026-01-01T00:00:00Z","boot":100}"#

    static func file(_ lines: [String], name: String = "test", start: String? = start) throws -> TraceFile {
        let header = [#""format":"device-services-trace","version":1"#, start].compactMap(\.self)
        let text = (["{\(header.joined(separator: ","))}"] + TraceLines.inOrder(lines)).joined(separator: "\n") + "\n"
        return try TraceFile(bytes: Array(text.utf8), name: name)
    }

    /// One position per second.
    static func fixes(_ count: Int) -> [String] {
        (0..<count).map { second in
            #"{"t":\#(second),"gpsd":{"class":"TPV","device":"/dev/ttyS1","mode":3,"#
                + #""time":"2026-01-01T00:00:\#(second < 10 ? "0" : "")\#(second).000Z","lat":48.\#(second),"lon":11.5,"eph":5}}"#
        }
    }

    /// Numbered accelerometer readings at 50 Hz.
    static func readings(_ count: Int, more: String = "") -> [String] {
        (0..<count).map { #"{"t":\#(Double($0) / 50),"accelerometer":[\#(Double($0) / 1000),0,9.8]\#(more)}"# }
    }

    static let attach =
        #"{"t":0.2,"attach":{"id":"1","name":"Scale","serial":"7","protocols":["com.example.scale"]}}"#
}

/// The live sources of a machine with the given environment variables.
struct Machine {
    let configuration: Configuration
    let clock = LiveClock()

    init(_ environment: [String: String]) {
        configuration = Configuration.load(
            environment: environment,
            readFile: { path throws(DeviceError) in FileManager.default.contents(atPath: path).map { [UInt8]($0) } })
    }

    var positions: GPSDSource { GPSDSource(address: configuration.positionSource.value, clock: clock) }

    var motion: IIOSource { IIOSource(addresses: configuration.motionSources.value, clock: clock) }

    var accessories: UdevSource { UdevSource(configuration: configuration, clock: clock) }
}
