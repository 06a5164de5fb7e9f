// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// What a look at the beginning of a trace says about the gpsd that it is of.
struct TraceSurvey {
    /// So many events are looked at.
    private static let extent = 10_000
    /// The path of the receiver of reports that name none.
    static let defaultPath = "/dev/ttyS0"

    /// The receivers that are there when playback begins.
    private(set) var receivers: [ReceiverDescription] = []
    /// The greeting; nil when the trace has none.
    private(set) var version: GPSDVersion?
    /// The first time that a report tells; nil when none does.
    private(set) var firstTime: WallTime?
    /// When the report with that time comes, in nanoseconds since the beginning.
    private(set) var firstTimeAt: Int64 = 0
    /// True when it holds sentences that a receiver sent.
    private(set) var hasSentences = false
    /// True when there is anything for a gpsd to say.
    private(set) var hasReports = false
    /// The path for reports that name no receiver; nil when every report names one.
    private(set) var pathOfNameless: String?

    /// True when the look went to the end of the trace.
    private(set) var isWhole = false

    /// Receivers that come later: their first sign is a DEVICE after the first report.
    private var late: Set<String> = []

    /// The paths of all receivers, those that come later too.
    var paths: [String] {
        let first = receivers.map(\.path)
        return first + late.subtracting(first).sorted()
    }

    init(_ file: TraceFile) {
        for device in file.header?.devices ?? [] where device.kind == "gpsd" { see(device.receiver) }
        var trace = PlayedTrace(file)
        var count = 0
        while count < Self.extent {
            guard let event = trace.next() else {
                isWhole = true
                break
            }
            count += 1
            switch event.contents {
            case .text(let line): if line.first == UInt8(ascii: "$") { hasSentences = true }
            case .report(_, let report): look(at: report, event.time)
            case .lost, .regained: break
            }
        }
        for place in receivers.indices where receivers[place].driver.isEmpty {
            receivers[place].driver = Self.usualDriver
        }
    }

    /// Throws for a fault of a receiver that is not in the trace, as far as the look went.
    func check(_ faults: [GPSDFault]) throws(DeviceError) {
        let known = Set(receivers.map(\.path)).union(late)
        for fault in faults {
            guard isWhole, let path = fault.device, !known.contains(path) else { continue }
            let others = known.isEmpty ? "it has none" : "it has \(known.sorted().prefix(20).joined(separator: ", "))"
            throw DeviceError(
                .invalidConfiguration,
                "A fault is of \"\(path.prefix(200))\", which is no receiver of the simulated gpsd: \(others).")
        }
    }

    /// By how many nanoseconds times have to be moved so that the first one is of now when it comes, for playback that
    /// begins at that time.
    func shift(toPlayAt now: WallTime) -> Int64 {
        guard let firstTime else { return 0 }
        let comes = now.nanoseconds.addingSaturated(firstTimeAt)
        // Whole seconds, so that fixes of full seconds stay such; down, so that none is of the future.
        let rest = comes.subtractingSaturated(firstTime.nanoseconds)
        return rest - ((rest % 1_000_000_000) + 1_000_000_000) % 1_000_000_000
    }

    /// The driver of receivers of which nothing else is known.
    static let usualDriver = "NMEA0183"

    private mutating func look(at report: GPSDReport, _ time: Int64) {
        switch report {
        case .version(let version): if self.version == nil { self.version = version }
        case .devices(let list): if !hasReports { for receiver in list { see(receiver) } }
        case .device(let receiver):
            // One that is identified after it has reported was there before.
            if receivers.contains(where: { $0.path == receiver.path }) {
                if receiver.isActive { see(receiver) }
            } else {
                late.insert(receiver.path)
            }
        case .position(let report): note(report.receiver, report.time, time)
        case .sky(let report): note(report.receiver, report.time, time)
        case .attitude(let report): note(report.receiver, report.time, time)
        case .other: hasReports = true
        case .watch, .error, .malformed: break
        }
    }

    private mutating func note(_ path: String, _ time: WallTime?, _ at: Int64) {
        hasReports = true
        if firstTime == nil, let time { (firstTime, firstTimeAt) = (time, at) }
        guard path.isEmpty else {
            var receiver = ReceiverDescription()
            receiver.path = path
            if !late.contains(path), !receivers.contains(where: { $0.path == path }) { see(receiver) }
            return
        }
        guard pathOfNameless == nil else { return }
        if let only = receivers.first {
            pathOfNameless = only.path
        } else {
            var receiver = ReceiverDescription()
            receiver.path = Self.defaultPath
            see(receiver)
            pathOfNameless = receiver.path
        }
    }

    private mutating func see(_ receiver: ReceiverDescription) {
        guard !receiver.path.isEmpty else { return }
        if let place = receivers.firstIndex(where: { $0.path == receiver.path }) {
            // A later word knows more, unless it says nothing.
            if !receiver.driver.isEmpty { receivers[place] = receiver }
        } else if receivers.count < GPSDWorld.maximumReceivers {
            receivers.append(receiver)
        }
    }
}

extension GPSDWorld {
    /// What a gpsd knows at the beginning of a trace.
    init(_ survey: TraceSurvey, now: WallTime) {
        self.init(
            version: survey.version ?? Self.defaultVersion,
            receivers: survey.receivers.map {
                SimulatedReceiver(description: $0, activation: now, isPresent: $0.isActive)
            })
    }
}
