// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import UdevMonitor

@Suite("Message checks before libudev")
struct MessageValidatorTests {
    private static let selections = [
        UdevSelection(subsystem: "tty"), UdevSelection(subsystem: "usb", type: "usb_device"),
    ]
    private static let tty = "ACTION=add\0DEVPATH=/devices/virtual/tty/tty5\0SUBSYSTEM=tty\0SEQNUM=7\0"

    /// Returns a message with a header: the name, the magic number in big-endian order, the size of the header, the
    /// offset and length of the body, and empty hashes and tags.
    private func message(_ body: String, offset: UInt32 = 40, magic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]) -> [UInt8] {
        var bytes = Array("libudev\0".utf8) + magic
        for number in [40, offset, UInt32(body.utf8.count)] {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        return bytes + [UInt8](repeating: 0, count: 16) + Array(body.utf8)
    }

    private func result(_ message: [UInt8], _ group: UdevGroup = .udev) -> MessageValidator.ValidationResult {
        message.withUnsafeBytes { MessageValidator(group, Self.selections).validate($0) }
    }

    @Test("A message of udevd about a requested device is accepted")
    func passes() {
        #expect(result(message(Self.tty)) == .valid)
        #expect(result(message("SUBSYSTEM=usb\0DEVTYPE=usb_device\0")) == .valid)
        // umockdev sends the subsystem twice.
        #expect(result(message("SUBSYSTEM=usb\0DEVTYPE=usb_device\0SUBSYSTEM=usb\0")) == .valid)
    }

    @Test("A kernel message, which has no header, is accepted only in the kernel group")
    func passesKernel() {
        let bytes = Array("add@/devices/virtual/tty/tty5\0\(Self.tty)".utf8)
        #expect(result(bytes, .kernel) == .valid)
        #expect(result(bytes, .udev) == .unusable)
        #expect(result(message(Self.tty), .kernel) == .valid)
        #expect(result([UInt8](repeating: 0x41, count: 100), .kernel) == .unusable)
    }

    @Test("Messages about other devices are not passed to libudev")
    func rejectsUnselected() {
        #expect(result(message("SUBSYSTEM=net\0INTERFACE=eth0\0")) == .notSelected)
        #expect(result(message("SUBSYSTEM=usb\0DEVTYPE=usb_interface\0")) == .notSelected)
        #expect(result(message("SUBSYSTEM=usb\0")) == .notSelected)
        #expect(result(message("SUBSYSTEM=ttyx\0")) == .notSelected)
    }

    @Test(
        "An offset outside the message is rejected",
        arguments: [0, 8, 39, 200, 0x7FFF_FFFF, 0xFFFF_FFE0, 0xFFFF_FFFF] as [UInt32])
    func rejects(offset: UInt32) {
        #expect(result(message(Self.tty, offset: offset)) == .unusable)
    }

    @Test("Invalid messages are rejected")
    func rejectsBroken() {
        #expect(result([]) == .unusable)
        #expect(result(message("")) == .unusable)
        #expect(result(message(Self.tty, magic: [0, 1, 2, 3])) == .unusable)
        #expect(result(message("SUBSYSTEM=tty")) == .unusable)
        #expect(result(message("SUBSYSTEM=\0ACTION=add\0")) == .unusable)
        #expect(result(message("ACTION=add\0DEVPATH=/devices/x\0")) == .unusable)
        #expect(result(message("SUBSYSTEM=tty\0SUBSYSTEM=net\0")) == .unusable)
        #expect(result(message("SUBSYSTEM=usb\0DEVTYPE=usb_device\0DEVTYPE=x\0")) == .unusable)
        // The header of 40 bytes and the body together may have 16,384 bytes.
        #expect(
            result(message(Self.tty + String(repeating: "x", count: 16_384 - 40 - Self.tty.utf8.count - 1) + "\0"))
                == .valid)
        #expect(
            result(message(Self.tty + String(repeating: "x", count: 16_384 - 40 - Self.tty.utf8.count) + "\0"))
                == .tooLong)
        for length in 0..<message(Self.tty).count {
            // A truncated message is valid if it contains the subsystem (40 + 11 + 34 + 14 bytes) and ends between two
            // entries.
            let truncated = Array(message(Self.tty)[..<length])
            #expect(result(truncated) == (truncated.last == 0 && length >= 99 ? .valid : .unusable), "\(length)")
        }
    }
}
