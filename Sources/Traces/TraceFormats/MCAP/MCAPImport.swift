// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace

/// Converts the messages of an MCAP file to trace events. Files written by ``RecordingFormat/mcap`` are restored
/// completely. From other files, the import reads gpsd reports in JSON, foxglove.LocationFix messages in JSON or
/// Protocol Buffers, and motion readings with the schema and topic names of ``RecordingFormat/mcap``.
struct MCAPImport {
    private enum ChannelRole {
        case gpsd, events
        case location(isProtobuf: Bool)
        case sample(SensorKind)
        /// The channel is derived from another channel in the file, so its messages are ignored.
        case derived
        case none

        var isLocation: Bool { if case .location = self { true } else { false } }
    }

    /// The maximum size, in bytes (1 MiB), of a message in a file from another program. gpsd reports are far smaller.
    private static let maximumMessageSize = 1 << 20
    private static let maximumReceivers = 64
    /// The maximum number of unsupported message kinds that the remarks list separately. Messages of all other kinds
    /// are counted together.
    private static let maximumListedKinds = 8
    private let chunks: FileContents
    private let sink: any TraceSink
    private var reader: MCAPReader
    private var roles: [UInt16: ChannelRole] = [:]
    /// The topics of all messages in the file, or nil until they are needed.
    private var topics: Set<String>?
    private var omittedMessageCounts: [String: Int] = [:]
    private var omittedMessageCount = 0
    private var unreadableMessageCount = 0
    private var written = 0
    private var earlyMessageCount = 0
    /// The timestamp in the file that corresponds to time zero of the trace, in nanoseconds, or nil until it is known.
    private var origin: Int64?
    /// The parser for events that are stored as trace lines, or nil if the file contains no trace header.
    private var lines: TraceCursor?
    private var sorter = EventSorter()
    private var confidence = PositionDeviations.Confidence.ninetyFive
    private var decoder = GPSDDecoder()
    private var motions: [String: DerivedMotion] = [:]
    private var derivedMotionCount = 0
    private var impossibleValues = 0

    /// Reads a file into a trace and returns remarks. If the file contains nothing readable, throws an error that lists
    /// its contents.
    static func read(_ chunks: FileContents, into sink: any TraceSink) throws(DeviceError) -> [String] {
        var importer = MCAPImport(chunks: chunks, sink: sink, reader: try MCAPReader(chunks))
        let metadata = try MCAPReader.metadata(of: chunks, named: MCAP.metadataName)
        return try importer.run(header: metadata?["header"])
    }

    private mutating func run(header: String?) throws(DeviceError) -> [String] {
        if let header { try begin(header) } else { reader.maximumMessageSize = Self.maximumMessageSize }
        while let message = try reader.next() {
            guard let item = try item(message) else { continue }
            let time = Int64(clamping: message.logged)
            // The events of a file with a trace header are already in order.
            if lines != nil {
                try write(item, at: time)
                continue
            }
            sorter.insert(item, at: time)
            while let (earliest, time) = sorter.nextIfFull() { try write(earliest, at: time) }
        }
        while let (earliest, time) = sorter.next() { try write(earliest, at: time) }
        guard written > 0 || lines != nil else { throw nothingReadError }
        return remarks
    }

    private mutating func begin(_ text: String) throws(DeviceError) {
        let file = try TraceFile(bytes: [UInt8](text.utf8) + [UInt8(ascii: "\n")], name: name)
        let header = file.header ?? TraceHeader()
        lines = TraceCursor(file)
        origin = max(header.start?.wallTime.nanoseconds ?? 0, 0)
        if header.hasPhoneAccuracies { confidence = .sixtyEight }
        try sink.write(header)
    }

