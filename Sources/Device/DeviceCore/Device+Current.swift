// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Device {
    /// The device of the running task; nil outside of `withValue`, and then `installed` or the live device applies.
    @TaskLocal public static var current: Device?

    private static let installedDevice = Mutex<Device?>(nil)

    /// The device that stands in for the live one in the whole process; nil normally.
    public static var installed: Device? { installedDevice.withLock { $0 } }

    /// Puts a device in the place of the live one for the whole process, or takes it back with nil.
    public static func install(_ device: Device?) {
        // The former one goes outside of the lock: what it owns may look here as it goes.
        let former = installedDevice.withLock { exchange(&$0, with: device) }
        withExtendedLifetime(former) {}
    }

    /// Runs the closure with this device as `current`.
    package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
        if Device.current === self { return try body() }
        return try Device.$current.withValue(self, operation: body)
    }
}
