// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
public import NMEAFormat
import Trace

/// A buffered output file. Call ``flushIfLarge()`` regularly to limit memory use. If an error prevents the file from
/// being closed, the incomplete file is removed, and any existing file at the path remains unchanged.
struct ExportFile: ~Copyable {
    private static let capacity = 1 << 16
    var bytes: [UInt8] = []
    private let output: TraceOutput
    private var isOpen = true

    /// Creates a file, or writes to standard output if the path is "-".
    init(path: String, _ options: ExportOptions) throws(DeviceError) {
        self.init(try TraceOutput(whole: path, overwrite: options.overwrite, mode: options.mode))
    }

    /// This initializer must not throw. If the initializer of a noncopyable type throws, Swift 6.2 destroys the default
    /// values of its properties twice.
    private init(_ output: TraceOutput) {
        self.output = output
        bytes.reserveCapacity(Self.capacity + 4096)
    }

    deinit {
        if isOpen { output.abandon() }
    }

    mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    mutating func flushIfLarge() throws(DeviceError) {
        if bytes.count >= Self.capacity { try flush() }
    }

    mutating func flush() throws(DeviceError) {
        guard !bytes.isEmpty else { return }
        defer { bytes.removeAll(keepingCapacity: true) }
        try output.write(bytes)
    }

    /// Writes the buffer and closes the file. Nothing may be written afterwards.
    mutating func close() throws(DeviceError) {
        try flush()
        // If an error occurs, `output.close()` removes the file, so `deinit` must not.
        isOpen = false
        try output.close()
    }
}

extension ExportFile {
    mutating func appendNumber(_ value: Double, decimals: Int) { bytes.appendNumber(value, decimals: decimals) }

    /// Appends a UTC time with zero, three or nine decimals, as needed.
    mutating func appendTime(_ time: WallTime) {
        let fraction = time.nanoseconds % 1_000_000_000
        let decimals = fraction == 0 ? 0 : fraction % 1_000_000 == 0 ? 3 : 9
        CivilDate(time).appendISO8601(decimals: decimals, to: &bytes)
    }

    /// Appends text with XML escapes. Control characters that XML forbids become spaces.
    mutating func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): self.append("&lt;")
            case UInt8(ascii: ">"): self.append("&gt;")
            case UInt8(ascii: "&"): self.append("&amp;")
            case UInt8(ascii: "\""): self.append("&quot;")
            case 0..<0x20 where byte != 0x09 && byte != 0x0a: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
    }

    /// Appends an element with a number, unless the number is NaN or too large.
    mutating func element(_ name: StaticString, _ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return }
        element(name) { $0.appendNumber(value, decimals: decimals) }
    }

    /// Appends an element with a count, unless the count is negative.
    mutating func element(_ name: StaticString, _ count: Int32) {
        if count >= 0 { element(name) { $0.bytes.append(contentsOf: "\(count)".utf8) } }
    }

    /// Appends an element with escaped text, unless the text is empty.
    mutating func element(_ name: StaticString, _ text: String) {
        if !text.isEmpty { element(name) { $0.appendEscaped(text) } }
    }

    private mutating func element(_ name: StaticString, _ content: (inout ExportFile) -> Void) {
        append("<")
        append(name)
        append(">")
        content(&self)
        append("</")
        append(name)
        append(">")
    }
}

extension [UInt8] {
    /// Appends a number without trailing zeros. The number must be finite, and its magnitude must be less than 1e15.
    mutating func appendNumber(_ value: Double, decimals: Int) {
        let start = count
        guard FixedDecimal.append(value, decimals: decimals, to: &self) else { return append(UInt8(ascii: "0")) }
        if decimals > 0 {
            while last == UInt8(ascii: "0") { removeLast() }
            if last == UInt8(ascii: ".") { removeLast() }
        }
        // A negative number that rounds to zero is written without a minus sign.
        if count == start + 2, self[start] == UInt8(ascii: "-"), self[start + 1] == UInt8(ascii: "0") {
            remove(at: start)
        }
    }
}

/// The contents of a CSV file.
package enum CSVContents: String, Sendable, CaseIterable {
    case positions, motion
    /// Positions and motion readings in one table, as far as the trace contains them.
    case both
}

/// Options for writing a file in any format.
public struct ExportOptions: Sendable, Hashable {
    /// True if an existing file may be replaced.
    public var overwrite = false
    /// The mode of written files, as for chmod(2). If nil, a replaced file keeps its mode, and a new file gets the mode
    /// 0600, because a recording reveals a person's locations. If a format requires a new folder, users who can read
    /// the files can also enter the folder.
    public var mode: UInt32?
    /// The path of the receiver whose positions are written, for formats that can contain only one receiver. If nil,
    /// the receiver that reports the first fix is selected.
    public var receiver: String?
    /// True if NMEA sentences and gpsd reports are written with their arrival times.
    public var includesArrivalTimes = false
    /// The track name in GPX, KML and GeoJSON files. If empty, no name is written.
    public var name = ""
    /// The NMEA 0183 sentences to write, and their precision.
    public var nmea = NMEAOptions()
    /// The contents of a CSV file.
    package var table = CSVContents.both
    /// True if the import has already warned about damaged gpsd reports in the trace.
    package var isDamageReported = false

    /// Creates options. Properties without a parameter have their default values.
    public init(
        overwrite: Bool = false, mode: UInt32? = nil, receiver: String? = nil, includesArrivalTimes: Bool = false,
        name: String = ""
    ) {
        (self.overwrite, self.mode, self.receiver) = (overwrite, mode, receiver)
        (self.includesArrivalTimes, self.name) = (includesArrivalTimes, name)
    }
}
