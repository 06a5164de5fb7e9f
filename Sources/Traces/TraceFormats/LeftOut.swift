// SPDX-License-Identifier: Apache-2.0

import Trace

/// What a format has no place for, counted by kind.
struct LeftOut: Sendable {
    /// The kinds that are told apart, in the order in which remarks name them.
    enum Kind: Int, CaseIterable, Sendable {
        case readings, reports, attitudes, skies, batteries, texts, accessories, beacons, losses

        /// What several of them are called.
        var name: String {
            switch self {
            case .readings: "motion readings"
            case .reports: "reports of gpsd"
            case .attitudes: "attitudes of receivers"
            case .skies: "reports of satellites and dilutions"
            case .batteries: "states of the battery"
            case .texts: "lines that are no reports of gpsd"
            case .accessories: "events of accessories"
            case .beacons: "events of beacons"
            case .losses: "notes that a source was lost or was back"
            }
        }
    }

    private var counts = Kind.allCases.map { _ in 0 }

    /// Notes more of a kind.
    mutating func add(_ kind: Kind) { counts[kind.rawValue] += 1 }

    /// Notes an event that is passed over whatever is in it.
    mutating func add(_ kind: TraceRecord.Kind) {
        switch kind {
        case .gpsd: add(.reports)
        case .gpsdText: add(.texts)
        case .sample: add(.readings)
        case .battery: add(.batteries)
        case .accessory: add(.accessories)
        case .beacon: add(.beacons)
        case .lost, .regained, .sensorLost, .sensorRegained: add(.losses)
        }
    }

    /// Notes the battery that a header tells of.
    mutating func add(batteryOf header: TraceHeader?) {
        if header?.battery != nil { add(.batteries) }
    }

    /// A sentence for each kind that was left out, but for those that the format has after all.
    func remarks(without kept: Set<Kind> = []) -> [String] {
        zip(Kind.allCases, counts).compactMap { kind, count in
            count == 0 || kept.contains(kind) ? nil : "\(count) \(kind.name) were left out."
        }
    }
}

extension [String] {
    /// Adds a remark that begins with how many there were, if there were any.
    mutating func tell(_ count: some BinaryInteger, _ text: @autoclosure () -> String) {
        if count > 0 { append("\(count) \(text())") }
    }
}
