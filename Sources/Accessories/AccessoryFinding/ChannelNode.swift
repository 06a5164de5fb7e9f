// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What is opened to talk to an accessory.
public enum ChannelNode: AccessoryNode, Hashable {
    /// A serial port, of USB or on the board, or a pseudo-terminal.
    case tty(path: String, TTYSettings)
    /// Reports of a HID device.
    case hidraw(path: String, HIDFraming)
    /// A Unix stream socket.
    case socket(path: String)
    /// A pair of bulk endpoints.
    case usb(USBEndpoints)

    /// The node in the file system.
    public var path: String {
        switch self {
        case .tty(let path, _), .hidraw(let path, _), .socket(let path): path
        case .usb(let endpoints): endpoints.path
        }
    }
}

/// How a serial port is set up.
public struct TTYSettings: Sendable, Hashable {
    /// What becomes of the line "data terminal ready", which resets many boards.
    public enum DTR: String, Sendable, Hashable {
        /// Raised when the port is opened, as every terminal program does, and some firmware waits for. The port drops it
        /// at the last close when it is set up to, which is its default.
        case assert
        /// Not touched after the port is open, and not dropped when it is closed. Opening raises it all the same, the
        /// first time: that the kernel does by itself.
        case leave
    }

    /// Bits a second; nothing to a USB device of the class CDC ACM, and everything to a converter.
    public var speed: UInt32
    /// What becomes of "data terminal ready".
    public var dtr: DTR
    /// True to hold back when the other side's "clear to send" is down.
    public var usesHardwareFlowControl: Bool

    /// 115,200 bits a second, "data terminal ready" raised, no flow control.
    public init(speed: UInt32 = 115_200, dtr: DTR = .assert, usesHardwareFlowControl: Bool = false) {
        self.speed = speed
        self.dtr = dtr
        self.usesHardwareFlowControl = usesHardwareFlowControl
    }
}

/// How a stream of bytes becomes reports of a HID device, and back.
///
/// A report has a fixed length. What is written is cut into reports, and the last one is filled up with zeros; what is
/// read is every byte of every report.
public struct HIDFraming: Sendable, Hashable {
    /// Bytes of data in a report, without its number; 1 to 16,384.
    public var reportLength: Int
    /// The number of the report that carries data; 0 where reports are not numbered.
    public var reportNumber: UInt8

    /// Reports of that length.
    public init(reportLength: Int, reportNumber: UInt8 = 0) {
        self.reportLength = reportLength
        self.reportNumber = reportNumber
    }
}

/// A pair of bulk endpoints of a USB interface that no driver of the kernel serves.
public struct USBEndpoints: Sendable, Hashable {
    /// The node of the device, as in "/dev/bus/usb/001/007".
    public let path: String
    /// The number of the interface.
    public let interface: UInt8
    /// The alternate setting that has the endpoints: selecting it opens the session, selecting 0 closes it.
    public let alternate: UInt8
    /// The address of the endpoint to read from, as in 0x81.
    public let input: UInt8
    /// The address of the endpoint to write to, as in 0x02.
    public let output: UInt8
    /// The largest packet of the output, in bytes: data that fills its last packet is followed by an empty one.
    public let packetLength: Int
    /// The largest packet of the input, in bytes.
    public let inputPacketLength: Int

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
