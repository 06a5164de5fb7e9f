// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Memory of a caller's, for use under a lock during the call only.
struct BorrowedBytes: @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer
    /// How many there are.
    var count: Int { bytes.count }

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Those from there on, as many as that at most, for the closure alone.
    func from(_ start: Int, count: Int = .max) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(count))
    }
}

/// Memory of a caller's to be filled under a lock during the call only.
struct BorrowedMemory: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
}
