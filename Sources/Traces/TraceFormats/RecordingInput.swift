// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// What was read: a trace, or readings that become one.
enum RecordingContents {
    case trace(TraceFile, remarks: [String] = [])
    case recording(Recording)
}

/// What is to be read: a folder, a file, or bytes in memory.
final class RecordingInput {
    /// So many bytes tell of a file which is not read as a whole what it is.
    private static let prefixSize = 1 << 16

    /// The path, or what to call it in messages.
    let name: String
    /// The names in a folder, in order; nil for a file.
    let folder: [String]?
    /// The bytes of a file.
    let chunks: FileChunks
    /// The first of them.
    let prefix: [UInt8]
    /// True for a file, beside which others may lie.
    var isOnDisk: Bool { if case .file = chunks { true } else { false } }

    /// Looks at what lies at a path.
    init(path: String) throws(DeviceError) {
        name = path
        folder = FileBytes.isFolder(path) ? try Folder.names(path) : nil
        chunks = folder == nil ? try FileChunks.open(path) : .memory(TraceBytes([]), name: path)
        prefix = try chunks.prefix(Self.prefixSize)
    }

    /// Takes bytes that are in memory already.
    init(_ bytes: TraceBytes, name: String) {
        self.name = name
        folder = nil
        chunks = .memory(bytes, name: name)
        prefix = Array(bytes.prefix(Self.prefixSize))
    }

    /// The first byte behind blanks and a byte order mark; nil when there is none.
    private(set) lazy var firstByte = prefix.first { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }

    /// True for text that may be a table.
    var isTable: Bool { firstByte.map { !"<{$!\\".utf8.contains($0) } ?? false }

    /// True when the beginning of the input contains NMEA sentences with valid checksums.
    private(set) lazy var holdsSentences = prefix.withUnsafeBytes {
        $0.contains(UInt8(ascii: "$")) && NMEALogSurvey.isLog($0, allowsMissingChecksum: false)
    }

    /// The names of a table's columns, in lower case; empty when it has no header that can be read.
    private(set) lazy var columns: [String] = isTable ? prefix.withUnsafeBytes { Recording.csvColumns(of: $0) } : []

    /// The input as a trace or gpsd's reports; the error says what it is instead.
    private(set) lazy var trace: Result<TraceFile, DeviceError> = {
        do throws(DeviceError) {
            return .success(try TraceFile(contents: try contents(), name: name))
        } catch {
            return .failure(error)
        }
    }()

    /// All bytes of a file.
    func contents() throws(DeviceError) -> TraceBytes {
        switch chunks {
        case .memory(let bytes, _): bytes
        default: try TraceBytes(path: name)
        }
    }

    /// All bytes in memory, of which there may not be too many.
    func bytes(limit: Int = Folder.maximumFileSize) throws(DeviceError) -> [UInt8] {
        let contents = try contents()
        guard contents.count <= limit else {
            throw DeviceError(.notSupported, "\(name) is larger than \(limit) bytes. Cut it in parts.")
        }
        let bytes = contents.withUnsafeBytes { [UInt8]($0) }
        if contents.isCutOff { throw DeviceError.becameShorter(name) }
        return bytes
    }

    /// The bytes of a file that lies beside this one, by its name; nil when there is none, and of what is in memory.
    func neighbour(_ file: String) throws(DeviceError) -> [UInt8]? {
        guard isOnDisk else { return nil }
        return try Folder.readIfPresent((name.lastIndex(of: "/").map { String(name[...$0]) } ?? "") + file)
    }

    /// Tells the format, and reads it.
    func load(
        _ options: RecordingOptions
    ) throws(DeviceError) -> (format: RecordingFormat, contents: RecordingContents) {
        if let columns = options.columns {
            guard folder == nil else {
                throw DeviceError(
                    .invalidConfiguration,
                    "A column map is for one table, and \(name) is a folder. Name the file in it.")
            }
            return (.csv, .recording(try Recording(table: try bytes(), name: name, columns: columns)))
        }
        if let error = OtherFile.error(prefix, name) { throw error }
        var found = try format(triedLast: false)
        if found == nil, folder == nil { found = try format(triedLast: true) }
        guard let format = found, let read = format.read else { throw unknown }
        return (format, try read(self, options))
    }

    /// The format that it looks like most.
    private func format(triedLast: Bool) throws(DeviceError) -> RecordingFormat? {
        var best: (format: RecordingFormat, likeness: Int)?
        for format in RecordingFormat.all where format.isTriedLast == triedLast {
            guard let likeness = try format.sniff?(self)?.rawValue, likeness > best?.likeness ?? 0 else { continue }
            best = (format, likeness)
        }
        return best?.format
    }

    /// The error for what is of no format; that of the reader of traces for what could be meant for one.
    private var unknown: DeviceError {
        guard folder == nil else {
            return DeviceError(
                .invalidTrace,
                "The folder \(name) holds no recording: neither files of Sensor Logger (Metadata.csv, Gyroscope.csv) nor tables of phyphox nor the XML of a libiio context."
            )
        }
        if case .failure(let error) = trace {
            guard error.code == .invalidTrace, let first = prefix.first, first != UInt8(ascii: "{"), first < 0xfe else {
                return error
            }
        }
        let titles = RecordingFormat.all.map(\.title).filter { !$0.isEmpty }
        return DeviceError(
            .invalidTrace,
            "\(name) is no recording that is known here: neither \(titles.dropLast().joined(separator: ", ")) nor \(titles.last ?? ""). Any other table needs a map of its columns (--columns). A log of a receiver that speaks a language of its own becomes gpsd's reports with: gpsfake -1 -p LOG > reports.json"
        )
    }
}
