// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Uses inotify to report possible changes in directories.
///
/// An inotify watch belongs to an inode, not to a path. A component of a path may be replaced later, or may not exist
/// yet, so the watcher watches all directories along each path. If a path contains a symbolic link, it also watches the
/// directories along the link's target.
///
/// The watcher runs one thread, which sleeps while no events arrive.
final class FolderWatcher: Sendable {
    private let folders: [String]
    private let inotify: Inotify
    private let descriptor: Int32
    private let wakeUp: WakeupPipe
    private let isStopped = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var watches: [Int32: Watch] = [:]
        var problem: DeviceError?
    }

    private struct Watch {
        /// True if this is one of the configured directories. All events in such a directory are relevant.
        var isFolder = false
        var names: Set<String> = []
    }

    /// The events that affect a directory's files or the directory itself.
    private static let directoryEvents =
        UInt32(IN_ATTRIB) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE)
        | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    /// The events that indicate that a component of a path was added or removed. If the directory is already watched,
    /// for example because it is a configured directory, IN_MASK_ADD adds these events to the existing watch. Without
    /// this flag, they would replace the watch's events.
    private static let ancestorEvents =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_ATTRIB)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | addsToMask
    // These constants are from sys/inotify.h. Swift cannot import the size of `inotify_event`, because that structure
    // ends with a flexible array member.
    static let headerLength = 16
    static let lengthOffset = 12
    static let addsToMask: UInt32 = 0x2000_0000
    /// The maximum number of symbolic links in a path. The kernel has the same limit.
    private static let maximumLinks = 40

    init(_ folders: [String], inotify: Inotify = Inotify()) throws(DeviceError) {
        self.folders = folders
        self.inotify = inotify
        wakeUp = try WakeupPipe(for: "watching the directories of declared accessories")
        descriptor = inotify.begin()
        guard descriptor >= 0 else { throw Inotify.problem(call: "inotify_init1", errno: errno) }
        updateWatches()
    }

    /// The reason some directories are not watched, or `nil` if all are watched.
    var problem: DeviceError? { state.withLock { $0.problem } }

    deinit { close(descriptor) }

    /// Calls the closure after each change, on the watcher's thread, until `stop` is called.
    func start(_ changed: @escaping @Sendable () -> Void) throws(DeviceError) {
        try WorkerThread.start { [self] in
            while !isStopped.load(ordering: .acquiring) {
                _ = wakeUp.wait(for: descriptor, until: .never, clock: LiveClock())
                guard drain(), !isStopped.load(ordering: .acquiring) else { continue }
                updateWatches()
                changed()
            }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Reads all events. Returns true if any event is relevant.
    private func drain() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            var isRelevant = false
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return isRelevant }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
                // Irrelevant events are ignored. Otherwise, each change in a busy parent directory would cause a scan
                // of all files.
                if !isRelevant { isRelevant = state.withLock { Self.containsRelevantEvent(bytes, $0.watches) } }
            }
        }
    }

    private static func containsRelevantEvent(_ bytes: UnsafeRawBufferPointer, _ watches: [Int32: Watch]) -> Bool {
        var offset = 0
        // An event consists of a watch descriptor, a mask, a cookie, the length of the name, and the zero-padded name.
        while bytes.count - offset >= headerLength {
            let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let length = bytes.loadUnaligned(fromByteOffset: offset + lengthOffset, as: UInt32.self)
            offset += headerLength
            guard let length = Int(exactly: length), length <= bytes.count - offset else { return true }
            let name = bytes[offset..<offset + length].prefix { $0 != 0 }
            offset += length
            // The event queue has overflowed.
            if number < 0 { return true }
            guard let watch = watches[number] else { continue }
            if watch.isFolder || name.isEmpty || watch.names.contains(String(decoding: name, as: UTF8.self)) {
                return true
            }
        }
        return false
    }

    /// Updates the watches to match the current directories. May be called from any thread.
    func updateWatches() {
        state.withLock { state in
            let former = state.watches
            state = State()
            for folder in folders { addWatches(folder, &state) }
            for number in former.keys where state.watches[number] == nil { inotify_rm_watch(descriptor, number) }
        }
    }

    /// Adds watches along a directory's path. Each directory is watched before its contents are examined, so that no
    /// change is missed.
    private func addWatches(_ folder: String, _ state: inout State) {
        var path = folder.hasPrefix("/") ? "/" : "."
        /// The remaining path components, in reverse order.
        var rest = Self.parts(folder)
        var links = 0
        while let name = rest.popLast() {
            if let number = watch(path, Self.ancestorEvents, &state) {
                state.watches[number, default: Watch()].names.insert(name)
            }
            let next = path.hasSuffix("/") ? path + name : path + "/" + name
            var status = stat()
            guard lstat(next, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                path = next
                continue
            }
            links += 1
            guard links <= Self.maximumLinks, let target = Self.target(of: next) else { return }
            if target.hasPrefix("/") { path = "/" }
            rest += Self.parts(target)
        }
        if let number = watch(path, Self.directoryEvents, &state) {
            state.watches[number, default: Watch()].isFolder = true
        }
    }

    private func watch(_ path: String, _ events: UInt32, _ state: inout State) -> Int32? {
        let number = inotify.add(descriptor, path, events)
        guard number < 0 else { return number }
        let error = errno
        // A directory that can be traversed but not read cannot be watched. This is not a problem, because the
        // directories below it can still be watched.
        if error == ENOSPC || error == ENOMEM {
            state.problem = Inotify.problem(call: "inotify_add_watch", errno: error)
        }
        return nil
    }

    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func target(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}

/// The inotify calls, which tests can replace. On failure, each returns a negative number and sets `errno`.
struct Inotify: Sendable {
    var begin: @Sendable () -> Int32 = { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
    var add: @Sendable (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32 = { descriptor, path, events in
        inotify_add_watch(descriptor, path, events)
    }

    static func problem(call: String, errno number: Int32) -> DeviceError {
        let (reason, advice) =
            switch number {
            case ENOSPC: ("this user has no inotify watch left", ": sysctl -w fs.inotify.max_user_watches=524288.")
            case EMFILE where hasDescriptor:
                ("this user has no inotify instance left", ": sysctl -w fs.inotify.max_user_instances=1024.")
            case EMFILE, ENFILE: ("no file descriptor is left", " of open files (ulimit -n).")
            default: ("the system does not permit it", "")
            }
        let remedy = advice.isEmpty ? "" : " Raise the limit" + advice
        return DeviceError(
            .busy,
            "The directories of declared accessories cannot be watched, because \(reason). They are checked every "
                + "\(Int(UdevSource.folderScanInterval)) seconds instead.\(remedy)",
            cause: .system(call: call, errno: number))
    }

    /// True if a file descriptor is available. EMFILE then means that the user has reached the limit on inotify
    /// instances, not the limit on descriptors.
    private static var hasDescriptor: Bool {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
