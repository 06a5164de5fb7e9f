// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Shows a conversation with an accessory. Used on one thread.
protocol TalkPrinter: AnyObject {
    /// The conversation begins, or begins again.
    func opened(_ accessory: AccessoryDescription, protocol name: String)
    /// The accessory has said that.
    func received(_ bytes: [UInt8])
    /// The accessory was told that.
    func sent(_ bytes: [UInt8])
    /// The accessory is gone, or does not listen any more.
    func ended(_ end: ByteChannelEnd)
}
