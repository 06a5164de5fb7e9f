// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A file whose pages the system brings into memory when they are read, and takes back when it needs the room.
final class MappedFile: Sendable {
    /// So many bytes may stay in memory behind a reader before it gives them back.
    static let window = 8 << 20

    let count: Int
    private let start: UInt
    private let pageSize: Int

    /// Maps so many bytes of an open file, which may be closed afterwards; nil when the system does not, and then errno
    /// says why.
    init?(descriptor: Int32, count: Int) {
        guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0),
            start != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        self.count = count
        self.start = UInt(bitPattern: start)
        pageSize = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)
        _ = madvise(start, count, MADV_SEQUENTIAL)
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: start), count) }

    /// The bytes, which are there as long as the object is.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
    }

    /// Gives the memory of a part back. Its bytes can be read again at any time: they come from the file then.
    func forget(_ range: Range<Int>) {
        let lower = range.lowerBound / pageSize * pageSize
        let upper = min(range.upperBound, count) / pageSize * pageSize
        guard lower >= 0, upper > lower else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start + UInt(lower)), upper - lower, MADV_DONTNEED)
    }
}