    /// Writes an event. If the file contains no trace header, the first call also writes a header, and the trace starts
    /// at the time of the event.
    private mutating func write(_ item: EventSorter.Item, at time: Int64) throws(DeviceError) {
        if origin == nil {
            origin = time
            var header = TraceHeader()
            header.source = name
            header.clock = ""
            // A time before 1971 is not a date. It is relative to another origin, such as the time of boot.
            if time > 31_536_000_000_000_000, time < .max {
                header.start = TraceHeader.Start(wallTime: WallTime(nanoseconds: time), boot: .zero)
            }
            try sink.write(header)
        }
        var event = item.event
        let passed = timeSinceOrigin(time)
        if passed < 0 { earlyMessageCount += 1 }
        event.time = max(passed, 0)
        switch event.contents {
        case .sample(let value, let kind, let sensor, let stamp?):
            event.contents = .sample(value, kind: kind, sensor: sensor, stamp: timeSinceOrigin(stamp))
        case .gpsd(let line) where item.isPosition: event.contents = .gpsd(completed(line, at: time))
        default: break
        }
        try sink.write(event)
        written += 1
    }

    /// Derives a missing speed, course or climb from the previous position.
    private mutating func completed(_ line: [UInt8], at time: Int64) -> [UInt8] {
        guard case .position(var report) = line.withUnsafeBytes({ decoder.decode($0) }),
            motions[report.receiver] != nil || motions.count < Self.maximumReceivers
        else { return line }
        let (receiver, instant) = (report.receiver, report.time?.nanoseconds ?? time)
        guard motions[receiver, default: DerivedMotion()].complete(&report, at: instant) else { return line }
        derivedMotionCount += 1
        return GPSDEncoder.encode(report)
    }

    /// Converts a message to an event without setting the event's time. Any measurement time in the event is still the
    /// file's timestamp. `write(_:at:)` later makes it relative to the start of the trace.
    private mutating func item(_ message: MCAPReader.Message) throws(DeviceError) -> EventSorter.Item? {
        let role = try role(of: message.channel)
        switch role {
        case .derived: return nil
        case .none:
            omittedMessageCount += 1
            let channel = reader.channels[message.channel]
            let description = channel.map { "\($0.schema.isEmpty ? $0.topic : $0.schema) (\($0.encoding))" }
            let key = description ?? "a channel that the file does not describe"
            if omittedMessageCounts.count < Self.maximumListedKinds || omittedMessageCounts[key] != nil {
                omittedMessageCounts[key, default: 0] += 1
            }
            return nil
        case .gpsd, .location, .events, .sample: break
        }
        guard let data = try reader.data() else { return nil }
        guard let contents = data.withUnsafeBytes({ contents(role, message, $0) }) else {
            unreadableMessageCount += 1
            return nil
        }
        return EventSorter.Item(event: TraceEvent(time: nil, contents), isPosition: role.isLocation)
    }

    private mutating func contents(
        _ role: ChannelRole, _ message: MCAPReader.Message, _ data: UnsafeRawBufferPointer
    ) -> TraceEvent.Contents? {
        switch role {
        case .gpsd: return JSONLine.object(data).map { .gpsd($0) }
        case .location(let isProtobuf):
            let location = isProtobuf ? FoxgloveLocation(protobuf: data) : FoxgloveLocation(json: data)
            guard var report = location.flatMap({ PositionReport($0, confidence) }) else { return nil }
            impossibleValues += report.discardOutOfRangeValues()
            return .gpsd(GPSDEncoder.encode(report))
        case .events: return lines?.event(onLine: data)?.contents
        case .sample(let kind):
            guard let sample = FoxgloveSample(data, kind: kind) else { return nil }
            let stamp = message.published == 0 ? nil : Int64(clamping: message.published)
            return .sample(sample.value, kind: kind, sensor: sample.sensor, stamp: stamp)
        case .derived, .none: return nil
        }
    }

    private var name: String { chunks.name }

    private func timeSinceOrigin(_ time: Int64) -> Int64 { time.subtractingSaturated(origin ?? 0) }

    private mutating func role(of channel: UInt16) throws(DeviceError) -> ChannelRole {
        if let known = roles[channel] { return known }
        guard let description = reader.channels[channel] else { return .none }
        let role = try determineRole(of: description)
        roles[channel] = role
        return role
    }

    /// Returns true if a channel with this topic has been found, or if any message in the file has this topic.
    private mutating func contains(topic: String) throws(DeviceError) -> Bool {
        if reader.channels.contains(where: { $0.value.topic == topic }) { return true }
        if topics == nil {
            var scan = try MCAPReader(chunks)
            var channels: Set<UInt16> = []
            while let message = try scan.next() { channels.insert(message.channel) }
            topics = Set(channels.compactMap { scan.channels[$0]?.topic })
        }
        return topics?.contains(topic) == true
    }

