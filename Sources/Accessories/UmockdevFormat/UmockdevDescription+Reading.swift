// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

extension UmockdevDescription {
    /// Reads a file of at most ``maximumSize`` bytes.
    package init(path: String) throws(DeviceError) {
        try self.init(bytes: try FileIO.read(path, limit: Self.maximumSize), name: path)
    }

    /// Parses the contents of a file. `name` identifies the file in error messages, which also contain the line number
    /// if a line is invalid.
    package init(bytes: [UInt8], name: String) throws(DeviceError) {
        guard bytes.count <= Self.maximumSize else {
            throw DeviceError(
                .invalidTrace, "\(name) is larger than \(Self.maximumSize) bytes, which is the limit for descriptions.")
        }
        var reader = UmockdevReader(lines: RecordingLines(bytes, name: name))
        devices = try reader.read()
    }
}

struct UmockdevReader {
    private var lines: RecordingLines
    private var devices: [UmockdevDevice] = []
    private var paths: Set<String> = []
    private var device: UmockdevDevice?
    private var entryCount = 0

    init(lines: RecordingLines) { self.lines = lines }

    mutating func read() throws(DeviceError) -> [UmockdevDevice] {
        while let line = lines.next() {
            if line.isEmpty {
                try finish()
                continue
            }
            guard line.count >= 3, line.at(1) == UInt8(ascii: ":"), line.at(2) == UInt8(ascii: " ") else {
                throw failure(
                    device == nil
                        ? "A device must begin with \"P: /devices/…\"."
                        : "A line must begin with one of the letters P, N, S, E, A, H and L, a colon and a space.")
            }
            let rest = line.dropFirst(3)
            guard let letter = line.first else { continue }
            if letter == UInt8(ascii: "P") {
                guard device == nil else { throw failure("Two devices must be separated by an empty line.") }
                device = UmockdevDevice(path: try path(rest))
            } else {
                guard device != nil else { throw failure("A device must begin with \"P: /devices/…\".") }
                guard entryCount < UmockdevDescription.maximumEntries else {
                    throw failure("The devices have more than \(UmockdevDescription.maximumEntries) lines.")
                }
                entryCount += 1
                let entry = try entry(letter, rest)
                if case .property("SUBSYSTEM", _) = entry, device?.property("SUBSYSTEM") != nil {
                    throw failure("The device has two SUBSYSTEM properties.")
                }
                device?.entries.append(entry)
            }
        }
        try finish()
        return devices
    }

    private mutating func finish() throws(DeviceError) {
        guard let device else { return }
        self.device = nil
        guard device.property("SUBSYSTEM") != nil else {
            throw failure("The device \(device.path), which ends here, has no SUBSYSTEM property.")
        }
        guard devices.count < UmockdevDescription.maximumDevices else {
            throw failure("The file has more than \(UmockdevDescription.maximumDevices) devices.")
        }
        devices.append(device)
    }

    private mutating func path(_ bytes: ArraySlice<UInt8>) throws(DeviceError) -> String {
        let path = try text(bytes)
        guard path.hasPrefix("/devices/"), isPlain(path.dropFirst(1)) else {
            throw failure(
                "The path of a device must begin with /devices/ and not contain empty parts, \".\" or \"..\".")
        }
        guard paths.insert(path).inserted else { throw failure("The device \(path) is described twice.") }
        return path
    }

    private func entry(_ letter: UInt8, _ rest: ArraySlice<UInt8>) throws(DeviceError) -> UmockdevDevice.Entry {
        switch letter {
        case UInt8(ascii: "N"):
            guard let sign = rest.firstIndex(of: UInt8(ascii: "=")) else {
                return .node(name: try plainName(rest), contents: nil)
            }
            return .node(name: try plainName(rest[..<sign]), contents: try hex(rest[(sign + 1)...]))
        case UInt8(ascii: "S"): return .link(try plainName(rest))
        case UInt8(ascii: "E"):
            let (name, value) = try assignment(rest)
            return .property(name: try text(name), value: try text(value))
        case UInt8(ascii: "A"):
            let (name, value) = try assignment(rest)
            return .attribute(name: try plainName(name), value: try unescaped(value))
        case UInt8(ascii: "H"):
            let (name, value) = try assignment(rest)
            return .binaryAttribute(name: try plainName(name), value: try hex(value))
        case UInt8(ascii: "L"):
            let (name, value) = try assignment(rest)
            return .attributeLink(name: try plainName(name), target: try text(value))
        default:
            throw failure("A line must begin with one of the letters P, N, S, E, A, H and L.")
        }
    }

    private func assignment(
        _ bytes: ArraySlice<UInt8>
    ) throws(DeviceError) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign > bytes.startIndex else {
            throw failure("A name and \"=\" must precede the value.")
        }
        return (bytes[..<sign], bytes[(sign + 1)...])
    }

    private func plainName(_ bytes: ArraySlice<UInt8>) throws(DeviceError) -> String {
        let name = try text(bytes)
        guard isPlain(name) else {
            throw failure(
                "\"\(name)\" is not a valid file name: it is empty, begins with \"/\", or contains \".\" or \"..\".")
        }
        return name
    }

    private func isPlain(_ path: some StringProtocol) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(DeviceError) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("The line is not UTF-8.")
        }
        return text
    }

    private func hex(_ digits: ArraySlice<UInt8>) throws(DeviceError) -> [UInt8] {
        guard digits.count.isMultiple(of: 2) else { throw failure("The number of hexadecimal digits is odd.") }
        let bytes = HexDigit.bytes(digits)
        guard bytes.count * 2 == digits.count else { throw failure("A byte must consist of two hexadecimal digits.") }
        return bytes
    }

    /// Decodes the escape sequences `\b`, `\t`, `\n`, `\v`, `\f` and `\r`, and octal sequences of up to three digits. A
    /// backslash before any other character is dropped.
    private func unescaped(_ text: ArraySlice<UInt8>) throws(DeviceError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let letter = rest.popFirst() else { throw failure("The backslash at the end escapes no character.") }
            let octal = UInt8(ascii: "0")...UInt8(ascii: "7")
            if octal.contains(letter) {
                let digits = [letter] + rest.prefix(2).prefix { octal.contains($0) }
                rest = rest.dropFirst(digits.count - 1)
                bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - UInt8(ascii: "0")) })
            } else {
                let index = UmockdevDescription.escapes.firstIndex(of: letter)
                bytes.append(index.map { UInt8($0 + 8) } ?? letter)
            }
        }
        return bytes
    }

    private func failure(_ reason: String) -> DeviceError { lines.failure(reason) }
}

struct RecordingLines {
    private let bytes: [UInt8]
    private let name: String
    private var offset = 0
    /// The number of the current line, starting at 1.
    private(set) var number = 0

    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        self.name = name
    }

    /// Returns the next line without its newline, or `nil` at the end of the input.
    mutating func next() -> ArraySlice<UInt8>? {
        guard offset < bytes.count else { return nil }
        number += 1
        let rest = bytes[offset...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            offset = bytes.count
            return rest
        }
        offset = end + 1
        return rest[..<end]
    }

    func failure(_ reason: String) -> DeviceError { DeviceError(.invalidTrace, "\(name), line \(number): \(reason)") }
}

extension ArraySlice<UInt8> {
    func at(_ place: Int) -> UInt8? { place < count ? self[startIndex + place] : nil }
}
