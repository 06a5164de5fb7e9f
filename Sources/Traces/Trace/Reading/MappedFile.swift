// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// A file whose pages the system brings into memory when they are read, and takes back when it needs the room.
final class MappedFile: Sendable {
    /// So many bytes may stay in memory behind a reader before it gives them back.
    static let window = 8 << 20

    let count: Int
    /// A copy, by which the file is known when it has another name.
    private let descriptor: Int32
    private let start: UInt
    private let pageSize: Int
    private let watch: MappingWatch.Entry?

    /// Maps so many bytes of an open file, which may be closed afterwards; nil when the system does not, and then errno
    /// says why.
    init?(descriptor: Int32, count: Int) {
        guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0),
            start != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        self.count = count
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        self.start = UInt(bitPattern: start)
        pageSize = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)
        _ = madvise(start, count, MADV_SEQUENTIAL)
        watch = MappingWatch.add(self.start, count)
    }

    deinit {
        if let watch { MappingWatch.remove(watch) }
        munmap(UnsafeMutableRawPointer(bitPattern: start), count)
        if descriptor >= 0 { close(descriptor) }
    }

    /// True when the file has become shorter: what it has no more reads as zeros.
    var isCutOff: Bool {
        if watch.map({ MappingWatch.isCutOff($0) }) == true { return true }
        // Within its last page nothing is missing that the system would tell of.
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int(clamping: status.st_size) < count
    }

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

/// Keeps a program alive when a file that it has mapped becomes shorter, as by the rotation of logs.
///
/// The system then sends SIGBUS to whoever reads behind the new end. A handler puts pages of zeros there, and notes it; the
/// signal of anybody else is handled as before. It is there from the first large file on.
enum MappingWatch {
    /// One of the files that are watched.
    struct Entry: Sendable {
        fileprivate let index: Int
    }

    /// What the handler may look at: it can come at any time, so nothing here is allocated or locked.
    fileprivate struct Slot: ~Copyable {
        let start = Atomic<UInt>(0)
        let end = Atomic<UInt>(0)
        let isCutOff = Atomic<Bool>(false)
        let isTaken = Atomic<Bool>(false)
    }

    /// More files at a time are not watched.
    private static let count = 256

    fileprivate struct Table: @unchecked Sendable {
        /// Made once and never moved or freed, so that the handler may read it without a lock; its members are atomic.
        let slots: UnsafeMutableBufferPointer<Slot>
        let former: UnsafeMutablePointer<sigaction>

        init() {
            slots = .allocate(capacity: MappingWatch.count)
            for index in slots.indices { slots.initializeElement(at: index, to: Slot()) }
            former = .allocate(capacity: 1)
            former.initialize(to: sigaction())
            var action = sigaction()
            sigaction(SIGBUS, nil, former)
            #if canImport(Musl)
            action.__sa_handler.sa_sigaction = { signal, information, _ in MappingWatch.handle(signal, information) }
            #else
            action.__sigaction_handler.sa_sigaction = { signal, information, _ in
                MappingWatch.handle(signal, information)
            }
            #endif
            action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
            sigemptyset(&action.sa_mask)
            MappingWatch.pageSize.store(max(Int(sysconf(Int32(_SC_PAGESIZE))), 1), ordering: .relaxed)
            MappingWatch.slots.store(UInt(bitPattern: slots.baseAddress), ordering: .releasing)
            MappingWatch.former.store(UInt(bitPattern: former), ordering: .releasing)
            sigaction(SIGBUS, &action, nil)
        }
    }

    private static let table = Table()

    // The same for the handler, which may not wait for whoever makes the table.
    private static let slots = Atomic<UInt>(0)
    private static let former = Atomic<UInt>(0)
    private static let pageSize = Atomic<Int>(1)

    /// BUS_ADRERR, which Swift does not import: not broken memory, for example.
    private static let behindTheEnd: Int32 = 2

    private static func handle(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
        let number = errno
        defer { errno = number }
        // Three numbers, and behind them, aligned, the address; each C library has other names for it.
        let place = (3 * MemoryLayout<Int32>.size + MemoryLayout<UInt>.size - 1) & ~(MemoryLayout<UInt>.size - 1)
        if let information, information.pointee.si_code == behindTheEnd,
            putZeros(UnsafeRawPointer(information).loadUnaligned(fromByteOffset: place, as: UInt.self))
        {
            return
        }
        // Somebody else's: what is to happen then happens when it comes again.
        sigaction(signal, UnsafePointer<sigaction>(bitPattern: former.load(ordering: .acquiring)), nil)
        if let information, information.pointee.si_code <= 0 { raise(signal) }
    }

    /// False when the address is not in one of the files.
    private static func putZeros(_ address: UInt) -> Bool {
        guard let slots = UnsafeMutablePointer<Slot>(bitPattern: slots.load(ordering: .acquiring)) else { return false }
        var index = 0
        while index < count {
            let end = slots[index].end.load(ordering: .acquiring)
            if slots[index].start.load(ordering: .relaxed) <= address, address < end {
                slots[index].isCutOff.store(true, ordering: .relaxed)
                // What lies behind is not there either.
                let page = address & ~UInt(pageSize.load(ordering: .relaxed) - 1)
                let zeros = mmap(
                    UnsafeMutableRawPointer(bitPattern: page), Int(end - page), PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                return zeros == UnsafeMutableRawPointer(bitPattern: page)
            }
            index += 1
        }
        return false
    }

    static func add(_ start: UInt, _ size: Int) -> Entry? {
        let slots = table.slots
        for index in slots.indices where !slots[index].isTaken.exchange(true, ordering: .acquiring) {
            slots[index].isCutOff.store(false, ordering: .relaxed)
            slots[index].start.store(start, ordering: .relaxed)
            slots[index].end.store(start &+ UInt(size), ordering: .releasing)
            return Entry(index: index)
        }
        return nil
    }

    static func remove(_ entry: Entry) {
        let slots = table.slots
        slots[entry.index].end.store(0, ordering: .relaxed)
        slots[entry.index].isTaken.store(false, ordering: .releasing)
    }

    static func isCutOff(_ entry: Entry) -> Bool { table.slots[entry.index].isCutOff.load(ordering: .relaxed) }
}
