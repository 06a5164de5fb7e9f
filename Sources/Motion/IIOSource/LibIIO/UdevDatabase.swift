// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// What udev has found out about devices, in the files that its library reads.
///
/// Reading them takes no library and no running daemon: one that has stopped leaves them.
enum UdevDatabase {
    private static let folder = "/run/udev/data"

    /// A property of an IIO device; `node` is the number of its device node, such as "243:0".
    static func property(_ name: String, device: String, node: String?) -> String? {
        if name == "DEVPATH" { return path(of: device) }
        var files: [String] = []
        // The names come from outside: no other file than udev's is to be read.
        if let node, !node.isEmpty, node.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || isDigit($0) }) {
            files.append("c\(node)")
        }
        // A device without a buffer has no node.
        if isDevice(device) { files.append("+iio:\(device)") }
        for file in files {
            guard let bytes = try? FileBytes.read("\(folder)/\(file)", limit: 65_536) else { continue }
            if let value = property(name, in: String(decoding: bytes, as: UTF8.self)) { return value }
        }
        return nil
    }

    /// A property in a device's record, whose lines `E:NAME=value` are properties.
    static func property(_ name: String, in record: String) -> String? {
        let prefix = "E:\(name)="
        return record.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    private static func isDevice(_ name: String) -> Bool {
        name.hasPrefix("iio:device") && name.utf8.dropFirst("iio:device".utf8.count).allSatisfy(isDigit)
    }

    /// Where the kernel has attached the device, such as "/devices/platform/soc/i2c-1/1-0068/iio:device0".
    private static func path(of device: String) -> String? {
        guard isDevice(device) else { return nil }
        let target = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> String? in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/sys/bus/iio/devices/\(device)", base, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
        guard let parts = target?.split(separator: "/"), let start = parts.firstIndex(of: "devices") else { return nil }
        return "/" + parts[start...].joined(separator: "/")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
