// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Makes reports of the sentences of NMEA 0183.
///
///     var decoder = NMEADecoder()
///     for line in lines { decoder.decode(line) { report in … } }
///     decoder.finish { report in … }
///
/// It reads GGA, GNS, RMC, GLL, VTG, GSA, GSV, GST, ZDA, DPT, HDT, HDG, HDM, THS, VHW, ROT and the pitch and roll of XDR, of
/// every talker. Other sentences are passed over, and those with a wrong checksum count for nothing. All sentences of one
/// time make one epoch, which is handed over when the next one begins: satellites, then the position, then directions.
/// A sentence whose time differs from that of its epoch by whole quarter hours is in local time; its time is ignored.
///
/// Units and references are those of ``DeviceCore/PositionReport``. GST's standard deviations become errors of 95 per
/// cent. Altitudes are above mean sea level, and above the ellipsoid too when the geoid separation is given. If one
/// sentence of an epoch reports no fix, the epoch has none. A sentence whose status or coordinates cannot be read gives
/// no position; without any other position the mode is unknown. RMC and ZDA give dates, which are continued over
/// midnight until the next one. The dates of a void RMC and 6 January 1980, the GPS epoch, are used only until another
/// date is known. Dates are not corrected when a receiver's week counter has overflowed.
public struct NMEADecoder: Sendable {
    /// The most receivers that are told apart.
    private static let maximumReceivers = 16
    /// The longest name of a receiver.
    private static let maximumName = 64

    /// What it came across.
    public var counts: NMEACounts { findings.counts }
    private var findings = NMEAFindings()
    private let options: NMEADecoderOptions
    private let midnight: Int64?
    /// Receivers by the names that tag blocks give them; the first one is that without a name.
    private var streams: [(name: [UInt8], stream: NMEAStream)]

    /// A decoder that has seen nothing.
    public init(options: NMEADecoderOptions = .init()) {
        self.options = options
        midnight = options.date.map { date in
            let rest = date.nanoseconds % NMEAClock.day
            return date.nanoseconds - (rest < 0 ? rest + NMEAClock.day : rest)
        }
        streams = [([], NMEAStream(receiver: "", midnight: midnight))]
    }

    /// The day on which the first sentence with a time was made, as the first date and the midnights before it tell; nil
    /// as long as there was no date.
    public var firstDate: WallTime? {
        streams.lazy.compactMap(\.stream.clock.firstMidnight).first.map { WallTime(nanoseconds: $0) }
    }

    /// True once a date that is not provisional is known.
    package var hasCertainDate: Bool { streams.contains { $0.stream.clock.hasCertainDate } }

    /// Reads the sentences of a line: usually one, perhaps behind a tag block, a stamp or other text.
    ///
    /// - Parameters:
    ///   - line: without its line end. It may hold any bytes.
    ///   - arrival: when it arrived; nil for what a tag block says, if there is one.
    ///   - receive: gets the reports that are complete now.
    public mutating func decode(
        _ line: UnsafeRawBufferPointer, arrival: WallTime? = nil, receive: (NMEAReport) -> Void
    ) {
        var parts = NMEALine(line, allowsMissingChecksum: options.allowsMissingChecksum)
        var arrival = arrival
        var stream: Int? = 0
        while let part = parts.next() {
            switch part {
            case .broken: findings.counts.broken += 1
            case .tagBlock(let range):
                let block = NMEATagBlock(UnsafeRawBufferPointer(rebasing: line[range]))
                if arrival == nil { arrival = block.time }
                if let source = block.source { stream = index(of: source) }
            case .sentence(let range, let hasChecksum):
                guard let stream else {
                    findings.counts.receiversLeftOut += 1
                    continue
                }
                take(UnsafeRawBufferPointer(rebasing: line[range]), hasChecksum, stream, arrival, receive)
            }
        }
    }

    /// The number of the line that is decoded next, for ``NMEAIssue/line``. Set by the caller; 0 if lines are not numbered.
    package var line: Int {
        get { findings.line }
        set { findings.line = newValue }
    }

    /// Returns and removes the issues recorded since the last call.
    package mutating func drainIssues() -> [NMEAIssue] { findings.issues.isEmpty ? [] : findings.drainIssues() }

    /// Hands over what is left, as no line follows.
    public mutating func finish(receive: (NMEAReport) -> Void) {
        for index in streams.indices { streams[index].stream.flush(&findings, receive) }
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ hasChecksum: Bool, _ stream: Int, _ arrival: WallTime?,
        _ receive: (NMEAReport) -> Void
    ) {
        guard let first = bytes.first, first != UInt8(ascii: "P"), let sentence = NMEASentence(bytes) else {
            findings.counts.passedOver += 1
            return
        }
        let isRead = streams[stream].stream.take(sentence, arrival: arrival, findings: &findings, receive: receive)
        if isRead { findings.counts.read += 1 } else { findings.counts.passedOver += 1 }
        if isRead, !hasChecksum { findings.counts.unchecked += 1 }
    }

    private mutating func index(of source: UnsafeRawBufferPointer) -> Int? {
        let name = source.prefix(Self.maximumName)
        if let index = streams.firstIndex(where: { $0.name.elementsEqual(name) }) { return index }
        guard streams.count < Self.maximumReceivers else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        let known = streams.lazy.compactMap(\.stream.clock.firstMidnight).first
        streams.append(([UInt8](name), NMEAStream(receiver: text, midnight: midnight ?? known)))
        return streams.count - 1
    }
}

/// What is known of sentences beforehand.
public struct NMEADecoderOptions: Sendable, Hashable {
    /// The day on which they begin, as any instant of it; nil to learn it from RMC and ZDA. Those count more.
    public var date: WallTime?
    /// True to take sentences that have no checksum. Sentences that were cut off have none either.
    public var allowsMissingChecksum = false

    /// Options for what receivers send.
    public init() {}
}
