// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Who stands behind an attached accessory of a simulated device: code or a recording.
protocol SimulatedAttachment: AnyObject, Sendable {
    /// Opens one of its protocols.
    func open(_ name: String) throws(DeviceError) -> any ByteChannel

    /// It has been unplugged: its sessions end.
    func detach()
}
