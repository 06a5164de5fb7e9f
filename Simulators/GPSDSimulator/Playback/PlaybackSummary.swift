// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// A summary of the beginning of a gpsd trace.
struct PlaybackSummary {
    private static let maximumEventCount = 10_000
    /// The receiver path assumed for reports that do not name a receiver.
    static let defaultPath = "/dev/ttyS0"

    /// The receivers that are present at the start of playback.
    private(set) var receivers: [ReceiverDescription] = []
    private(set) var version: GPSDVersion?
    private(set) var firstTime: WallTime?
    /// The arrival time of the report that contains `firstTime`, in nanoseconds since the start of the trace.
    private(set) var firstTimeAt: Int64 = 0
    private(set) var hasSentences = false
    private var hasReports = false
    /// The path assumed for reports that do not name a receiver, or nil if every report names one.
    private(set) var defaultReceiverPath: String?
    private var isComplete = false
    /// The paths of receivers that first appear in a DEVICE object. These receivers are not present at the start of
    /// playback.
    private var laterReceivers: Set<String> = []

    /// The paths of all receivers, including receivers that appear later.
    var paths: [String] {
        let first = receivers.map(\.path)
        return first + laterReceivers.subtracting(first).sorted()
    }

    init(_ file: TraceFile) {
        for device in file.header?.devices ?? [] where device.kind == "gpsd" { addReceiver(device.receiver) }
        var trace = PlayedTrace(file)
        var count = 0
        while count < Self.maximumEventCount {
            guard let event = trace.next() else {
                isComplete = true
                break
            }
            count += 1
            switch event.contents {
            case .text(let line): if line.first == UInt8(ascii: "$") { hasSentences = true }
            case .report(_, let report): process(report, event.time)
            case .lost, .regained: break
            }
        }
        for index in receivers.indices where receivers[index].driver.isEmpty {
            receivers[index].driver = Self.defaultDriver
        }
    }

    /// Throws an error if a fault names a receiver that is not in the trace. Does nothing if only part of the trace has
    /// been summarized.
    func check(_ faults: [GPSDFault]) throws(DeviceError) {
        let known = paths.sorted()
        for fault in faults {
            guard isComplete, let path = fault.device, !known.contains(path) else { continue }
            let others = known.isEmpty ? "none" : known.prefix(20).joined(separator: ", ")
            throw DeviceError(
                .invalidConfiguration,
                "A fault names \"\(path.prefix(200))\", which is not a receiver of the simulated gpsd. Its receivers: \(others)."
            )
        }
    }

    /// Returns the time, in nanoseconds, to add to all report times so that the first report is current when playback
    /// starts at `now`.
    func shift(toPlayAt now: WallTime) -> Int64 {
        guard let firstTime else { return 0 }
        let firstPlaybackTime = now.nanoseconds.addingSaturated(firstTimeAt)
        // A shift by whole seconds preserves the fractions of a second in fix times. Rounding down avoids times in the
        // future.
        let rest = firstPlaybackTime.subtractingSaturated(firstTime.nanoseconds)
        return rest - ((rest % 1_000_000_000) + 1_000_000_000) % 1_000_000_000
    }

    static let defaultDriver = "NMEA0183"

    private mutating func process(_ report: GPSDReport, _ time: Int64) {
        if let origin = report.origin { return recordReport(from: origin.receiver, origin.time, time) }
        switch report {
        case .version(let version): if self.version == nil { self.version = version }
        case .devices(let list): if !hasReports { for receiver in list { addReceiver(receiver) } }
        case .device(let receiver):
            // A DEVICE object may describe a receiver that has already sent reports. Such a receiver is present from
            // the start.
            if receivers.contains(where: { $0.path == receiver.path }) {
                if receiver.isActive { addReceiver(receiver) }
            } else {
                laterReceivers.insert(receiver.path)
            }
        case .other: hasReports = true
        default: break
        }
    }

    private mutating func recordReport(from path: String, _ time: WallTime?, _ at: Int64) {
        hasReports = true
        if firstTime == nil, let time { (firstTime, firstTimeAt) = (time, at) }
        if !path.isEmpty {
            if !laterReceivers.contains(path) { addReceiver(ReceiverDescription(path: path)) }
        } else if defaultReceiverPath == nil {
            if receivers.isEmpty { addReceiver(ReceiverDescription(path: Self.defaultPath)) }
            defaultReceiverPath = receivers.first?.path
        }
    }

    private mutating func addReceiver(_ receiver: ReceiverDescription) {
        guard !receiver.path.isEmpty else { return }
        if let index = receivers.firstIndex(where: { $0.path == receiver.path }) {
            // A later description replaces an earlier one only if it names a driver.
            if !receiver.driver.isEmpty { receivers[index] = receiver }
        } else if receivers.count < GPSDState.maximumReceivers {
            receivers.append(receiver)
        }
    }
}

extension GPSDState {
    init(_ summary: PlaybackSummary, now: WallTime) {
        self.init(
            version: summary.version ?? Self.defaultVersion,
            receivers: summary.receivers.map {
                SimulatedReceiver(description: $0, activation: now, isPresent: $0.isActive)
            })
    }
}
