// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Logging
import Synchronization

/// The functions of LiveSources, joined at link time.
///
/// A target that does not depend on this package may see `#if canImport(CoreLocation)` turn true and then loads these
/// modules without the flags that a C library needs. So nothing that a framework imports may import a C module, even
/// indirectly; the manifest lists LiveSources as a dependency, and that is enough to link it.
@_silgen_name("DeviceServices_livePositionSource")
private func livePositionSource(configuration: Configuration, clock: any DeviceClock) -> any PositionSource

@_silgen_name("DeviceServices_liveMotionSource")
private func liveMotionSource(configuration: Configuration, clock: any DeviceClock) -> any MotionSource

@_silgen_name("DeviceServices_liveBeaconSource")
private func liveBeaconSource(configuration: Configuration, clock: any DeviceClock) -> any BeaconSource

@_silgen_name("DeviceServices_liveStatusSource")
private func liveStatusSource(configuration: Configuration, clock: any DeviceClock) -> any StatusSource

/// The machine this process runs on.
package enum LiveDevice {
    /// The one live device of the process, configured by environment and file when it is first asked for.
    package static let shared: Device = {
        let clock = LiveClock()
        let configuration = Configuration.load()
        let log = Logger(label: "device-services.configuration")
        for problem in configuration.problems { log.warning("\(problem)") }
        return Device(
            name: "live",
            clock: clock,
            configuration: configuration,
            positionSource: livePositionSource(configuration: configuration, clock: clock),
            motionSource: liveMotionSource(configuration: configuration, clock: clock),
            accessories: { linkedAccessories.withLock { $0 }.make() },
            beaconSource: liveBeaconSource(configuration: configuration, clock: clock),
            statusSource: liveStatusSource(configuration: configuration, clock: clock),
            calibrations: CalibrationFolder.ofUser())
    }()

    /// Where its accessories come from: from nowhere until External Accessory is used, which alone links udev's source.
    /// So an app that asks for a location only does not build it.
    private static let linkedAccessories = Mutex(AccessoryOrigin { NoAccessorySource() })

    /// Has the device take its accessories from there.
    package static func link(accessories: @escaping @Sendable () -> any AccessorySource) {
        linkedAccessories.withLock { $0 = AccessoryOrigin(make: accessories) }
    }

    /// Swift 6.2's optimizer cannot tell a function in a mutex from the one that is put there.
    private struct AccessoryOrigin: Sendable {
        var make: @Sendable () -> any AccessorySource
    }

    /// The device for a manager that is being made here: the task's, else the installed one, else the live one.
    package static var resolved: Device {
        if let device = Device.current ?? Device.installed { return device }
        if TestRunner.isPresent { _ = TestRunner.notice }
        return shared
    }
}

/// Notices a test runner, in which reaching for live hardware is mostly a mistake.
enum TestRunner {
    /// True when the program is a test bundle or its runner.
    static let isPresent: Bool =
        CommandLine.arguments.first.map { program in
            program.hasSuffix(".xctest") || program.hasSuffix("swiftpm-testing-helper")
        } ?? false

    /// Logged at the first use.
    static let notice: Void = Logger(label: "device-services").notice(
        "A manager was made outside of a simulated device while tests run: it uses the live sensors. Make it inside device.use { } or after device.install()."
    )
}
