// SPDX-License-Identifier: Apache-2.0

/// The request blocks of one endpoint, used as a ring: the kernel completes them in the order of submission.
struct USBTransfers: ~Copyable {
    enum Stage {
        case idle, underWay, done
    }

    let blocks: [USBRequestBlock]
    private var stages: [Stage]
    /// The index of the oldest block that is not idle; if all are idle, of the next block to use.
    private(set) var oldest = 0
    /// The number of blocks that are not idle.
    private(set) var used = 0
    /// The number of blocks that are submitted and not completed.
    private(set) var underWay = 0
    /// The number of bytes that have been read from the oldest block.
    var taken = 0

    init(endpoint: UInt8, count: Int, capacity: Int) {
        blocks = (0..<max(1, count)).map { _ in USBRequestBlock(endpoint: endpoint, capacity: capacity) }
        stages = Array(repeating: .idle, count: blocks.count)
    }

    deinit {
        for block in blocks { block.free() }
    }

    /// The block to use next; nil while all blocks are in use.
    var next: USBRequestBlock? { used < blocks.count ? blocks[(oldest + used) % blocks.count] : nil }

    /// Marks the block `next` as submitted.
    mutating func submitted() {
        guard used < blocks.count else { return }
        stages[(oldest + used) % blocks.count] = .underWay
        used += 1
        underWay += 1
    }

    /// Marks the block at an address as completed. Returns nil if the address does not belong to a submitted block.
    mutating func finished(_ address: UInt) -> USBRequestBlock? {
        guard let index = blocks.firstIndex(where: { UInt(bitPattern: $0.address) == address }),
            stages[index] == .underWay
        else { return nil }
        stages[index] = .done
        underWay -= 1
        return blocks[index]
    }

    /// The oldest block if it is completed; otherwise nil.
    var firstDone: USBRequestBlock? { used > 0 && stages[oldest] == .done ? blocks[oldest] : nil }

    /// Makes the oldest block idle.
    mutating func recycle() {
        guard used > 0 else { return }
        stages[oldest] = .idle
        oldest = (oldest + 1) % blocks.count
        used -= 1
        taken = 0
    }

    /// The blocks that are submitted and not completed.
    var waiting: [USBRequestBlock] {
        blocks.indices.filter { stages[$0] == .underWay }.map { blocks[$0] }
    }
}
