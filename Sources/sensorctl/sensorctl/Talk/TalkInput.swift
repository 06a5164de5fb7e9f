// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What the user, or another program, wants sent.
struct TalkInput {
    let descriptor: Descriptor
    private let lineEnd: TalkPlan.LineEnd?
    private let isRaw: Bool
    /// What was read and is not sent yet.
    private(set) var pending: [UInt8] = []
    /// True when nothing more comes.
    private(set) var isAtEnd = false
    /// True when the user has pressed the key that ends it all.
    private(set) var wantsToLeave = false

    init(_ descriptor: Descriptor, plan: TalkPlan) {
        self.descriptor = descriptor
        lineEnd = plan.lineEnd
        isRaw = plan.isRaw
    }

    /// True when there is room for more, and more may come.
    var isWanted: Bool { pending.isEmpty && !isAtEnd }

    /// Reads once. Called when the descriptor is readable.
    mutating func read() {
        switch descriptor.readSome(atMost: 16_384) {
        case .bytes(let bytes): take(bytes)
        case .end: isAtEnd = true
        // Nothing to be read after all; or a terminal that has gone.
        case .failed(let number): isAtEnd = ![EINTR, EAGAIN].contains(number)
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if isRaw, let index = bytes.firstIndex(of: TalkPlan.escape) {
            bytes = bytes[..<index]
            isAtEnd = true
            wantsToLeave = true
        }
        guard let lineEnd, lineEnd != .lf else {
            pending.append(contentsOf: bytes)
            return
        }
        for byte in bytes {
            if byte == 10 { pending.append(contentsOf: lineEnd.bytes) } else { pending.append(byte) }
        }
    }

    /// The first of them have been sent.
    mutating func drop(_ count: Int) {
        pending.removeFirst(min(count, pending.count))
    }
}

extension Descriptor {
    /// Reads what is there, as soon as something is.
    func readSome(atMost limit: Int) -> ReadSome {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let result = systemRead(number, buffer.baseAddress, buffer.count)
            if result < 0 { failure = errno }
            count = max(result, 0)
        }
        if let failure { return .failed(errno: failure) }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// What a single read has come to.
    enum ReadSome: Sendable {
        case bytes([UInt8])
        case end
        case failed(errno: Int32)
    }
}

/// The C function, which takes the place of no method.
private func systemRead(_ number: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, start, count)
}
