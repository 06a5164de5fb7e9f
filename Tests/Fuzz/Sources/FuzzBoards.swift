// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import MQTTPublisher

/// The input is a payload on the topic of a board, and also a line of a spool.
func fuzzBoards(_ input: UnsafeBufferPointer<UInt8>) {
    let bytes = UnsafeRawBufferPointer(input)
    if let line = SpoolLine(bytes) {
        // A line that is parsed as complete is written back unchanged.
        let again = Array(line.bytes.dropLast())
        precondition(again.withUnsafeBytes { SpoolLine($0) } == line)
    }
    guard case .location(let location) = OwnTracksMessage(bytes) else { return }
    let report = location.report(receiver: "t", arrival: .zero)
    precondition(report.hasFix && report.time != nil && !(report.speed < 0) && !(report.horizontalError < 0))
    // A published location is parsed again with the same position and time.
    guard let again = OwnTracksLocation(report, now: .epoch) else { preconditionFailure("no fix") }
    let json = again.json(tracker: "ab")
    guard case .location(let back) = json.withUnsafeBytes({ OwnTracksMessage($0) }) else {
        preconditionFailure(String(decoding: json, as: UTF8.self))
    }
    precondition(abs(back.latitude - location.latitude) < 1e-8 && abs(back.longitude - location.longitude) < 1e-8)
    precondition(abs(back.time.seconds(since: location.time)) <= 0.001)
}
