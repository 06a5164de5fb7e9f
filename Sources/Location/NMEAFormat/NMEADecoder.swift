// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Decodes NMEA 0183 sentences into reports.
///
/// Decodes GGA, GNS, RMC, GLL, VTG, GSA, GSV, GST, ZDA, DPT, HDT, HDG, HDM, THS, VHW, ROT and the pitch, roll and yaw
/// in XDR, from all talkers. Ignores other sentences and sentences with an invalid checksum. All sentences with the
/// same time form an epoch. An epoch's reports are delivered when the next epoch begins, in the order satellites,
/// position, attitude. A time that differs from the epoch's time by a multiple of 15 minutes is assumed to be local and
/// is ignored.
///
/// Reports use the units and reference systems of ``DeviceCore/PositionReport``. The standard deviations in GST are
/// converted to errors at the 95 % confidence level. If the geoid separation is known, altitudes are also reported
/// above the ellipsoid. If any sentence in an epoch reports that there is no fix, the epoch has no fix. If no sentence
/// in the epoch has a valid position, the fix mode is unknown.
///
/// Dates are read from RMC and ZDA, and advance at midnight until the next date is received. The following dates are
/// unreliable, and are used only until a reliable date is known: the date in a void RMC, 6 January 1980 (the GPS
/// epoch), and 1 January of the two-digit year 70. Dates are not corrected for GPS week rollovers.
package struct NMEADecoder: Sendable {
    private static let maximumReceivers = 16
    /// The maximum length of a receiver name in bytes. A longer name is truncated.
    private static let maximumNameLength = 64

    package var counts: NMEACounts { diagnostics.counts }
    private var diagnostics = NMEADiagnostics()
    private let options: NMEADecoderOptions
    private let midnight: Int64?
    /// One assembler per receiver. A receiver is identified by the source name in its tag blocks. The first assembler
    /// processes sentences without a source name.
    private var streams: [(name: [UInt8], stream: NMEAEpochAssembler)]

    package init(options: NMEADecoderOptions = .init()) {
        self.options = options
        midnight = options.date.map { date in
            let rest = date.nanoseconds % NMEAClock.day
            return date.nanoseconds - (rest < 0 ? rest + NMEAClock.day : rest)
        }
        streams = [([], NMEAEpochAssembler(receiver: "", midnight: midnight))]
    }

    /// The date of the first sentence with a time, or nil until a date is known.
    package var firstDate: WallTime? {
        streams.lazy.compactMap(\.stream.clock.firstMidnight).first.map { WallTime(nanoseconds: $0) }
    }

    package var hasCertainDate: Bool { streams.contains { $0.stream.clock.hasCertainDate } }

    /// Decodes the sentences in a line. A line usually contains one sentence, optionally preceded by a tag block, a
    /// timestamp or other text. The line must not include its terminator. If `arrival` is nil, the time in the tag
    /// block is used. `receive` is called synchronously with each complete report.
    package mutating func decode(
        _ line: UnsafeRawBufferPointer, arrival: WallTime? = nil, receive: (NMEAReport) -> Void
    ) {
        var scanner = NMEALineScanner(line, allowsMissingChecksum: options.allowsMissingChecksum)
        var arrival = arrival
        var stream: Int? = 0
        while let element = scanner.nextElement() {
            switch element {
            case .invalid: diagnostics.counts.invalid += 1
            case .tagBlock(let range):
                let block = NMEATagBlock(UnsafeRawBufferPointer(rebasing: line[range]))
                if arrival == nil { arrival = block.time }
                if let source = block.source { stream = streamIndex(of: source) }
            case .sentence(let range, let hasChecksum):
                guard let stream else {
                    diagnostics.counts.ignoredReceiverSentences += 1
                    continue
                }
                decode(
                    UnsafeRawBufferPointer(rebasing: line[range]), hasChecksum: hasChecksum, stream: stream,
                    arrival: arrival, receive: receive)
            }
        }
    }

    /// The number of the next line, set by the caller and reported in issues.
    package var line: Int {
        get { diagnostics.line }
        set { diagnostics.line = newValue }
    }

    /// Returns and removes the issues recorded since the last call.
    package mutating func drainIssues() -> [NMEAIssue] { diagnostics.issues.isEmpty ? [] : diagnostics.drainIssues() }

    /// Delivers the remaining reports. Call this method after the last line.
    package mutating func finish(receive: (NMEAReport) -> Void) {
        for index in streams.indices { streams[index].stream.flush(&diagnostics, receive) }
    }

    private mutating func decode(
        _ bytes: UnsafeRawBufferPointer, hasChecksum: Bool, stream: Int, arrival: WallTime?,
        receive: (NMEAReport) -> Void
    ) {
        guard let first = bytes.first, first != UInt8(ascii: "P"), let sentence = NMEASentence(bytes) else {
            diagnostics.counts.unsupported += 1
            return
        }
        let isRead = streams[stream].stream.process(
            sentence, arrival: arrival, diagnostics: &diagnostics, receive: receive)
        if isRead { diagnostics.counts.decoded += 1 } else { diagnostics.counts.unsupported += 1 }
        if isRead, !hasChecksum { diagnostics.counts.withoutChecksum += 1 }
    }

    private mutating func streamIndex(of source: UnsafeRawBufferPointer) -> Int? {
        let name = source.prefix(Self.maximumNameLength)
        if let index = streams.firstIndex(where: { $0.name.elementsEqual(name) }) { return index }
        guard streams.count < Self.maximumReceivers else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        let known = streams.lazy.compactMap(\.stream.clock.firstMidnight).first
        streams.append(([UInt8](name), NMEAEpochAssembler(receiver: text, midnight: midnight ?? known)))
        return streams.count - 1
    }
}

package struct NMEADecoderOptions: Sendable, Hashable {
    /// The date of the first sentence, given as any time on that day, or nil if the date is unknown. A reliable date in
    /// an RMC or ZDA sentence takes precedence.
    package var date: WallTime?
    /// Whether sentences without a checksum are accepted, even though they may be truncated.
    package var allowsMissingChecksum = false

    package init() {}
}
