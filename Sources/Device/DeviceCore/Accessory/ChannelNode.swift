// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What is opened to talk to an accessory.
public enum ChannelNode: Sendable, Hashable {
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
