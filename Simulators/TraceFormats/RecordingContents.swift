// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Trace
import TraceXML

/// What lies at a path, told from its contents.
enum RecordingContents {
    case trace(TraceFile)
    case recording(MotionRecording)

    /// Reads a file or a folder.
    static func load(
        _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        guard !Folder.isFolder(path) else { return try loadFolder(path, options) }
        let bytes = try FileBytes.read(path, limit: TraceFile.maximumSize)
        guard kind(of: bytes, path) == .iio else { return try load(bytes, name: path, options) }
        return (.iio, .recording(try loadContext(bytes, path, options)))
    }

    /// Reads what is in memory.
    static func load(
        _ bytes: [UInt8], name path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        switch kind(of: bytes, path) {
        case .iio?:
            throw DeviceError(
                .notSupported,
                "\(path) is XML, and the readings of libiio's contexts are in buffer files beside it. Name the file.")
        case .csv?:
            guard bytes.count <= Folder.maximumFileSize else {
                throw DeviceError(
                    .notSupported, "\(path) is larger than \(Folder.maximumFileSize) bytes. Cut it in parts.")
            }
            return (.csv, .recording(try MotionRecording(csv: bytes, name: path, options: options.csv)))
        case .sensorLogger?:
            throw DeviceError(
                .notSupported, "\(path) is one file of a recording of Sensor Logger. Open the folder that it is in.")
        case .native?, .gpsd?, nil:
            let file = try TraceFile(bytes: bytes, name: path)
            return (file.format == .native ? .native : .gpsd, .trace(file))
        }
    }

    /// What a file looks like; nil for what is left to the reader of traces.
    private static func kind(of bytes: [UInt8], _ path: String) -> RecordingFile.Kind? {
        guard let first = bytes.first(where: { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }) else {
            return nil
        }
        if first == UInt8(ascii: "<") { return .iio }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "$") { return nil }
        let header = bytes.withUnsafeBytes { MotionRecording.csvColumns(of: $0) }
        if header.contains("seconds_elapsed") { return .sensorLogger }
        if MotionCSVLayout(columns: header) != nil || path.lowercased().hasSuffix(".csv") { return .csv }
        return nil
    }

    private static func loadFolder(
        _ path: String, _ options: RecordingOptions
    ) throws(DeviceError) -> (kind: RecordingFile.Kind, contents: RecordingContents) {
        let names = try Folder.names(path)
        if SensorLoggerReader.fileNames.contains(where: names.contains) {
            let recording = try MotionRecording(sensorLoggerFolder: path, options: options.sensorLogger)
            return (.sensorLogger, .recording(recording))
        }
        let contexts = names.filter { $0.lowercased().hasSuffix(".xml") }
        guard let context = contexts.first else {
            throw DeviceError(
                .invalidTrace,
                "The folder \(path) holds no recording: neither files of Sensor Logger (Metadata.csv, Gyroscope.csv) nor the XML of a libiio context."
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
    ) throws(DeviceError) -> MotionRecording {
        if bytes.prefix(4096).contains(UInt8(ascii: "g")),
            String(decoding: bytes.prefix(4096), as: UTF8.self).contains("<gpx")
        {
            throw DeviceError(
                .notSupported, "\(path) is GPX: it holds positions and no motion readings. Convert it to a trace first."
            )
        }
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
        var recording = try MotionRecording(iio: described, name: path, options: options.iio) {
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