    private mutating func determineRole(of channel: MCAPReader.Channel) throws(DeviceError) -> ChannelRole {
        guard channel.encoding == "json" else {
            let isLocation = channel.encoding == "protobuf" && channel.schema == FoxgloveSchema.locationFixName
            return isLocation ? .location(isProtobuf: true) : .none
        }
        if let origin = channel.metadata[MCAP.derivedKey], try contains(topic: origin) { return .derived }
        if lines != nil, channel.schema == FoxgloveSchema.eventName { return .events }
        if channel.schema == FoxgloveSchema.locationFixName { return .location(isProtobuf: false) }
        if channel.schema == FoxgloveSchema.gpsdName || channel.topic == MCAP.gpsdTopic { return .gpsd }
        if channel.schema == FoxgloveSchema.vectorName || channel.schema == FoxgloveSchema.scalarName {
            let kind = channel.topic.split(separator: "/").first.flatMap { SensorKind(rawValue: String($0)) }
            if let kind, kind.isVector == (channel.schema == FoxgloveSchema.vectorName) { return .sample(kind) }
        }
        return .none
    }
}

extension MCAPImport {
    private static let supportedMessages = "gpsd reports as JSON, and foxglove.LocationFix as JSON and protobuf"

    private var unlistedMessageCount: Int { omittedMessageCount - omittedMessageCounts.values.reduce(0, +) }

    private var nothingReadError: DeviceError {
        var text = "\(name) contains no supported messages. Supported are \(Self.supportedMessages)."
        if reader.isTruncated { text += " It is truncated." }
        if reader.brokenRecords + reader.damagedChunks > 0 || reader.invalidRecordOffset != nil {
            text += " It is damaged."
        }
        if unreadableMessageCount > 0 { text += " \(unreadableMessageCount) messages could not be read." }
        if omittedMessageCount > 0 {
            let list = omittedMessageCounts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
            let others = unlistedMessageCount > 0 ? " and \(unlistedMessageCount) others" : ""
            text += " Its messages are \(list.joined(separator: ", "))\(others)."
        }
        return .invalidTrace(text)
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if reader.isTruncated { remarks.append("The file is truncated; everything before its end was read.") }
        if let offset = reader.invalidRecordOffset {
            remarks.append("There is no MCAP record at byte \(offset); everything before it was read.")
        }
        if reader.damagedChunks > 0 {
            remarks.append("\(reader.damagedChunks) chunks have a wrong checksum: their contents may be damaged.")
        } else if reader.isDataDamaged {
            remarks.append("The checksum of the file's data is wrong: its contents may be damaged.")
        }
        remarks.appendRemark(count: reader.brokenRecords, "records are invalid and were skipped.")
        if let stated = reader.statedMessageCount, stated != reader.messageCount {
            remarks.append(
                "According to its statistics, the file has \(stated) messages; \(reader.messageCount) were found.")
        }
        remarks.appendRemark(
            count: reader.largeMessages, "messages are larger than \(reader.maximumMessageSize) bytes and were skipped."
        )
        remarks.appendRemark(count: unreadableMessageCount, "messages could not be read and were skipped.")
        remarks.appendRemark(
            count: sorter.lateCount,
            "messages are too far out of order to be sorted; they were given the times of later messages.")
        remarks.appendRemark(
            count: earlyMessageCount, "messages precede the start of the recording and were placed at the start.")
        for (channel, count) in omittedMessageCounts.sorted(by: { $0.key < $1.key }) where lines == nil {
            remarks.append("\(count) messages of \(channel) were skipped. Supported are \(Self.supportedMessages).")
        }
        if lines == nil {
            remarks.appendRemark(count: unlistedMessageCount, "messages of other kinds were skipped.")
        }
        remarks.appendRemark(count: impossibleValues, Recording.impossibleValues)
        remarks.appendRemark(
            count: derivedMotionCount, "positions have a speed, course or climb derived from the previous position.")
        return remarks
    }
}
