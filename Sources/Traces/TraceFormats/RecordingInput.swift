// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// The result of an import: a trace, or a recording that must still be converted to a trace.
enum RecordingContents {
    case trace(TraceFile, remarks: [String] = [])
    case recording(Recording)
}

/// The input of an import: a folder, a file, or bytes in memory.
final class RecordingInput {
    private static let prefixSize = 1 << 16
    let name: String
    /// The sorted names of the files in the folder, or nil if the input is not a folder.
    let folder: [String]?
    let chunks: FileContents
    let prefix: [UInt8]
    /// True if the input is a file on disk, which may have related files in the same directory.
    var isOnDisk: Bool { if case .file = chunks { true } else { false } }

    init(path: String) throws(DeviceError) {
        name = path
        folder = FileIO.isDirectory(path) ? try Folder.names(path) : nil
        chunks = folder == nil ? try FileContents.open(path) : .memory(TraceBytes([]), name: path)
        prefix = try chunks.prefix(Self.prefixSize)
    }

    init(_ bytes: TraceBytes, name: String) {
        self.name = name
        folder = nil
        chunks = .memory(bytes, name: name)
        prefix = Array(bytes.prefix(Self.prefixSize))
    }

    /// The first byte that is not white space or part of a byte order mark.
    private(set) lazy var firstByte = prefix.first { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }
    var mayBeTable: Bool { firstByte.map { !"<{$!\\".utf8.contains($0) } ?? false }

    /// True if the beginning of the input contains NMEA sentences with valid checksums.
    private(set) lazy var containsNMEASentences = prefix.withUnsafeBytes {
        $0.contains(UInt8(ascii: "$")) && NMEALogSummary.isLog($0, allowsMissingChecksum: false)
    }

    /// The lower-case column names of a table, or an empty array if there is no readable header.
    private(set) lazy var columns: [String] = mayBeTable ? prefix.withUnsafeBytes { Recording.csvColumns(of: $0) } : []

    /// The result of reading the input as a native trace or as gpsd reports. The error states why it is neither.
    private(set) lazy var trace: Result<TraceFile, DeviceError> = {
        do throws(DeviceError) {
            return .success(try TraceFile(contents: try contents(), name: name))
        } catch {
            return .failure(error)
        }
    }()

    func contents() throws(DeviceError) -> TraceBytes {
        switch chunks {
        case .memory(let bytes, _): bytes
        default: try TraceBytes(path: name)
        }
    }

    /// Returns the contents. Throws an error with code `notSupported` if the file is larger than `limit` bytes.
    func bytes(limit: Int = Folder.maximumFileSize) throws(DeviceError) -> [UInt8] {
        let contents = try contents()
        guard contents.count <= limit else {
            throw DeviceError(.notSupported, "\(name) is larger than \(limit) bytes. Split it into parts.")
        }
        let bytes = contents.withUnsafeBytes { [UInt8]($0) }
        if contents.isTruncated { throw DeviceError.truncatedWhileReading(name) }
        return bytes
    }

    /// Reads a file from the same directory. Returns nil if the file does not exist or if the input is in memory.
    func readSibling(named file: String) throws(DeviceError) -> [UInt8]? {
        guard isOnDisk else { return nil }
        return try Folder.readIfPresent((name.lastIndex(of: "/").map { String(name[...$0]) } ?? "") + file)
    }

    func load(
        _ options: RecordingOptions
    ) throws(DeviceError) -> (format: RecordingFormat, contents: RecordingContents) {
        if let columns = options.columns {
            guard folder == nil else {
                throw DeviceError(
                    .invalidConfiguration,
                    "A column map applies to one table, but \(name) is a directory. Specify the file in it.")
            }
            return (.csv, .recording(try Recording(table: try bytes(), name: name, columns: columns)))
        }
        if let error = UnsupportedFileDetector.error(prefix, name) { throw error }
        var found = try format(triedLast: false)
        if found == nil, folder == nil { found = try format(triedLast: true) }
        guard let format = found, let read = format.read else { throw unknownFormatError }
        return (format, try read(self, options))
    }

    /// Returns the best matching format, or nil if no format matches.
    private func format(triedLast: Bool) throws(DeviceError) -> RecordingFormat? {
        var best: (format: RecordingFormat, confidence: Int)?
        for format in RecordingFormat.all where format.isTriedLast == triedLast {
            guard let confidence = try format.detect?(self)?.rawValue, confidence > best?.confidence ?? 0 else {
                continue
            }
            best = (format, confidence)
        }
        return best?.format
    }

    /// The error for an input whose format was not recognized. If the input resembles a trace, this is the error from
    /// the trace reader.
    private var unknownFormatError: DeviceError {
        guard folder == nil else {
            return .invalidTrace(
                "The directory \(name) contains no recording: no Sensor Logger files (Metadata.csv, Gyroscope.csv), no phyphox tables and no libiio XML."
            )
        }
        if case .failure(let error) = trace {
            guard error.code == .invalidTrace, let first = prefix.first, first != UInt8(ascii: "{"), first < 0xfe else {
                return error
            }
        }
        let titles = RecordingFormat.all.map(\.title).filter { !$0.isEmpty }
        return .invalidTrace(
            "\(name) is not in a supported format. Supported are \(titles.dropLast().joined(separator: ", ")) and \(titles.last ?? ""). Other tables need a column map (--columns). To convert the log of a receiver with a proprietary protocol to gpsd reports, run: gpsfake -1 -p LOG > reports.json"
        )
    }
}
