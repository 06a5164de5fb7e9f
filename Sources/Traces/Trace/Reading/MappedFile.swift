// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// A memory-mapped file. The kernel loads its pages on access and reclaims them when memory is low.
final class MappedFile: Sendable {
    /// The amount of recently read data that stays in memory (8 MiB).
    static let residentWindow = 8 << 20

    let count: Int
    /// A duplicate of the descriptor, for checking the file's size even if the file is renamed.
    private let descriptor: Int32
    private let start: UInt
    private let pageSize: Int
    private let registration: SIGBUSGuard.Entry?

    /// Maps the first `count` bytes of an open file. The caller may close the descriptor afterwards. If `mmap` fails,
    /// returns nil and leaves the reason in `errno`.
    init?(descriptor: Int32, count: Int) {
        guard let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0),
            start != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        self.count = count
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        self.start = UInt(bitPattern: start)
        pageSize = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)
        _ = madvise(start, count, MADV_SEQUENTIAL)
        registration = SIGBUSGuard.register(self.start, count)
    }

    deinit {
        // The mapping must be unregistered before munmap(2). After munmap, another mapping may reuse the addresses, and
        // the signal handler must not overwrite that mapping with zeros.
        if let registration { SIGBUSGuard.unregister(registration) }
        munmap(UnsafeMutableRawPointer(bitPattern: start), count)
        if descriptor >= 0 { close(descriptor) }
    }

    /// True if the file has been truncated since it was mapped. The missing part reads as zeros.
    var isTruncated: Bool {
        if registration.map({ SIGBUSGuard.isCutOff($0) }) == true { return true }
        // Also checks the size, because truncation within the last page does not cause SIGBUS.
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int(clamping: status.st_size) < count
    }

    /// The bytes, valid for the lifetime of the object.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
    }

    /// Releases the memory of a range. A later access loads the bytes from the file again.
    func releaseMemory(of range: Range<Int>) {
        let lower = range.lowerBound / pageSize * pageSize
        let upper = min(range.upperBound, count) / pageSize * pageSize
        guard lower >= 0, upper > lower else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start + UInt(lower)), upper - lower, MADV_DONTNEED)
    }
}

/// A SIGBUS handler for mapped files that are truncated while being read, for example by log rotation.
///
/// The kernel sends SIGBUS to a thread that reads a page beyond the new end of a mapped file. The handler maps
/// zero-filled pages there and records the truncation. For any other SIGBUS, it restores the previous action. The
/// handler is installed when the first file is mapped.
enum SIGBUSGuard {
    struct Entry: Sendable {
        fileprivate let index: Int
    }

    /// The state of a mapped file, shared with the signal handler. The handler can run at any time, so it must neither
    /// allocate memory nor take locks.
    fileprivate struct Slot: ~Copyable {
        let start = Atomic<UInt>(0)
        let end = Atomic<UInt>(0)
        let isTruncated = Atomic<Bool>(false)
        let isInUse = Atomic<Bool>(false)
    }

    /// The maximum number of files registered at the same time. Further files are not protected.
    private static let count = 256

    fileprivate struct Table: @unchecked Sendable {
        /// The slots are never moved or freed, and their members are atomic, so the handler needs no lock.
        let slots: UnsafeMutableBufferPointer<Slot>
        let previousAction: UnsafeMutablePointer<sigaction>

        init() {
            slots = .allocate(capacity: SIGBUSGuard.count)
            for index in slots.indices { slots.initializeElement(at: index, to: Slot()) }
            previousAction = .allocate(capacity: 1)
            previousAction.initialize(to: sigaction())
            var action = sigaction()
            sigaction(SIGBUS, nil, previousAction)
            #if canImport(Musl)
            action.__sa_handler.sa_sigaction = { signal, information, _ in SIGBUSGuard.handle(signal, information) }
            #else
            action.__sigaction_handler.sa_sigaction = { signal, information, _ in
                SIGBUSGuard.handle(signal, information)
            }
            #endif
            action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
            sigemptyset(&action.sa_mask)
            SIGBUSGuard.pageSize.store(max(Int(sysconf(Int32(_SC_PAGESIZE))), 1), ordering: .relaxed)
            SIGBUSGuard.slots.store(UInt(bitPattern: slots.baseAddress), ordering: .releasing)
            SIGBUSGuard.previousAction.store(UInt(bitPattern: previousAction), ordering: .releasing)
            sigaction(SIGBUS, &action, nil)
        }
    }

    private static let table = Table()

    // Copies of the members of `table` for the signal handler. The handler must not access `table` itself, because
    // Swift initializes it lazily, which could block.
    private static let slots = Atomic<UInt>(0)
    private static let previousAction = Atomic<UInt>(0)
    private static let pageSize = Atomic<Int>(1)

    /// `BUS_ADRERR`, which Swift does not import. A signal with another code has a different cause, such as a hardware
    /// memory error.
    private static let busAddressError: Int32 = 2

    private static func handle(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
        let number = errno
        defer { errno = number }
        // Reads the faulting address by offset, because the field has different names in different C libraries. The
        // address follows three `Int32` fields and is naturally aligned.
        let addressOffset =
            (3 * MemoryLayout<Int32>.size + MemoryLayout<UInt>.size - 1) & ~(MemoryLayout<UInt>.size - 1)
        if let information, information.pointee.si_code == busAddressError,
            mapZeroPages(at: UnsafeRawPointer(information).loadUnaligned(fromByteOffset: addressOffset, as: UInt.self))
        {
            return
        }
        // No registered file caused the signal, so the previous action is restored. A faulting memory access is
        // repeated when the handler returns, and raises the signal again. A signal sent by a process does not recur, so
        // the handler raises it again.
        sigaction(signal, UnsafePointer<sigaction>(bitPattern: previousAction.load(ordering: .acquiring)), nil)
        if let information, information.pointee.si_code <= 0 { raise(signal) }
    }

    /// Maps zero-filled pages starting at the address. Returns false if no registered file contains the address.
    private static func mapZeroPages(at address: UInt) -> Bool {
        guard let slots = UnsafeMutablePointer<Slot>(bitPattern: slots.load(ordering: .acquiring)) else { return false }
        var index = 0
        while index < count {
            let end = slots[index].end.load(ordering: .acquiring)
            if slots[index].start.load(ordering: .relaxed) <= address, address < end {
                slots[index].isTruncated.store(true, ordering: .relaxed)
                // All pages from the faulting page to the end of the mapping are missing from the file, so all of them
                // are replaced.
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

    static func register(_ start: UInt, _ size: Int) -> Entry? {
        let slots = table.slots
        for index in slots.indices where !slots[index].isInUse.exchange(true, ordering: .acquiring) {
            slots[index].isTruncated.store(false, ordering: .relaxed)
            slots[index].start.store(start, ordering: .relaxed)
            // Stored last, because the handler ignores the slot until `end` is set.
            slots[index].end.store(start &+ UInt(size), ordering: .releasing)
            return Entry(index: index)
        }
        return nil
    }

    static func unregister(_ entry: Entry) {
        let slots = table.slots
        slots[entry.index].end.store(0, ordering: .relaxed)
        slots[entry.index].isInUse.store(false, ordering: .releasing)
    }

    static func isCutOff(_ entry: Entry) -> Bool { table.slots[entry.index].isTruncated.load(ordering: .relaxed) }
}
