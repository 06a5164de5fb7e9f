// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
public import SimulatedDevice
import Synchronization
public import TraceFormats

/// The recording that a test plays, and the options for its playback.
struct TestRecording: Sendable {
    var file: TestFile
    var faults: String?
    var accuracy: Double?
    var importing: RecordingOptions
    var options: PlaybackOptions

    /// The messages printed so far. Many tests may use one recording, so each message is printed once.
    private static let printed = Mutex<Set<String>>([])

    /// Creates a device at the start of the recording. Prints the remarks about the recording to standard error.
    func makeDevice() throws(DeviceError) -> SimulatedDevice {
        var (importing, options) = (importing, options)
        if let faults { options.faults += try TraceFault.list(faults) }
        if let accuracy { importing.gpx.accuracy = accuracy }
        let device = try SimulatedDevice(recording: try file.find(), importing: importing, options: options)
        for remark in device.remarks {
            let line = "\(file.name): \(TerminalSanitizer.sanitized(remark))\n"
            guard Self.printed.withLock({ $0.insert(line).inserted }) else { continue }
            FileHandle.standardError.write(Data(line.utf8))
        }
        return device
    }
}

/// Runs the closure with a device that plays a recording, as the trait `device` does for a test. For XCTest, helper
/// functions, and tests with several devices.
///
/// ```swift
/// func testDistance() throws {
///     try withDevice("drive.gpx", accuracy: 5) { device in
///         let manager = CLLocationManager()
///         let tracker = Tracker()
///         manager.delegate = tracker
///         manager.startUpdatingLocation()
///         try device.play(until: { tracker.locations.count > 100 })
///     }
/// }
/// ```
///
/// - Parameters:
///   - recording: The name of a file or folder, which is searched as for the trait.
///   - faults: The faults to inject, in the syntax of `TraceFault.list(_:)`.
///   - accuracy: The horizontal accuracy in metres of GPX points that state none.
///   - importing: The options for reading formats other than native traces.
///   - options: The playback options.
///   - bundle: The only bundle in which to search for the recording.
///   - fileID: The module and the name of the caller's source file.
///   - filePath: The path of the caller's source file.
///   - body: The closure. Managers that it creates use the device.
/// - Throws: A `DeviceError` if the recording cannot be found or read, or if the faults do not apply to it. Rethrows the
///   closure's error.
public func withDevice<Result>(
    _ recording: String, faults: String? = nil, accuracy: Double? = nil,
    importing: RecordingOptions = RecordingOptions(), options: PlaybackOptions = PlaybackOptions(),
    bundle: Bundle? = nil, fileID: String = #fileID, filePath: String = #filePath,
    _ body: (SimulatedDevice) throws -> Result
) throws -> Result {
    let file = TestFile(name: recording, bundle: bundle, fileID: fileID, filePath: filePath)
    let device = try TestRecording(
        file: file, faults: faults, accuracy: accuracy, importing: importing, options: options
    ).makeDevice()
    return try device.use { try body(device) }
}

/// Runs the asynchronous closure with a device that plays a recording. Otherwise like the synchronous form.
nonisolated(nonsending) public func withDevice<Result>(
    _ recording: String, faults: String? = nil, accuracy: Double? = nil,
    importing: RecordingOptions = RecordingOptions(), options: PlaybackOptions = PlaybackOptions(),
    bundle: Bundle? = nil, fileID: String = #fileID, filePath: String = #filePath,
    _ body: nonisolated(nonsending) (SimulatedDevice) async throws -> Result
) async throws -> Result {
    let file = TestFile(name: recording, bundle: bundle, fileID: fileID, filePath: filePath)
    let device = try TestRecording(
        file: file, faults: faults, accuracy: accuracy, importing: importing, options: options
    ).makeDevice()
    return try await device.use { try await body(device) }
}
