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
/// A sentence that is whole quarters of an hour away from the others of its epoch gives local time, which is ignored.
///
/// Units and references are those of ``DeviceCore/PositionReport``. GST's standard deviations become errors of 95 per
/// cent. Altitudes are above mean sea level, and above the ellipsoid too when the geoid's separation is said. A position
/// that one sentence of its epoch calls invalid is none; a sentence whose status or position cannot be read leaves it to
/// the others, and without any others the mode is unknown. Dates come with RMC and ZDA, and go on over midnight until the
/// next one; those of a void RMC and 6 January 1980, where GPS begins, only until the first other one. Dates are not
/// repaired when a receiver's counter of weeks overflowed.
public struct NMEADecoder: Sendable {
    /// The most receivers that are told apart.
    private static let maximumReceivers = 16
    /// The longest name of a receiver.
    private static let maximumName = 64

    /// What it came across.
    public private(set) var counts = NMEACounts()
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

    /// True once a date came that was not provisional.
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
            case .broken: counts.broken += 1
            case .tagBlock(let range):
                let block = NMEATagBlock(UnsafeRawBufferPointer(rebasing: line[range]))
                if arrival == nil { arrival = block.time }
                if let source = block.source { stream = index(of: source) }
            case .sentence(let range, let hasChecksum):
                guard let stream else {
                    counts.receiversLeftOut += 1
                    continue
                }
                take(UnsafeRawBufferPointer(rebasing: line[range]), hasChecksum, stream, arrival, receive)
            }
        }
    }

    /// Returns what could not be read since the last call.
    package mutating func takeIssues() -> [NMEAIssue] {
        defer { counts.issues.removeAll(keepingCapacity: true) }
        return counts.issues
    }

    /// Hands over what is left, as no line follows.
    public mutating func finish(receive: (NMEAReport) -> Void) {
        for index in streams.indices { streams[index].stream.flush(&counts, receive) }
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ hasChecksum: Bool, _ stream: Int, _ arrival: WallTime?,
        _ receive: (NMEAReport) -> Void
    ) {
        guard let first = bytes.first, first != UInt8(ascii: "P"), let sentence = NMEASentence(bytes) else {
            counts.passedOver += 1
            return
        }
        let isRead = streams[stream].stream.take(sentence, arrival: arrival, counts: &counts, receive: receive)
        if isRead { counts.read += 1 } else { counts.passedOver += 1 }
        if isRead, !hasChecksum { counts.unchecked += 1 }
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
