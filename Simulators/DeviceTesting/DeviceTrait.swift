// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SimulatedDevice
public import Testing
public import TraceFormats

/// A trait that plays a recording to a test, or to each test of a suite.
///
/// ```swift
/// @Test(.device("drive.gpx", faults: "loss@60s+30s", accuracy: 5))
/// func drivesFarEnough() async throws {
///     let manager = CLLocationManager()
///     let tracker = Tracker()
///     manager.delegate = tracker
///     manager.startUpdatingLocation()
///     try await SimulatedDevice.current.play(until: { tracker.locations.count > 100 })
/// }
/// ```
///
/// Managers that the test creates use the device. Each test, and each test case of a parameterized test, has a device of
/// its own at the start of the recording, so tests can run in parallel. If a suite and a test in it have this trait, the
/// test uses its own device. A recording or fault that cannot be used fails the test.
public struct DeviceTrait: TestTrait, SuiteTrait, TestScoping {
    let recording: TestRecording
    /// True, so that a suite's trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs the test with a new device as the current device.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let device = try recording.makeDevice()
        try await device.use { try await function() }
        withExtendedLifetime(device) {}
    }
}

extension Trait where Self == DeviceTrait {
    /// Plays a recording to the test.
    ///
    /// - Parameters:
    ///   - recording: The name of a file or folder in any format that `RecordingFile` supports. It is searched in the
    ///     resources of the test's target, then relative to the directory of the source file and of Package.swift, and
    ///     then in the resources of other targets.
    ///   - faults: The faults to inject, in the syntax of `TraceFault.list(_:)`, such as `loss@60s+30s`.
    ///   - accuracy: The horizontal accuracy in metres of GPX points that state none.
    ///   - importing: The options for reading formats other than native traces.
    ///   - options: The playback options.
    ///   - bundle: The only bundle in which to search for the recording, such as `Bundle.module`.
    ///   - fileID: The module and the name of the test's source file.
    ///   - filePath: The path of the test's source file.
    public static func device(
        _ recording: String, faults: String? = nil, accuracy: Double? = nil,
        importing: RecordingOptions = RecordingOptions(), options: PlaybackOptions = PlaybackOptions(),
        bundle: Bundle? = nil, fileID: String = #fileID, filePath: String = #filePath
    ) -> Self {
        DeviceTrait(
            recording: TestRecording(
                file: TestFile(name: recording, bundle: bundle, fileID: fileID, filePath: filePath), faults: faults,
                accuracy: accuracy, importing: importing, options: options))
    }
}
