// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Trace

/// What lies at a path, told from its contents.
enum RecordingContents {
    case trace(TraceFile, remarks: [String] = [])
    case recording(Recording)

    /// Reads a file or a folder.
    static func load(
        _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        guard !Folder.isFolder(path) else {
            guard options.columns == nil else {
                throw DeviceError(
                    .invalidConfiguration,
                    "A column map is for one table, and \(path) is a folder. Name the file in it.")
            }
            return try loadFolder(path, options)
        }
        if options.columns != nil { return try loadTable(try Folder.read(path), path, options) }
        let chunks = try FileChunks.open(path, limit: TraceFile.maximumSize)
        let prefix = try chunks.prefix(prefixSize)
        if GPXFile.begins(prefix, name: path) { return try loadGPX(chunks, options) }
        if prefix.starts(with: MCAP.magic) { return try loadMCAP(chunks) }
        if let error = OtherFile.error(prefix, path) { throw error }
        if case .memory(let bytes, let name) = chunks { return try load(TraceBytes(bytes), name: name, options) }
        let bytes = try TraceBytes(path: path)
        switch kind(of: bytes, path) {
        case .iio?:
            let context = try loadContext(try array(bytes, path, Folder.maximumFileSize), path, options)
            return (.iio, .recording(context))
        case .phyphox?:
            return (.phyphox, .recording(try PhyphoxFiles.load(path, try array(bytes, path, Folder.maximumFileSize))))
        case .umockdev?:
            guard let kind = UmockdevFiles.kind(of: bytes.prefix(prefixSize), path) else { break }
            let (trace, remarks) = try UmockdevFiles.load(
                path, try array(bytes, path, Folder.maximumFileSize), kind)
            return (.umockdev, .trace(trace, remarks: remarks))
        default: break
        }
        return try load(bytes, name: path, options)
    }

    /// The bytes in memory, of which there may not be too many.
    private static func array(_ bytes: TraceBytes, _ path: String, _ limit: Int) throws(DeviceError) -> [UInt8] {
        guard bytes.count <= limit else {
            throw DeviceError(.notSupported, "\(path) is larger than \(limit) bytes. Cut it in parts.")
        }
        return Array(bytes)
    }

    /// So many bytes tell of a file which is not read as a whole what it is.
    private static let prefixSize = 1 << 16

    /// Reads GPX in pieces.
    private static func loadGPX(
        _ chunks: FileChunks, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        let (trace, remarks) = try GPXFile.trace(chunks, options.gpx)
        return (.gpx, .trace(trace, remarks: remarks))
    }

    /// Reads MCAP in pieces.
    private static func loadMCAP(
        _ chunks: FileChunks
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        let builder = TraceBuilder(name: chunks.name)
        let remarks = try MCAPImport.read(chunks, into: builder)
        return (.mcap, .trace(try builder.file(), remarks: remarks))
    }

    /// Reads a table by a column map.
    private static func loadTable(
        _ bytes: [UInt8], _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        guard let columns = options.columns else {
            throw DeviceError(
                .invalidConfiguration, "Nothing says what the columns of \(path) hold. Give a column map.")
        }
        return (.csv, .recording(try Recording(table: bytes, name: path, columns: columns)))
    }

    /// Reads what is in memory.
    static func load(
        _ bytes: TraceBytes, name path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        if options.columns != nil {
            return try loadTable(try array(bytes, path, Folder.maximumFileSize), path, options)
        }
        if let error = OtherFile.error(bytes.prefix(prefixSize), path) { throw error }
        switch kind(of: bytes, path) {
        case .iio?:
            throw DeviceError(
                .notSupported,
                "\(path) is XML, and the readings of libiio's contexts are in buffer files beside it. Name the file.")
        case .csv?:
            let text = try array(bytes, path, Folder.maximumFileSize)
            return (.csv, .recording(try Recording(csv: text, name: path, options: options.csv)))
        case .mcap?: return try loadMCAP(.memory(try array(bytes, path, TraceFile.maximumSize), name: path))
        case .sensorLogger?:
            throw DeviceError(
                .notSupported, "\(path) is one file of a recording of Sensor Logger. Open the folder that it is in.")
        case .gpx?: return try loadGPX(.memory(try array(bytes, path, TraceFile.maximumSize), name: path), options)
        case .phyphox?:
            let table = try array(bytes, path, Folder.maximumFileSize)
            return (.phyphox, .recording(try Recording(phyphoxTable: table, path: path)))
        case .umockdev?:
            guard let kind = UmockdevFiles.kind(of: bytes.prefix(prefixSize), path) else {
                return try loadTrace(bytes, name: path, options)
            }
            let (trace, remarks) = try UmockdevFiles.read(
                try array(bytes, path, Folder.maximumFileSize), name: path, kind)
            return (.umockdev, .trace(trace, remarks: remarks))
        case .native?, .gpsd?, .nmea?, nil:
            return try loadTrace(bytes, name: path, options)
        }
    }

