// SPDX-License-Identifier: Apache-2.0

import Trace

/// Counts, by kind, the content that an export omits because the format cannot represent it.
struct SkippedContent: Sendable {
    /// The content kinds, in the order in which the remarks list them. The raw values are indices into `counts`.
    enum Kind: Int, CaseIterable, Sendable {
        case readings, reports, attitudes, skies, batteries, texts, accessories, beacons, losses

        var name: String {
            switch self {
            case .readings: "motion readings"
            case .reports: "gpsd reports"
            case .attitudes: "attitude reports"
            case .skies: "satellite and dilution reports"
            case .batteries: "battery states"
            case .texts: "lines that are not gpsd reports"
            case .accessories: "accessory events"
            case .beacons: "beacon events"
            case .losses: "source loss and recovery events"
            }
        }
    }

    private var counts = Kind.allCases.map { _ in 0 }

    mutating func add(_ kind: Kind) { counts[kind.rawValue] += 1 }

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

    mutating func add(batteryOf header: TraceHeader?) {
        if header?.battery != nil { add(.batteries) }
    }

    /// Returns a sentence for each kind of omitted content, except for the kinds in `included`.
    func remarks(without included: Set<Kind> = []) -> [String] {
        zip(Kind.allCases, counts).compactMap { kind, count in
            count == 0 || included.contains(kind) ? nil : "\(count) \(kind.name) were omitted."
        }
    }
}

extension [String] {
    /// Appends a remark that begins with the count, unless the count is zero.
    mutating func appendRemark(count: some BinaryInteger, _ text: @autoclosure () -> String) {
        if count > 0 { append("\(count) \(text())") }
    }
}
