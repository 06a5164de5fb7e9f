// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes

/// The version and the receivers of a simulated gpsd, and its replies to requests. Performs no I/O.
struct GPSDState {
    static let maximumReceivers = 256
    /// The maximum size of a reply, in bytes. A reply answers all requests that arrive in a single read. Longer replies
    /// are truncated, as in gpsd.
    static let maximumReplySize = 10_240

    var version: GPSDVersion
    var receivers: [SimulatedReceiver]

    static var defaultVersion: GPSDVersion {
        var version = GPSDVersion()
        (version.release, version.revision) = ("3.22", "3.22")
        (version.protocolMajor, version.protocolMinor) = (3, 14)
        return version
    }

    /// Returns the index of the receiver with the given path, even if the receiver is not present.
    func receiverIndex(of path: String) -> Int? { receivers.firstIndex { $0.description.path == path } }

    mutating func add(_ receiver: SimulatedReceiver) -> Int? {
        guard receivers.count < Self.maximumReceivers else { return nil }
        receivers.append(receiver)
        return receivers.count - 1
    }

    private var present: [SimulatedReceiver] { receivers.filter(\.isPresent) }

    private func present(_ path: [UInt8]) -> SimulatedReceiver? {
        receivers.first { $0.isPresent && $0.description.path.utf8.elementsEqual(path) }
    }

    /// Returns gpsd's reply to the input of a single read.
    func reply(to input: UnsafeRawBufferPointer, policy: inout GPSDWatch, now: WallTime) -> [UInt8] {
        var reader = GPSDRequestReader(input)
        var reply: [UInt8] = []
        while let command = reader.next(&policy) { answer(command, policy, now, &reply) }
        if reply.count > Self.maximumReplySize { reply.removeLast(reply.count - Self.maximumReplySize) }
        return reply
    }

    private func answer(_ command: GPSDCommand, _ policy: GPSDWatch, _ now: WallTime, _ reply: inout [UInt8]) {
        switch command {
        case .version: Self.append(GPSDEncoder.encode(version), to: &reply)
        case .devices: appendDevices(to: &reply)
        case .poll: Self.append(poll(policy, now), to: &reply)
        case .watch(let isChange, let fault):
            // As in gpsd, the error about an invalid object is followed by the DEVICES and WATCH objects.
            if let fault {
                Self.append(error: "Invalid WATCH: \(fault)", to: &reply)
            } else if isChange, policy.isEnabled, !policy.device.isEmpty, present(Array(policy.device.utf8)) == nil {
                return Self.append(error: "No such device as \(policy.device)", to: &reply)
            }
            appendDevices(to: &reply)
            Self.append(GPSDEncoder.encode(policy), to: &reply)
        case .device(let path, let isConfiguration, let fault): answerDevice(path, isConfiguration, fault, &reply)
        case .unrecognized(let text):
            var message = Array("Unrecognized request '".utf8)
            Self.escape(text, to: &message)
            message.append(UInt8(ascii: "'"))
            Self.append(error: message, to: &reply)
        }
    }

    private func answerDevice(_ path: [UInt8]?, _ isConfiguration: Bool, _ fault: String?, _ reply: inout [UInt8]) {
        // As in gpsd, the opening quotation mark in this message has no closing mark, and quotation marks in paths are
        // not escaped.
        if let fault { return Self.append(error: "Invalid DEVICE: \"\(fault)", to: &reply) }
        if isConfiguration {
            if let path, present(path) == nil {
                return Self.append(error: Array("Can't open ".utf8) + path + [UInt8(ascii: ".")], to: &reply)
            }
            if path == nil, present.isEmpty {
                return Self.append(error: "Can't perform DEVICE configuration, no devices attached.", to: &reply)
            }
            if path == nil, present.count > 1 {
                return Self.append(error: "No path specified in DEVICE, but multiple devices are attached.", to: &reply)
            }
        }
        for receiver in present where path == nil || receiver.description.path.utf8.elementsEqual(path ?? []) {
            Self.append(receiver.line, to: &reply)
        }
    }

