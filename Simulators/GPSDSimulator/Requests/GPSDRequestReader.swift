// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol

/// A parser for the requests that arrive in a single read. Like gpsd 3.22, the parser does not join requests that are
/// split across reads.
struct GPSDRequestReader {
    static let maximumReadSize = 8191

    private let bytes: [UInt8]
    private var offset = 0

    init(_ input: UnsafeRawBufferPointer) {
        // gpsd appends a line feed and handles the input as a C string. If the input contains a NUL, the string ends
        // there, before the line feed.
        var bytes = [UInt8](input.prefix(Self.maximumReadSize).prefix { $0 != 0 })
        if bytes.count == input.count || bytes.count == Self.maximumReadSize { bytes.append(UInt8(ascii: "\n")) }
        // gpsd silently ignores input that does not begin with a question mark.
        self.bytes = bytes.first == UInt8(ascii: "?") ? bytes : []
    }

    /// Returns the next request, or nil if there is none. A WATCH request that contains an object changes `policy`.
    mutating func next(_ policy: inout GPSDWatch) -> GPSDCommand? {
        while offset < bytes.count, GPSDObjectReader.isBlank(bytes[offset]) { offset += 1 }
        guard offset < bytes.count else { return nil }
        if skip("?DEVICES;") { return .devices }
        if skip("?VERSION;") { return .version }
        if skip("?POLL;") { return .poll }
        if skip("?WATCH;") { return .watch(isChange: false, fault: nil) }
        if skip("?WATCH=") { return .watch(isChange: true, fault: watch(&policy)) }
        if skip("?DEVICE;") { return .device(path: nil, isConfiguration: false, fault: nil) }
        if skip("?DEVICE=") { return device() }
        defer { offset = bytes.count }
        return .unrecognized(bytes[offset...])
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes[offset...].starts(with: word) else { return false }
            offset += word.count
            return true
        }
    }

    private mutating func watch(_ policy: inout GPSDWatch) -> String? {
        // Members omitted from the request keep their values, except for those reset here.
        var watch = policy
        watch.isEnabled = true
        for flag in [\GPSDWatch.scaled, \.timing, \.split24, \.pps] { watch[keyPath: flag] = false }
        watch.device = ""
        // The names and maximum lengths here and in `device()` are those of gpsd 3.22.
        let flags: [String: WritableKeyPath<GPSDWatch, Bool>] = [
            "enable": \.isEnabled, "json": \.json, "nmea": \.nmea, "scaled": \.scaled, "timing": \.timing,
            "split24": \.split24, "pps": \.pps,
        ]
        var reader = GPSDObjectReader(bytes, from: offset) { name in
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
        var reader = GPSDObjectReader(bytes, from: offset) { name in
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

    private mutating func finish(at end: Int) {
        offset = end
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ";") { offset += 1 }
    }
}

/// A request as gpsd 3.22 interprets it.
enum GPSDCommand {
    case version
    case devices
    case poll
    /// A WATCH request. `isChange` is true if the request contains an object. If so, the parser has already changed the
    /// policy. `fault` describes an error in the object.
    case watch(isChange: Bool, fault: String?)
    /// A DEVICE request. If it contains a configuration, it applies to one receiver; otherwise, it applies to all
    /// receivers.
    case device(path: [UInt8]?, isConfiguration: Bool, fault: String?)
    /// An unknown request and the rest of the input.
    case unrecognized(ArraySlice<UInt8>)
}
