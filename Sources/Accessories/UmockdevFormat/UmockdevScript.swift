// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The dialogue of a program with a device, as `umockdev-record --script` of umockdev 0.17 writes it.
///
/// Reading and writing are seen from the program: what it reads is what the device sends.
public struct UmockdevScript: Sendable, Hashable {
    /// A step of the dialogue.
    public enum Step: Sendable, Hashable {
        /// `r` The device sends those bytes, that many milliseconds after the step before.
        case read(milliseconds: UInt32, [UInt8])
        /// `w` The program writes those bytes, in as many pieces as it likes. The time is for people only.
        case write(milliseconds: UInt32, [UInt8])
        /// `f` From here on that many percent of the bytes of a write may differ from the recording.
        case fuzz(percent: UInt32)
    }

    /// `d` The node that was recorded; nil when the file does not say.
    public var device: String?
    /// The steps in order; what stands behind `Q` does not count.
    public var steps: [Step]

    /// A dialogue of those steps.
    public init(device: String? = nil, steps: [Step] = []) {
        self.device = device
        self.steps = steps
    }

    /// The largest file that is read, in bytes.
    public static let maximumSize = 64 << 20
    /// The most steps of a file: small ones take far more memory than room in it.
    public static let maximumSteps = 500_000

    /// Reads a file of at most ``maximumSize`` bytes.
    public init(path: String) throws(DeviceError) {
        try self.init(bytes: try FileBytes.read(path, limit: Self.maximumSize), name: path)
    }
}

extension UmockdevScript {
    /// Takes the bytes of a file, which messages call by that name. The error names the line that cannot be read.
    public init(bytes: [UInt8], name: String) throws(DeviceError) {
        guard bytes.count <= Self.maximumSize else {
            throw DeviceError(
                .invalidTrace, "\(name) is larger than \(Self.maximumSize) bytes, which is the limit for scripts.")
        }
        self.init()
        var lines = RecordingLines(bytes, name: name)
        while let line = lines.next() {
            guard let operation = line.first, operation != UInt8(ascii: "#") else { continue }
            if operation == UInt8(ascii: "Q") { break }
            let (value, data) = try Self.parts(line, lines)
            guard steps.count < Self.maximumSteps else {
                throw lines.failure("There are more than \(Self.maximumSteps) steps.")
            }
            switch operation {
            case UInt8(ascii: "r"): steps.append(.read(milliseconds: value, try Self.decoded(data, lines)))
            case UInt8(ascii: "w"): steps.append(.write(milliseconds: value, try Self.decoded(data, lines)))
            case UInt8(ascii: "f"):
                guard value <= 100 else { throw lines.failure("Between 0 and 100 percent of the bytes may differ.") }
                steps.append(.fuzz(percent: value))
            case UInt8(ascii: "d"):
                guard device == nil, steps.isEmpty else {
                    throw lines.failure("The device is named once, before the dialogue.")
                }
                guard !data.contains(0), let path = String(validating: data, as: UTF8.self) else {
                    throw lines.failure("The path of the device is not UTF-8.")
                }
                device = path
            default: throw lines.failure("A line begins with one of the letters r, w, f, d, Q or #.")
            }
        }
    }

    /// The number and what stands behind the blank after it.
    private static func parts(
        _ line: ArraySlice<UInt8>, _ lines: RecordingLines
    ) throws(DeviceError) -> (UInt32, ArraySlice<UInt8>) {
        let rest = line.dropFirst(2)
        guard line.at(1) == UInt8(ascii: " "), let end = rest.firstIndex(of: UInt8(ascii: " ")), end > rest.startIndex
        else { throw lines.failure("A letter, a number and the data are needed, with one blank between them.") }
        var value: UInt32 = 0
        for digit in rest[..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), value <= 400_000_000 else {
                throw lines.failure("The number has to be whole, and below 4,000,000,000.")
            }
            value = value * 10 + UInt32(digit - UInt8(ascii: "0"))
        }
        return (value, rest[(end + 1)...])
    }

    private static func decoded(_ data: ArraySlice<UInt8>, _ lines: RecordingLines) throws(DeviceError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count)
        var rest = data
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "^") else {
                bytes.append(byte)
                continue
            }
            guard let letter = rest.popFirst(), letter >= 64 else {
                throw lines.failure("A \"^\" has to be followed by a character from \"@\" on, or by \"`\" for itself.")
            }
            bytes.append(letter == UInt8(ascii: "`") ? UInt8(ascii: "^") : letter - 64)
        }
        guard !bytes.isEmpty else { throw lines.failure("There are no bytes to read or write.") }
        return bytes
    }

    /// The bytes of the file; as in recordings there is no line end behind the last step.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        if let device { bytes += "d 0 \(device)".utf8 }
        for step in steps {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
            switch step {
            case .read(let milliseconds, let data):
                bytes += "r \(milliseconds) ".utf8
                Self.append(data, to: &bytes)
            case .write(let milliseconds, let data):
                bytes += "w \(milliseconds) ".utf8
                Self.append(data, to: &bytes)
            case .fuzz(let percent): bytes += "f \(percent) -".utf8
            }
        }
        return bytes
    }

    private static func append(_ data: [UInt8], to bytes: inout [UInt8]) {
        for byte in data {
            switch byte {
            case 0..<32:
                bytes.append(UInt8(ascii: "^"))
                bytes.append(byte + 64)
            case UInt8(ascii: "^"):
                bytes.append(byte)
                bytes.append(UInt8(ascii: "`"))
            default: bytes.append(byte)
            }
        }
    }
}
