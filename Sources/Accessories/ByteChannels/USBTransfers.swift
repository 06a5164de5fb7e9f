// SPDX-License-Identifier: Apache-2.0

/// The blocks of one endpoint, used in turn: the kernel finishes them in the order in which it got them.
struct USBTransfers: ~Copyable {
    enum Stage {
        case idle, underWay, done
    }

    let blocks: [USBRequestBlock]
    private var stages: [Stage]
    /// The one that was submitted first and is not idle again, or the next to be used.
    private(set) var oldest = 0
    /// How many from there are not idle.
    private(set) var used = 0
    /// How many are with the kernel.
    private(set) var underWay = 0
    /// How much of the oldest one was taken.
    var taken = 0

    init(endpoint: UInt8, count: Int, capacity: Int) {
        blocks = (0..<max(1, count)).map { _ in USBRequestBlock(endpoint: endpoint, capacity: capacity) }
        stages = Array(repeating: .idle, count: blocks.count)
    }

    deinit {
        for block in blocks { block.free() }
    }

    /// The block to use next; nil while all are in use.
    var next: USBRequestBlock? { used < blocks.count ? blocks[(oldest + used) % blocks.count] : nil }

    /// The block `next` is with the kernel now.
    mutating func submitted() {
        guard used < blocks.count else { return }
        stages[(oldest + used) % blocks.count] = .underWay
        used += 1
        underWay += 1
    }

    /// The kernel is done with the block at that address; nil when it is none of these.
    mutating func finished(_ address: UInt) -> USBRequestBlock? {
        guard let index = blocks.firstIndex(where: { UInt(bitPattern: $0.address) == address }),
            stages[index] == .underWay
        else { return nil }
        stages[index] = .done
        underWay -= 1
        return blocks[index]
    }

    /// The oldest block, when the kernel is done with it.
    var firstDone: USBRequestBlock? { used > 0 && stages[oldest] == .done ? blocks[oldest] : nil }

    /// The oldest block can be used again.
    mutating func recycle() {
        guard used > 0 else { return }
        stages[oldest] = .idle
        oldest = (oldest + 1) % blocks.count
        used -= 1
        taken = 0
    }

    /// Those that are with the kernel.
    var waiting: [USBRequestBlock] {
        blocks.indices.filter { stages[$0] == .underWay }.map { blocks[$0] }
    }
}
