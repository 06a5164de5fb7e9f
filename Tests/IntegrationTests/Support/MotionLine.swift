// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line of the program that prints the events of motion sensors.
struct MotionLine: Decodable, Sendable {
    struct Sensor: Decodable, Sendable {
        let id: String
        let kind: String
        let name: String
        let label: String
        let location: String
        let mode: String
        let clock: String
        let matrix: String
        let origin: String
        let remarks: [String]
    }

    let event: String
    var kind: String?
    var sensor: String?
    var arrival: Int64?
    var times: [Int64]?
    var values: [[Double]]?
    var code: String?
    var message: String?
    var sensors: [Sensor]?
    var rates: [String: Double?]?
    var threads: Int?
    var descriptors: Int?
    var kilobytes: Int?
    var milliseconds: Int?
    var sleeps: Int?

    init?(_ text: String) {
        guard let line = try? JSONDecoder().decode(MotionLine.self, from: Data(text.utf8)) else { return nil }
        self = line
    }

    /// True if the text is a line of this event. Faster than decoding the line.
    static func `is`(_ text: String, _ event: String) -> Bool { text.hasPrefix(#"{"event":"\#(event)""#) }
}
