// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Trace

extension RecordingFormat {
    /// A folder for iio-emu and the `emu:` backend of libiio 1.0. The file `context.xml` contains the context and the
    /// attribute values, and each `<name>_buf0.bin` contains a sensor's scans. Each sensor is a separate device. The
    /// resolution is 1e-6 for acceleration (m/s²) and pressure (kPa), and 1e-7 for angular rate (rad/s) and the
    /// magnetic field (gauss). Timestamps count from 1970 if the trace has a start time, and from time zero otherwise.
    package static let iio = RecordingFormat(
        name: "iio", title: "libiio XML", fileExtensions: [".iio"], isFolder: true, reportsDamage: true, detect: sniff,
        read: read, writer: write)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        if let names = input.folder { return contexts(names).isEmpty ? nil : .nameOnly }
        return input.firstByte == UInt8(ascii: "<") ? .likely : nil
    }

    private static func contexts(_ names: [String]) -> [String] { names.filter { $0.lowercased().hasSuffix(".xml") } }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        if let names = input.folder {
            let contexts = contexts(names)
            guard let context = contexts.first, contexts.count == 1 else {
                throw .invalidTrace(
                    "The directory \(input.name) contains \(contexts.count) XML files. Specify the one to read.")
            }
            return .recording(try recording(try RecordingInput(path: "\(input.name)/\(context)"), options))
        }
        guard input.isOnDisk else {
            throw DeviceError(
                .notSupported,
                "\(input.name) is XML, but the readings of a libiio context are in buffer files beside it. Specify the path of the XML file."
            )
        }
        return .recording(try recording(input, options))
    }

    private static func recording(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> Recording {
        var context = try IIOContext(xml: try input.bytes(limit: IIOContext.maximumXMLSize), name: input.name)
        let base = input.name.lowercased().hasSuffix(".xml") ? String(input.name.dropLast(4)) : input.name
        var remarks: [String] = []
        if let values = try Folder.readIfPresent("\(base).values.json") {
            let unknown = try context.setValues(json: values, name: "\(base).values.json")
            if let key = unknown.first {
                remarks.append(
                    "\(unknown.count) values belong to attributes that the context does not have, such as \(key).")
            }
        }
        let described = context
        var recording = try Recording(iio: described, name: input.name, options: options.iio) {
            (device) throws(DeviceError) in
            for name in IIOBufferFileNames.importNames(of: device, in: described) {
                if let bytes = try input.readSibling(named: name) { return bytes }
            }
            return nil
        }
        recording.contexts = [context.xml(includingValues: true)]
        recording.remarks.append(contentsOf: remarks)
        return recording
    }

    private static func write(
        _ trace: TraceFile, to path: String, options: ExportOptions
    ) throws(DeviceError) -> [String] {
        var readings = try SortedReadings(trace)
        let written = readings.sensors.indices.filter { readings.sensors[$0].count > 0 }
        let context = IIORecordingContext.context(
            written.map { index in
                let sensor = readings.sensors[index]
                return .init(description: sensor.description, rate: sensor.rate, first: sensor.first)
            }, hasStart: readings.start != nil)
        let contextFile = "context.xml"
        return try Folder.populate(path) { () throws(DeviceError) in
            try Folder.createDirectory(
                path, for: [contextFile] + context.devices.map { IIOBufferFileNames.exportName(of: $0) }, options)
            var buffers: [IIOBufferFile?] = readings.sensors.map { _ in nil }
            for (device, sensor) in zip(context.devices, written) {
                buffers[sensor] = try IIOBufferFile(
                    device, folder: path, origin: readings.start?.nanoseconds ?? 0, options)
            }
            while let reading = readings.next() { try buffers[reading.sensor]?.append(reading.value, at: reading.time) }
            for buffer in buffers { try buffer?.close() }
            try Folder.write([(contextFile, [UInt8](context.xml(includingValues: true).utf8))], to: path, options)
            return readings.remarks + readings.skippedContent.remarks()
        }
    }
}

/// Writes a device's scans. This is a class, because an array cannot contain the noncopyable ``ExportFile``.
private final class IIOBufferFile {
    private let encoder: IIOScanEncoder
    private let axes: [IIOAxis]
    private let stampChannel: Int?
    private let origin: Int64
    private var scan: [UInt8]
    private var file: ExportFile

    /// `origin` is the civil time at time zero, in nanoseconds since 1970.
    init(_ device: IIODevice, folder: String, origin: Int64, _ options: ExportOptions) throws(DeviceError) {
        let channels = device.channels.indices.filter { device.channels[$0].scan != nil }
        guard let layout = device.layout(of: channels), let sensor = device.sensors().first else {
            throw DeviceError(.notSupported, "The sensor \(device.name) has no buffered channels.")
        }
        encoder = IIOScanEncoder(layout: layout)
        axes = sensor.axes
        stampChannel = device.timestampChannel
        self.origin = origin
        scan = encoder.emptyScan()
        file = try ExportFile(path: "\(folder)/\(IIOBufferFileNames.exportName(of: device))", options)
    }

    func append(_ value: SIMD3<Double>, at time: Int64) throws(DeviceError) {
        scan.withUnsafeMutableBytes { scan in
            encoder.write(value, of: axes, into: scan)
            if let stampChannel { encoder.write(raw: origin.addingSaturated(time), of: stampChannel, into: scan) }
        }
        file.bytes.append(contentsOf: scan)
        try file.flushIfLarge()
    }

    func close() throws(DeviceError) { try file.close() }
}
