// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What all the work of a source is done with.
struct SourceParts: Sendable {
    let library: any IIOLibrary
    let clock: any DeviceClock
    let settings: [SensorSetting]
    let options: IIOSourceOptions
    /// Starts a thread.
    let spawn: @Sendable (_ body: @escaping @Sendable () -> Void) throws(DeviceError) -> Void
    /// Whether somebody says when devices of this machine come or go.
    let watch = DeviceWatch()
}
