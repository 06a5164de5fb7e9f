// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Foundation
@_exported public import SimulatedDevice
@_exported public import TraceFormats

extension SimulatedDevice {
    /// The date on the device's clock. During playback with recorded times, it is the date of the recording.
    public var now: Date { Date(timeIntervalSince1970: wallTime.seconds) }

    /// Creates a device that plays the recording at a file URL, in any format that `RecordingFile` supports.
    ///
    /// - Parameters:
    ///   - url: The URL of a file or a folder.
    ///   - importing: The options for reading formats other than native traces.
    ///   - options: The playback options.
    /// - Throws: An error that states why the recording cannot be read, or why a fault in the options does not apply to
    ///   it. Also if the URL is not a file URL.
    public convenience init(
        recording url: URL, importing: RecordingOptions = RecordingOptions(),
        options: PlaybackOptions = PlaybackOptions()
    ) throws(DeviceError) {
        guard url.isFileURL else {
            throw DeviceError(.notSupported, "\(url) is not a file URL. Download the recording, and open the file.")
        }
        try self.init(recording: url.path, importing: importing, options: options)
    }
}