    private func appendDevices(to reply: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("class", "DEVICES")
            writer.array("devices") { writer in for receiver in present { writer.raw(receiver.line) } }
        }
        Self.append(writer.bytes, to: &reply)
    }

    /// Returns a POLL object with the latest reports from all watched receivers.
    private func poll(_ policy: GPSDWatch, _ now: WallTime) -> [UInt8] {
        let watched = present.filter { $0.hasReported && policy.watches($0.description.path) }
        var writer = JSONWriter()
        let lists: [(StaticString, StaticString, (SimulatedReceiver) -> [UInt8]?)] = [
            ("tpv", "TPV", { $0.lastPosition }), ("gst", "GST", { $0.lastNoise }), ("sky", "SKY", { $0.lastSky }),
        ]
        writer.object { writer in
            writer.member("class", "POLL")
            writer.member("time", CivilDate(now).iso8601(decimals: 3))
            writer.member("active", watched.count)
            for (key, name, report) in lists {
                writer.array(key) { writer in
                    for receiver in watched { writer.raw(report(receiver) ?? Self.empty(name, of: receiver)) }
                }
            }
        }
        return writer.bytes
    }

    /// Returns a report without data, for a receiver that has not sent a report of this class.
    private static func empty(_ name: StaticString, of receiver: SimulatedReceiver) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("class", name.description)
            writer.member("device", receiver.description.path)
            if name.description == "TPV" { writer.member("mode", 0) }
        }
        return writer.bytes
    }

    private static func append(_ line: [UInt8], to reply: inout [UInt8]) {
        reply.append(contentsOf: line)
        reply.append(contentsOf: [13, 10])
    }

    private static func append(error message: String, to reply: inout [UInt8]) {
        append(error: Array(message.utf8), to: &reply)
    }

    private static func append(error message: [UInt8], to reply: inout [UInt8]) {
        append(Array(#"{"class":"ERROR","message":""#.utf8) + message + Array(#""}"#.utf8), to: &reply)
    }

    /// Escapes text byte by byte, as gpsd does. Slashes are also escaped.
    private static func escape(_ text: ArraySlice<UInt8>, to message: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): message += [UInt8(ascii: "\\"), byte]
            case 8: message += Array(#"\b"#.utf8)
            case 9: message += Array(#"\t"#.utf8)
            case 10: message += Array(#"\n"#.utf8)
            case 12: message += Array(#"\f"#.utf8)
            case 13: message += Array(#"\r"#.utf8)
            case 0x20..<0x7f: message.append(byte)
            default:
                let digits = Array("0123456789abcdef".utf8)
                message += Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}

extension GPSDWatch {
    func watches(_ path: String) -> Bool { isEnabled && (device.isEmpty || device == path) }

    var wantsReports: Bool { isEnabled && (json || nmea || raw > 0) }
    var wantsSentences: Bool { isEnabled && (nmea || raw > 0) }
}

struct SimulatedReceiver {
    var description: ReceiverDescription
    var activation: WallTime
    var isPresent: Bool
    /// The latest report of each class, with its receiver added and its times shifted, or nil if there is none.
    var lastPosition: [UInt8]?
    var lastSky: [UInt8]?
    var lastNoise: [UInt8]?
    /// The satellites to include in the sentences of the next position, or nil if there are none.
    var newSky: SkyReport?

    /// True if the receiver has sent a report that ?POLL includes.
    var hasReported: Bool { lastPosition != nil || lastSky != nil || lastNoise != nil }

    /// Connects or disconnects the receiver and discards its latest reports.
    mutating func setPresent(_ isPresent: Bool, at time: WallTime) {
        self.isPresent = isPresent
        if isPresent { activation = time }
        (lastPosition, lastSky, lastNoise, newSky) = (nil, nil, nil, nil)
    }

    /// The DEVICE object for clients. For a receiver that is not present, it contains only the path and `activated` 0.
    var line: [UInt8] {
        guard !isPresent else { return GPSDEncoder.encode(description, activation: activation) }
        var inactive = ReceiverDescription(path: description.path)
        inactive.isActive = false
        return GPSDEncoder.encode(inactive, activation: activation)
    }
}

extension ReceiverDescription {
    init(path: String) {
        self.init()
        self.path = path
    }

    /// Returns true if two DEVICE objects are equal except for their activation times.
    func isSame(as other: ReceiverDescription) -> Bool {
        path == other.path && driver == other.driver && subtype == other.subtype && subtype1 == other.subtype1
            && bitsPerSecond == other.bitsPerSecond && (cycle == other.cycle || (cycle.isNaN && other.cycle.isNaN))
    }
}
