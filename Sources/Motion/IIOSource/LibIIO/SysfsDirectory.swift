// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// Accesses the kernel's IIO directory and short kernel files.
enum SysfsDirectory {
    static let devices = "/sys/bus/iio/devices"

    static func device(_ id: String) -> String { "\(devices)/\(id)" }

    static func names(_ path: String) -> [String]? { DirectoryEntries.names(path, limit: 1024) }

    static func resolvedPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Writes a short string to a kernel file. Returns the error number, or 0 on success.
    static func write(_ text: String, to path: String) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { systemWrite(descriptor, $0) } == bytes.count ? 0 : errno
    }

    /// Returns the first line of a short file, or nil if the file cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = systemRead(descriptor, buffer)
            guard count >= 0 else { return nil }
            return String(decoding: buffer[..<count].prefix { $0 != 0 && $0 != 0x0A }, as: UTF8.self)
        }
    }
}

/// Reads attributes from sysfs files that are kept open, because opening a file for each read would take ten times as
/// long.
final class SysfsPoll: IIOPoll {
    private let descriptors: [Int32]

    init(paths: [String]) throws(IIOFailure) {
        var opened: [Int32] = []
        for path in paths {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                let number = errno
                for descriptor in opened { close(descriptor) }
                throw IIOFailure("open \(path)", number)
            }
            opened.append(descriptor)
        }
        descriptors = opened
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    func read(_ index: Int) throws(IIOFailure) -> Double {
        guard descriptors.indices.contains(index) else { return .nan }
        var number: Int32 = 0
        let value = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer -> Double in
            var count = pread(descriptors[index], buffer.baseAddress, buffer.count, 0)
            while count < 0, errno == EINTR { count = pread(descriptors[index], buffer.baseAddress, buffer.count, 0) }
            guard count >= 0 else {
                number = errno
                return .nan
            }
            return AttributeNumber.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard number == 0 else { throw IIOFailure("pread", number) }
        return value
    }
}

/// The device properties in the udev database, read from the files that libudev uses.
enum UdevDatabase {
    private static let directory = "/run/udev/data"

    /// `node` contains the major and minor numbers of the device node, for example "243:0".
    static func property(_ name: String, device: String, node: String?) -> String? {
        if name == "DEVPATH" { return path(of: device) }
        var files: [String] = []
        // `node` may come from an untrusted source. Only digits and colons are accepted, so that no other files can be
        // accessed.
        if let node, !node.isEmpty, node.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || IIONumber.isDigit($0) }) {
            files.append("c\(node)")
        }
        // A device without a buffer has no node.
        if isDevice(device) { files.append("+iio:\(device)") }
        for file in files {
            guard let bytes = try? FileIO.read("\(directory)/\(file)", limit: 65_536) else { continue }
            if let value = property(name, in: String(decoding: bytes, as: UTF8.self)) { return value }
        }
        return nil
    }

    /// Properties are lines of the form `E:NAME=value`.
    static func property(_ name: String, in record: String) -> String? {
        let prefix = "E:\(name)="
        return record.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    private static func isDevice(_ name: String) -> Bool {
        name.hasPrefix("iio:device") && name.utf8.dropFirst("iio:device".utf8.count).allSatisfy(IIONumber.isDigit)
    }

    /// Returns the device's kernel path, for example "/devices/platform/soc/i2c-1/1-0068/iio:device0".
    private static func path(of device: String) -> String? {
        guard isDevice(device) else { return nil }
        let target = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> String? in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(SysfsDirectory.device(device), base, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
        guard let parts = target?.split(separator: "/"), let start = parts.firstIndex(of: "devices") else { return nil }
        return "/" + parts[start...].joined(separator: "/")
    }
}
