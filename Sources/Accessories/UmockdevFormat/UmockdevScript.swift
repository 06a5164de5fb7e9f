// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The communication between a program and a device, in the format written by `umockdev-record --script` (umockdev
/// 0.17).
///
/// "Read" and "write" are from the program's point of view. In a read step, the program reads bytes that the device
/// sends.
public struct UmockdevScript: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// `r`: The device sends bytes. The delay is measured from the previous step.
        case read(milliseconds: UInt32, [UInt8])
        /// `w`: The program writes bytes, possibly in several calls. The delay is for information only.
        case write(milliseconds: UInt32, [UInt8])
        /// `f`: In subsequent writes, this percentage of the bytes may differ from the recording.
        case fuzz(percent: UInt32)
    }

    /// `d`: The path of the recorded device node, or `nil` if the script does not specify it.
    package var device: String?
    /// The steps in file order. Lines after `Q` are ignored.
    package var steps: [Step]

    package init(device: String? = nil, steps: [Step] = []) {
        self.device = device
        self.steps = steps
    }

    /// The maximum size of a file, in bytes.
    package static let maximumSize = 64 << 20
    /// The maximum number of steps in a file. Limits memory use.
    package static let maximumSteps = 500_000

    /// Reads a file of at most 64 MiB.
    public init(path: String) throws(DeviceError) {
        try self.init(bytes: try FileIO.read(path, limit: Self.maximumSize), name: path)
    }
}

extension UmockdevScript {
    /// Parses the contents of a file. `name` identifies the file in error messages, which also contain the line number
    /// if a line is invalid.
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
                throw lines.failure("The file has more than \(Self.maximumSteps) steps.")
            }
            switch operation {
            case UInt8(ascii: "r"): steps.append(.read(milliseconds: value, try Self.decoded(data, lines)))
            case UInt8(ascii: "w"): steps.append(.write(milliseconds: value, try Self.decoded(data, lines)))
            case UInt8(ascii: "f"):
                guard value <= 100 else { throw lines.failure("The percentage must be between 0 and 100.") }
                steps.append(.fuzz(percent: value))
            case UInt8(ascii: "d"):
                guard device == nil, steps.isEmpty else {
                    throw lines.failure("The device must be named only once, before the first step.")
                }
                guard !data.contains(0), let path = String(validating: data, as: UTF8.self) else {
                    throw lines.failure("The path of the device is not UTF-8.")
                }
                device = path
            default: throw lines.failure("A line must begin with one of the letters r, w, f, d, Q or #.")
            }
        }
    }

    private static func parts(
        _ line: ArraySlice<UInt8>, _ lines: RecordingLines
    ) throws(DeviceError) -> (UInt32, ArraySlice<UInt8>) {
        let rest = line.dropFirst(2)
        guard line.at(1) == UInt8(ascii: " "), let end = rest.firstIndex(of: UInt8(ascii: " ")), end > rest.startIndex
        else { throw lines.failure("A line must contain a letter, a number and data, separated by single spaces.") }
        var value: UInt32 = 0
        for digit in rest[..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), value <= 400_000_000 else {
                throw lines.failure("The number must be an integer below 4,000,000,000.")
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
                throw lines.failure("A \"^\" must be followed by a character from \"@\" on, or by \"`\" for a \"^\".")
            }
            bytes.append(letter == UInt8(ascii: "`") ? UInt8(ascii: "^") : letter - 64)
        }
        guard !bytes.isEmpty else { throw lines.failure("The step has no bytes to read or write.") }
        return bytes
    }

    /// The script as text. As in recordings, no newline follows the last step.
    package var text: [UInt8] {
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
