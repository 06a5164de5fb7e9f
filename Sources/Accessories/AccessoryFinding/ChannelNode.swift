// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The node that a session opens to communicate with an accessory.
public enum ChannelNode: AccessoryNode, Hashable {
    /// A serial port on USB or on the board, or a pseudo-terminal.
    case tty(path: String, TTYSettings)
    /// A HID device that is read and written in reports.
    case hidraw(path: String, HIDFraming)
    /// A Unix domain stream socket.
    case socket(path: String)
    /// A pair of USB bulk endpoints.
    case usb(USBEndpoints)

    /// The path of the node.
    public var path: String {
        switch self {
        case .tty(let path, _), .hidraw(let path, _), .socket(let path): path
        case .usb(let endpoints): endpoints.path
        }
    }
}

/// The settings of a serial port.
public struct TTYSettings: Sendable, Hashable {
    /// The handling of the DTR line (data terminal ready), which resets many boards.
    public enum DTR: String, Sendable, Hashable {
        /// Raises DTR when the port is opened, as terminal programs do; some firmware waits for it. The kernel lowers
        /// DTR at the last close if `HUPCL` is set, which is the default of serial ports.
        case assert
        /// Does not change DTR after opening the port and clears `HUPCL`, so that the kernel does not lower DTR when
        /// the port is closed. The kernel still raises DTR when the port is first opened.
        case leave
    }

    /// The speed, in bits per second. USB devices of class CDC ACM ignore it; USB serial converters require the correct
    /// one.
    public var speed: UInt32
    /// The handling of DTR.
    public var dtr: DTR
    /// True to enable RTS/CTS flow control: the port sends only while the peer asserts CTS (clear to send).
    public var usesHardwareFlowControl: Bool

    /// Creates settings. The defaults are 115,200 bits per second, DTR raised and no flow control.
    public init(speed: UInt32 = 115_200, dtr: DTR = .assert, usesHardwareFlowControl: Bool = false) {
        self.speed = speed
        self.dtr = dtr
        self.usesHardwareFlowControl = usesHardwareFlowControl
    }
}

/// The conversion between a byte stream and HID reports.
///
/// Reports have a fixed length. Written data is split into reports, and the last report is padded with zeros. Read data
/// consists of all bytes of each report.
public struct HIDFraming: Sendable, Hashable {
    /// The number of data bytes in a report without the report ID; 1 to 16,384.
    public var reportLength: Int
    /// The ID of the report that contains data; 0 if reports are not numbered.
    public var reportNumber: UInt8

    /// Creates a framing for reports of the given length.
    public init(reportLength: Int, reportNumber: UInt8 = 0) {
        self.reportLength = reportLength
        self.reportNumber = reportNumber
    }
}

/// A pair of bulk endpoints of a USB interface to which no kernel driver is bound.
public struct USBEndpoints: Sendable, Hashable {
    /// The path of the USB device node, such as "/dev/bus/usb/001/007".
    public let path: String
    /// The interface number.
    public let interface: UInt8
    /// The alternate setting that contains the endpoints. Opening a session selects it; closing the session selects 0.
    public let alternate: UInt8
    /// The address of the IN endpoint, such as 0x81.
    public let input: UInt8
    /// The address of the OUT endpoint, such as 0x02.
    public let output: UInt8
    /// The maximum packet size of the OUT endpoint, in bytes. A transfer that fills its last packet is followed by a
    /// zero-length packet.
    public let packetLength: Int
    /// The maximum packet size of the IN endpoint, in bytes.
    public let inputPacketLength: Int

    /// Creates a pair of endpoints. The default of `inputPacketLength` is `packetLength`.
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
