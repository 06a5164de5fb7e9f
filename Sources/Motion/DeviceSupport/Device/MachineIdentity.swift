// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The properties of a `UIDevice` that describe the machine and its operating system.
struct MachineIdentity: Sendable, Equatable {
    var name: String
    var model: String
    var systemName: String
    var systemVersion: String
    var vendorIdentifier: UUID?

    /// Returns the identity of a device. A simulated device reveals nothing about this machine.
    static func identity(of device: Device) -> MachineIdentity {
        device.isSimulated ? simulated(name: device.name) : live()
    }

    static func simulated(name: String) -> MachineIdentity {
        MachineIdentity(
            name: name, model: "Simulated Device", systemName: "Linux", systemVersion: "0",
            vendorIdentifier: VendorIdentifier.make(machine: Array(name.utf8), vendor: "simulated"))
    }

    static func live() -> MachineIdentity {
        var system = utsname()
        let hasSystem = uname(&system) == 0
        return read(
            root: "", hostName: hasSystem ? text(of: system.nodename) : "",
            kernelVersion: hasSystem ? text(of: system.release) : "",
            vendor: VendorIdentifier.vendor(
                bundleIdentifier: Bundle.main.bundleIdentifier, program: ProcessInfo.processInfo.processName))
    }

    /// `root` is prepended to all file paths, so that tests can provide their own files.
    static func read(root: String, hostName: String, kernelVersion: String, vendor: String) -> MachineIdentity {
        let (systemName, systemVersion) = system(root: root, kernelVersion: kernelVersion)
        return MachineIdentity(
            name: hostName.isEmpty ? "localhost" : hostName, model: model(root: root), systemName: systemName,
            systemVersion: systemVersion,
            vendorIdentifier: machineID(root: root).map { VendorIdentifier.make(machine: $0, vendor: vendor) })
    }

    private static func model(root: String) -> String {
        if let model = line(root + "/proc/device-tree/model") { return model }
        // Firmware placeholders that are present if the manufacturer has not set a name.
        let placeholders = ["To Be Filled By O.E.M.", "System Product Name", "Default string", "Not Specified", "None"]
        if let product = line(root + "/sys/class/dmi/id/product_name"),
            !placeholders.contains(where: { $0.lowercased() == product.lowercased() })
        {
            return product
        }
        return "Linux"
    }

    private static func system(root: String, kernelVersion: String) -> (name: String, version: String) {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            guard let text = text(of: root + path) else { continue }
            if let name = value("NAME", in: text), let version = value("VERSION_ID", in: text) {
                return (name, version)
            }
            break
        }
        return ("Linux", kernelVersion)
    }

    private static func value(_ key: String, in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(key + "=") {
            var value = line.dropFirst(key.count + 1)
            for quote in ["\"", "'"] where value.count >= 2 && value.hasPrefix(quote) && value.hasSuffix(quote) {
                value = value.dropFirst().dropLast()
                break
            }
            let plain = value.replacing("\\\"", with: "\"").trimmingCharacters(in: .whitespaces)
            return plain.isEmpty ? nil : String(plain.prefix(200))
        }
        return nil
    }

    private static func machineID(root: String) -> [UInt8]? {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
            // `UInt8(_:radix:)` also accepts a sign, so the digits are checked first.
            guard let text = line(root + path), text.utf8.count == 32, text.allSatisfy(\.isHexDigit) else { continue }
            let digits = Array(text)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
                UInt8(String(digits[index...index + 1]), radix: 16)
            }
            if bytes.count == 16, bytes.contains(where: { $0 != 0 }) { return bytes }
        }
        return nil
    }

    /// Returns the first line of a file without surrounding whitespace, or nil if that line is empty.
    private static func line(_ path: String) -> String? {
        guard let text = text(of: path) else { return nil }
        // Strings in the device tree are null-terminated.
        let first = text.prefix { !$0.isNewline && $0 != "\0" }.trimmingCharacters(in: .whitespaces)
        return first.isEmpty ? nil : String(first.prefix(200))
    }

    private static func text(of path: String) -> String? {
        guard let bytes = try? FileIO.read(path, limit: 16_384) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text<Tuple>(of tuple: Tuple) -> String {
        withUnsafeBytes(of: tuple) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
