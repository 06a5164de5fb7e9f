// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import TraceFormats

extension SimulatedDevice {
    /// Creates a device that plays a recording in any format that `RecordingFile` supports, such as GPX, CSV, NMEA,
    /// MCAP or a native trace.
    ///
    /// ```swift
    /// let device = try SimulatedDevice(recording: "drive.gpx", importing: .init(accuracy: 5))
    /// for remark in device.remarks { print(remark) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of a file or a folder.
    ///   - importing: The options for reading formats other than native traces.
    ///   - configuration: The device configuration. Its mount matrices replace those in the recording.
    ///   - stamps: The mapping from recorded times to the device's clock.
    ///   - options: The playback options.
    ///   - delivery: The executors that run callbacks.
    /// - Throws: An error that states why the recording cannot be read, or why a fault in the options does not apply to it.
    public convenience init(
        recording path: String, importing: RecordingOptions = RecordingOptions(),
        configuration: Configuration = Configuration(), stamps: TimestampPolicy = .recorded,
        options: PlaybackOptions = PlaybackOptions(), delivery: CallbackDelivery = .inOrder
    ) throws(DeviceError) {
        let recording = try RecordingFile.open(path, options: importing)
        guard importing.gpx.accuracy == nil || recording.format == .gpx else {
            throw DeviceError(
                .invalidConfiguration,
                "\(path) is not a GPX file, and only GPX files accept an accuracy. Omit the accuracy.")
        }
        self.init(
            try options.injectFaults(into: recording.trace), remarks: recording.remarks, configuration: configuration,
            calibrations: [:],
            stamps: stamps, options: options, delivery: delivery)
    }
}
