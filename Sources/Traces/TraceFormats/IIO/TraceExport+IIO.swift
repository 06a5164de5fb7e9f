// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOFormat
public import Trace

extension TraceExport {
    /// Writes motion readings as a folder of libiio: see ``Recording/iioFiles(context:)``, with a made up device for each
    /// sensor.
    ///
    /// - Parameters:
    ///   - path: The folder, which is made when it is not there.
    ///   - overwrite: Whether files that are there may be replaced.
    /// - Returns: remarks: what libiio's files cannot hold.
    /// - Throws: An error when there are no motion readings in the trace, or when the files cannot be written.
    public static func writeIIO(
        _ trace: TraceFile, to path: String, overwrite: Bool = false
    ) throws(DeviceError) -> [String] {
        guard path != "-" else {
            throw DeviceError(
                .invalidConfiguration, "libiio's format is a folder of files, which standard output has no place for.")
        }
        var readings = try MeasuredReadings(trace)
        let written = readings.sensors.indices.filter { readings.sensors[$0].count > 0 }
        let context = IIORecordingContext.context(
            written.map { index in
                let sensor = readings.sensors[index]
                return .init(description: sensor.description, rate: sensor.rate, first: sensor.first)
            }, hasStart: readings.start != nil)
        let contextFile = "context.xml"
        return try Folder.fill(path) { () throws(DeviceError) in
            try Folder.make(
                path, for: [contextFile] + context.devices.map { IIORecordingNames.written($0) }, overwrite: overwrite)
            var buffers: [IIOBufferFile?] = readings.sensors.map { _ in nil }
            for (device, sensor) in zip(context.devices, written) {
                buffers[sensor] = try IIOBufferFile(
                    device, folder: path, origin: readings.start?.nanoseconds ?? 0, overwrite: overwrite)
            }
            while let reading = readings.next() { try buffers[reading.sensor]?.take(reading.value, at: reading.time) }
            for buffer in buffers { try buffer?.close() }
            try Folder.write(
                [(contextFile, [UInt8](context.xml(includingValues: true).utf8))], to: path, overwrite: overwrite)
            return readings.remarks
        }
    }
}

/// The scans of one sensor that are being written.
private final class IIOBufferFile {
    private let encoder: IIOScanEncoder
    private let axes: [IIOAxis]
    private let stampChannel: Int?
    private let origin: Int64
    private var scan: [UInt8]
    private var file: ExportFile

    /// - Parameter origin: nanoseconds since 1970 at time zero.
    init(_ device: IIODevice, folder: String, origin: Int64, overwrite: Bool) throws(DeviceError) {
        let channels = device.channels.indices.filter { device.channels[$0].scan != nil }
        guard let layout = device.layout(of: channels), let sensor = device.sensors().first else {
            throw DeviceError(.notSupported, "The sensor \(device.name) has no place in a buffer.")
        }
        encoder = IIOScanEncoder(layout: layout)
        axes = sensor.axes
        stampChannel = device.timestampChannel
        self.origin = origin
        scan = encoder.emptyScan()
        file = try ExportFile(path: "\(folder)/\(IIORecordingNames.written(device))", overwrite: overwrite)
    }

    func take(_ value: SIMD3<Double>, at time: Int64) throws(DeviceError) {
        scan.withUnsafeMutableBytes { scan in
            encoder.put(value, of: axes, into: scan)
            if let stampChannel { encoder.put(raw: origin.addingSaturated(time), of: stampChannel, into: scan) }
        }
        file.bytes.append(contentsOf: scan)
        try file.flushIfLarge()
    }

    func close() throws(DeviceError) { try file.close() }
}
