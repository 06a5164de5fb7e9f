// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A pair of bulk endpoints of a USB interface that no driver of the kernel serves.
public struct USBEndpoints: Sendable, Hashable {
    /// The node of the device, as in "/dev/bus/usb/001/007".
    public var path: String
    /// The number of the interface.
    public var interface: UInt8
    /// The alternate setting that has the endpoints: selecting it opens the session, selecting 0 closes it.
    public var alternate: UInt8
    /// The address of the endpoint to read from, as in 0x81.
    public var input: UInt8
    /// The address of the endpoint to write to, as in 0x02.
    public var output: UInt8
    /// The largest packet of the output, in bytes: data that fills its last packet is followed by an empty one.
    public var packetLength: Int
    /// The largest packet of the input, in bytes.
    public var inputPacketLength: Int

    /// Endpoints of those numbers. Without a length of its own the input has that of the output.
    public init(
        path: String, interface: UInt8, alternate: UInt8, input: UInt8, output: UInt8, packetLength: Int,
        inputPacketLength: Int? = nil
    ) {
        self.path = path
        self.interface = interface
        self.alternate = alternate
        self.input = input
        self.output = output
        self.packetLength = packetLength
        self.inputPacketLength = inputPacketLength ?? packetLength
    }
}