    /// A trace or gpsd's reports; where there are none, the sentences of a receiver. In a file with both, as gpsd keeps them
    /// for its tests, the reports are what gpsd made of the sentences.
    private static func loadTrace(
        _ bytes: TraceBytes, name: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        do throws(DeviceError) {
            let file = try TraceFile(contents: bytes, name: name)
            return (file.format == .native ? .native : .gpsd, .trace(file))
        } catch {
            guard bytes.withUnsafeBytes({ NMEALogSurvey.isLog($0) }) else { throw unknown(bytes, name, error) }
        }
        let builder = TraceBuilder(name: name)
        let remarks = try NMEALog.read(contents: bytes, name: name, options: options.nmea, to: builder)
        return (.nmea, .trace(try builder.file(), remarks: remarks))
    }

    /// The error for a file that is none of the kinds; that of the reader of traces for what could be meant for one.
    private static func unknown(_ bytes: TraceBytes, _ name: String, _ error: DeviceError) -> DeviceError {
        guard error.code == .invalidTrace, let first = bytes.first,
            first != UInt8(ascii: "{"), first < 0xfe
        else { return error }
        return DeviceError(
            .invalidTrace,
            "\(name) is no recording that is known here: neither a trace nor gpsd's reports (gpspipe -w), NMEA 0183, GPX, MCAP, CSV of motion or of phyphox, a folder of Sensor Logger, a file of umockdev or XML of libiio. Any other table needs a map of its columns (--columns). A log of a receiver that speaks a language of its own becomes gpsd's reports with: gpsfake -1 -p LOG > reports.json"
        )
    }

    /// What a file looks like; nil for what is left to the reader of traces.
    private static func kind(of bytes: TraceBytes, _ path: String) -> RecordingFile.Kind? {
        let bytes = Array(bytes.prefix(prefixSize))
        if bytes.starts(with: MCAP.magic) { return .mcap }
        guard let first = bytes.first(where: { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }) else {
            return nil
        }
        if GPXFile.begins(bytes, name: path) { return .gpx }
        if first == UInt8(ascii: "<") { return .iio }
        if UmockdevFiles.kind(of: bytes.prefix(prefixSize), path) != nil { return .umockdev }
        if "{$!\\".utf8.contains(first) { return nil }
        let header = bytes.withUnsafeBytes { Recording.csvColumns(of: $0) }
        if header.contains("seconds_elapsed") { return .sensorLogger }
        if MotionCSVLayout(columns: header) != nil { return .csv }
        if PhyphoxColumn.areThere(in: header, sheet: path.lowercased()) { return .phyphox }
        if path.lowercased().hasSuffix(".csv") { return .csv }
        return nil
    }

    private static func loadFolder(
        _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        let names = try Folder.names(path)
        // Before Sensor Logger, which has tables of the same names.
        if try PhyphoxFiles.areIn(path, names) { return (.phyphox, .recording(try Recording(phyphoxFolder: path))) }
        if SensorLoggerReader.fileNames.contains(where: names.contains) {
            let recording = try Recording(sensorLoggerFolder: path, options: options.sensorLogger)
            return (.sensorLogger, .recording(recording))
        }
        let contexts = names.filter { $0.lowercased().hasSuffix(".xml") }
        guard let context = contexts.first else {
            throw DeviceError(
                .invalidTrace,
                "The folder \(path) holds no recording: neither files of Sensor Logger (Metadata.csv, Gyroscope.csv) nor tables of phyphox nor the XML of a libiio context."
            )
        }
        guard contexts.count == 1 else {
            throw DeviceError(
                .invalidTrace, "The folder \(path) holds \(contexts.count) XML files. Name the one to read.")
        }
        let file = "\(path)/\(context)"
        return (.iio, .recording(try loadContext(try Folder.read(file), file, options)))
    }

    /// Reads a context, the values beside it (`<name>.values.json`, when there is such a file), and its buffer files.
    private static func loadContext(
        _ bytes: [UInt8], _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> Recording {
        var context = try IIOContext(xml: bytes, name: path)
        let base = path.lowercased().hasSuffix(".xml") ? String(path.dropLast(4)) : path
        var remarks: [String] = []
        if let values = try Folder.readIfPresent("\(base).values.json") {
            let unknown = try context.setValues(json: values, name: "\(base).values.json")
            if let key = unknown.first {
                remarks.append(
                    "\(unknown.count) values are of attributes that the context does not have, such as \(key).")
            }
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let described = context
        var recording = try Recording(iio: described, name: path, options: options.iio) {
            (device) throws(DeviceError) in
            for name in IIORecordingNames.read(device, in: described) {
                if let bytes = try Folder.readIfPresent(folder + name) { return bytes }
            }
            return nil
        }
        recording.contexts = [context.xml(includingValues: true)]
        recording.remarks.append(contentsOf: remarks)
        return recording
    }
}
