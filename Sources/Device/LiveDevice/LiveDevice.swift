// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Logging
import Synchronization

/// Functions of the LiveSources module. They are declared here and resolved by the linker, so LiveSources is not
/// imported.
///
/// A framework must not import a C module, not even indirectly, so it cannot import LiveSources. The reason is that
/// `#if canImport(CoreLocation)` may be true even in a target that does not depend on this package. The compiler then
/// loads the framework's modules, but without the flags that C modules need. To link LiveSources, it is enough to
/// declare the dependency in the manifest.
@_silgen_name("DeviceServices_livePositionSource")
private func livePositionSource(configuration: Configuration, clock: any DeviceClock) -> any PositionSource

@_silgen_name("DeviceServices_liveMotionSource")
private func liveMotionSource(configuration: Configuration, clock: any DeviceClock) -> any MotionSource

@_silgen_name("DeviceServices_liveBeaconSource")
private func liveBeaconSource(configuration: Configuration, clock: any DeviceClock) -> any BeaconSource

@_silgen_name("DeviceServices_liveStatusSource")
private func liveStatusSource(configuration: Configuration, clock: any DeviceClock) -> any StatusSource

/// The hardware of the machine on which this process runs.
package enum LiveDevice {
    /// The live device, configured from the environment and the configuration file when first used.
    package static let shared: Device = {
        let clock = LiveClock()
        let configuration = Configuration.load()
        let log = Logger(label: "device-services.configuration")
        for problem in configuration.problems { log.warning("\(problem)") }
        return Device(
            name: "live", clock: clock, configuration: configuration,
            positionSource: livePositionSource(configuration: configuration, clock: clock),
            motionSource: liveMotionSource(configuration: configuration, clock: clock),
            accessories: { accessorySourceFactory.withLock { $0 }.make() },
            beaconSource: liveBeaconSource(configuration: configuration, clock: clock),
            statusSource: liveStatusSource(configuration: configuration, clock: clock),
            calibrations: CalibrationDirectory.forCurrentUser())
    }()

    /// Creates the accessory source. By default, there are no accessories. External Accessory sets a factory that
    /// creates the udev source. Apps that do not use External Accessory therefore do not link the udev code.
    private static let accessorySourceFactory = Mutex(AccessorySourceFactory { NoAccessorySource() })

    package static func setAccessorySourceFactory(_ accessories: @escaping @Sendable () -> any AccessorySource) {
        accessorySourceFactory.withLock { $0 = AccessorySourceFactory(make: accessories) }
    }

    /// Wraps the closure that creates the source. The Swift 6.2 optimizer would confuse a closure stored directly in
    /// the `Mutex` with the closure that replaces it.
    private struct AccessorySourceFactory: Sendable { var make: @Sendable () -> any AccessorySource }

    /// The device for a new manager: the current task's device or, failing that, the installed device or the live
    /// device.
    package static var resolved: Device {
        if let device = Device.current ?? Device.installed { return device }
        if TestRunner.isPresent { _ = TestRunner.logNotice }
        return shared
    }
}

/// Detects test runners, where using live hardware is usually a mistake.
enum TestRunner {
    static let isPresent: Bool =
        CommandLine.arguments.first.map { program in
            program.hasSuffix(".xctest") || program.hasSuffix("swiftpm-testing-helper")
        } ?? false

    static let logNotice: Void = Logger(label: "device-services").notice(
        "A manager was created in a test without a simulated device, so it uses the live sensors. Create it inside device.use { } or after device.install()."
    )
}
