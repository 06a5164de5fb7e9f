// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A receiver as the position service describes it (gpsd's DEVICE). Text that was not given is empty.
public struct ReceiverDescription: Sendable, Hashable {
    /// Its path on the machine that runs the service.
    public var path = ""
    /// The driver that understands it, for example "u-blox" or "SiRF".
    public var driver = ""
    /// What the driver says of hardware and firmware.
    public var subtype = ""
    /// More of the same.
    public var subtype1 = ""
    /// Bits per second on a serial line; 0 when it does not apply.
    public var bitsPerSecond: Int32 = 0
    /// Seconds between reports; NaN when unknown.
    public var cycle = Double.nan
    /// False after it has been unplugged or closed.
    public var isActive = true

    /// A receiver of which nothing is known yet.
    public init() {}
}
