// SPDX-License-Identifier: Apache-2.0

/// The request blocks of one endpoint, used as a ring buffer. The kernel completes blocks in the order of their
/// submission.
struct USBTransfers: ~Copyable {
    enum Stage { case idle, submitted, done }

    let blocks: [USBRequestBlock]
    /// The stage of each element of `blocks`.
    private var stages: [Stage]
    /// The index of the oldest block in use. If all blocks are idle, this is the index of the next block to use.
    private(set) var oldestIndex = 0
    private(set) var usedCount = 0
    private(set) var submittedCount = 0
    /// The number of bytes already read from the oldest block.
    var consumedBytes = 0

    init(endpoint: UInt8, count: Int, capacity: Int) {
        blocks = (0..<max(1, count)).map { _ in USBRequestBlock(endpoint: endpoint, capacity: capacity) }
        stages = Array(repeating: .idle, count: blocks.count)
    }

    deinit { for block in blocks { block.free() } }

    var next: USBRequestBlock? { usedCount < blocks.count ? blocks[(oldestIndex + usedCount) % blocks.count] : nil }

    mutating func markSubmitted() {
        guard usedCount < blocks.count else { return }
        stages[(oldestIndex + usedCount) % blocks.count] = .submitted
        usedCount += 1
        submittedCount += 1
    }

    /// Marks the submitted block at an address as completed, and returns it. Returns `nil` if there is no such block.
    mutating func markCompleted(_ address: UInt) -> USBRequestBlock? {
        guard let index = blocks.firstIndex(where: { UInt(bitPattern: $0.address) == address }),
            stages[index] == .submitted
        else { return nil }
        stages[index] = .done
        submittedCount -= 1
        return blocks[index]
    }

    var oldestCompleted: USBRequestBlock? { usedCount > 0 && stages[oldestIndex] == .done ? blocks[oldestIndex] : nil }

    mutating func recycle() {
        guard usedCount > 0 else { return }
        stages[oldestIndex] = .idle
        oldestIndex = (oldestIndex + 1) % blocks.count
        usedCount -= 1
        consumedBytes = 0
    }

    var submittedBlocks: [USBRequestBlock] { blocks.indices.filter { stages[$0] == .submitted }.map { blocks[$0] } }
}
