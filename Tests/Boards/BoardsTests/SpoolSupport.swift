// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemCalls
import Testing

@testable import MQTTPublisher

/// A folder that is removed after the test.
final class SpoolDirectory {
    let path = NSTemporaryDirectory() + "spool-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func spool(_ limits: SpoolLimits = SpoolLimits(), disk: SpoolFileSystem = SpoolFileSystem()) throws -> Spool {
        try Spool(folder: path, limits: limits, disk: disk)
    }

    /// The files of the spool in order, with their contents.
    var files: [(name: String, bytes: [UInt8])] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        return names.map { ($0, [UInt8](FileManager.default.contents(atPath: "\(path)/\($0)") ?? Data())) }
    }
}

/// A disk with limited space that counts rejected writes.
final class SmallDisk: Sendable {
    private let capacity: Mutex<Int>
    let refused = Atomic(0)
    private let error: Int32

    init(capacity: Int, error: Int32 = ENOSPC) {
        self.capacity = Mutex(capacity)
        self.error = error
    }

    func setCapacity(_ bytes: Int) { capacity.withLock { $0 = bytes } }

    /// Writes only the bytes that fit, as a real disk does.
    var disk: SpoolFileSystem {
        SpoolFileSystem(write: { [self] descriptor, bytes in
            let allowed = capacity.withLock { capacity in
                let allowed = min(capacity, bytes.count)
                capacity -= allowed
                return allowed
            }
            guard allowed > 0 else {
                refused.add(1, ordering: .relaxed)
                errno = error
                return -1
            }
            return systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<allowed]))
        })
    }
}

extension Spool {
    /// Appends records whose payloads are numbers.
    func add(_ numbers: Range<Int>, size: Int = 0) {
        for number in numbers {
            let text = "\(number)" + String(repeating: " ", count: max(0, size - "\(number)".utf8.count))
            append(.position, topic: "t", payload: Array(text.utf8))
        }
    }

    /// Reads all unread records as numbers.
    func remaining() -> [Int] {
        var numbers: [Int] = []
        while let record = next() { numbers.append(record.value) }
        return numbers
    }

    /// Reads and acknowledges up to `count` records, as a publisher does.
    func send(_ count: Int) -> [Int] {
        var numbers: [Int] = []
        while numbers.count < count, let record = next() {
            numbers.append(record.value)
            acknowledge(record.number)
        }
        return numbers
    }
}

extension SpoolRecord {
    var value: Int { Int(String(decoding: payload.prefix { $0 != 0x20 }, as: UTF8.self)) ?? -1 }
}
