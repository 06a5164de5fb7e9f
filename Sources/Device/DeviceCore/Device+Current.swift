// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Device {
    /// The device of the current task; nil outside of `withValue`, where `installed` or the live device applies.
    @TaskLocal public static var current: Device?

    private static let installedDevice = Mutex<Device?>(nil)

    /// The device that replaces the live device in the whole process; usually nil.
    public static var installed: Device? { installedDevice.withLock { $0 } }

    /// Replaces the live device in the whole process; nil restores it.
    public static func install(_ device: Device?) {
        // The previous device is released outside of the lock because its deinitialization may access this property.
        let former = installedDevice.withLock { exchange(&$0, with: device) }
        withExtendedLifetime(former) {}
    }

    /// Runs the closure with this device as `current`.
    package func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        if Device.current === self { return try body() }
        return try Device.$current.withValue(self, operation: body)
    }
}
