// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

/// A test bench that consists of a hub, a subscriber and a table of input and expected events.
///
/// Each row contains: seconds, receiver, the receiver's time in seconds or `-`, mode, number | expected events. The
/// number is the report's latitude and identifies it on the right. `eph=` may follow it. Other rows are `seconds
/// quiet`, `seconds lost`, `seconds regained` and `seconds discard`.
final class HubBench: Sendable {
    let hub = PositionHub {}
    private let received = Mutex<[String]>([])
    private let subscription = Mutex<Subscription?>(nil)

    init(_ request: PositionRequest = PositionRequest()) {
        let subscription = hub.subscribe(request) { [weak self] event in self?.record(event) }
        self.subscription.withLock { $0 = subscription }
    }

    /// Returns the events since the last call.
    func removeReceived() -> [String] {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }

    func play(_ table: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for line in table.split(separator: "\n") {
            let halves = line.split(separator: "|", omittingEmptySubsequences: false)
            let words = halves[0].split(separator: " ").map(String.init)
            try perform(words)
            let expected = halves.count > 1 ? halves[1].split(separator: " ").map(String.init) : []
            #expect(removeReceived() == expected, "\(line)", sourceLocation: sourceLocation)
        }
    }

    private func perform(_ words: [String]) throws {
        let now = BootTime.zero.advanced(bySeconds: try #require(words.first.flatMap { Double($0) }))
        // Like a source, deliver held epochs at their own deadlines.
        while hub.nextDeadline <= now { hub.deliverDueReports(now: hub.nextDeadline) }
        switch words[1] {
        case "quiet": break
        case "lost": hub.setStatus(.unavailable(DeviceError(.connectionLost, "")))
        case "regained": hub.setStatus(.available)
        case "discard": hub.discardPending()
        default:
            var report = PositionReport()
            report.receiver = words[1]
            report.arrival = now
            report.time = Double(words[2]).flatMap { WallTime(seconds: $0) }
            report.mode = try #require(UInt8(words[3]).flatMap(FixMode.init(rawValue:)))
            report.latitude = try #require(Double(words[4]))
            report.longitude = 0
            for word in words.dropFirst(5) {
                if word.hasPrefix("eph=") { report.horizontalError = try #require(Double(word.dropFirst(4))) }
            }
            hub.post(report)
        }
    }

    private func record(_ event: PositionEvent) {
        let text =
            switch event {
            case .report(let report): "\(Int(report.latitude))"
            case .sky(let sky): "sky(\(sky.receiver),\(sky.satellites?.count ?? -1),\(sky.hdop))"
            case .attitude(let attitude): "attitude(\(attitude.receiver))"
            case .receivers(let list): "receivers(\(list.map(\.path).joined(separator: ",")))"
            case .line(let bytes, _): "line(\(bytes.count))"
            case .lost: "lost"
            case .regained: "regained"
            }
        received.withLock { $0.append(text) }
    }
}
