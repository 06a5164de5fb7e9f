// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol

/// Takes apart what one read from a client's socket brought, as gpsd 3.22 does: each piece stands for itself, requests that
/// are spread over two are not put together.
struct GPSDRequestReader {
    /// The most bytes that are read at once.
    static let longestPiece = 8191

    private let bytes: [UInt8]
    private var at = 0

    init(_ piece: UnsafeRawBufferPointer) {
        // C's strings end with the first zero byte. A line feed is added to each piece, which is why none is needed.
        var bytes = [UInt8](piece.prefix(Self.longestPiece).prefix { $0 != 0 })
        if bytes.count == piece.count || bytes.count == Self.longestPiece { bytes.append(UInt8(ascii: "\n")) }
        // What does not begin with a question mark is ignored without a word.
        self.bytes = bytes.first == UInt8(ascii: "?") ? bytes : []
    }

    /// The next request; nil when there is none. A WATCH changes the policy.
    mutating func next(_ policy: inout GPSDWatch) -> GPSDCommand? {
        while at < bytes.count, GPSDObjectReader.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count else { return nil }
        if skip("?DEVICES;") { return .devices }
        if skip("?VERSION;") { return .version }
        if skip("?POLL;") { return .poll }
        if skip("?WATCH;") { return .watch(isChange: false, fault: nil) }
        if skip("?WATCH=") { return .watch(isChange: true, fault: watch(&policy)) }
        if skip("?DEVICE;") { return .device(path: nil, isConfiguration: false, fault: nil) }
        if skip("?DEVICE=") { return device() }
        defer { at = bytes.count }
        return .unrecognized(bytes[at...])
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes[at...].starts(with: word) else { return false }
            at += word.count
            return true
        }
    }

    private mutating func watch(_ policy: inout GPSDWatch) -> String? {
        // What is not named keeps its value, or falls back to this.
        var watch = policy
        watch.isEnabled = true
        for flag in [\GPSDWatch.scaled, \.timing, \.split24, \.pps] { watch[keyPath: flag] = false }
        watch.device = ""
        let flags: [String: WritableKeyPath<GPSDWatch, Bool>] = [
            "enable": \.isEnabled, "json": \.json, "nmea": \.nmea, "scaled": \.scaled, "timing": \.timing,
            "split24": \.split24, "pps": \.pps,
        ]
        var reader = GPSDObjectReader(bytes, from: at) { name in
            switch name {
            case "device": .text(127)
            case "class": .text(511)
            default: name == "raw" || flags[name] != nil ? .bare : nil
            }
        }
        let (end, fault) = reader.read { name, value in
            if let flag = flags[name] { watch[keyPath: flag] = value.isTrue }
            if name == "raw" { watch.raw = value.number }
            if name == "device" { watch.device = String(decoding: value.bytes, as: UTF8.self) }
        }
        policy = watch
        finish(at: end)
        return fault
    }

    private mutating func device() -> GPSDCommand {
        var path: [UInt8]?
        var reader = GPSDObjectReader(bytes, from: at) { name in
            switch name {
            case "path", "subtype", "subtype1": .text(127)
            case "driver": .text(63)
            case "class", "activated", "parity", "hexdata": .text(511)
            case "flags", "native", "bps", "stopbits", "cycle", "mincycle": .bare
            default: nil
            }
        }
        let (end, fault) = reader.read { name, value in
            if name == "path" { path = value.bytes.isEmpty ? nil : value.bytes }
        }
        finish(at: end)
        return .device(path: path, isConfiguration: true, fault: fault)
    }

    /// The object is over; a semicolon belongs to it.
    private mutating func finish(at end: Int) {
        at = end
        if at < bytes.count, bytes[at] == UInt8(ascii: ";") { at += 1 }
    }
}

/// One request as gpsd 3.22 takes it.
enum GPSDCommand {
    case version
    case devices
    case poll
    /// With an object the policy is changed already; the fault is what was wrong with it.
    case watch(isChange: Bool, fault: String?)
    /// Every DEVICE is asked for; with a configuration the one of that path.
    case device(path: [UInt8]?, isConfiguration: Bool, fault: String?)
    /// Something else, and all that stood behind it.
    case unrecognized(ArraySlice<UInt8>)
}
