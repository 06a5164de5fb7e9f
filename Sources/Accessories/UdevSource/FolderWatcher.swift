// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Tells when something in a folder may have changed, through inotify.
///
/// A watch is bound to what is at a path when it is made. So all folders that a path leads through are watched too, those
/// of symbolic links included: what the path leads to may be put in another's place anywhere on it, or not be there yet.
///
/// One thread, which sleeps while nothing happens.
final class FolderWatcher: Sendable {
    private let folders: [String]
    private let inotify: Inotify
    private let descriptor: Int32
    private let wakeUp: WakeUp
    private let isStopped = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var watches: [Int32: Watch] = [:]
        var problem: DeviceError?
    }

    /// What is watched for.
    private struct Watch {
        /// It is one of the folders: everything in it counts.
        var isFolder = false
        /// The names in it that a path leads through.
        var names: Set<String> = []
    }

    /// Files that come, go, change or may be read from now on; and the folder's own end.
    private static let inFolder =
        UInt32(IN_ATTRIB) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE)
        | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    /// What may bring something to a name or take it away. Added to what is watched there already, for it may be one of
    /// the folders itself.
    private static let above =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_ATTRIB)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | addsToMask
    // From sys/inotify.h; Swift does not see the first, for it has an event's name behind it.
    static let headLength = 16
    static let lengthOffset = 12
    static let addsToMask: UInt32 = 0x2000_0000
    /// As many as the kernel follows.
    private static let maximumLinks = 40

    /// A watcher of those folders, which begins to watch at once.
    init(_ folders: [String], inotify: Inotify = Inotify()) throws(DeviceError) {
        self.folders = folders
        self.inotify = inotify
        wakeUp = try WakeUp(for: "watching the folders of declared accessories")
        descriptor = inotify.begin()
        guard descriptor >= 0 else { throw Inotify.problem(call: "inotify_init1", errno: errno) }
        arm()
    }

    /// Why not all of the folders are watched; nil when they are.
    var problem: DeviceError? { state.withLock { $0.problem } }

    deinit {
        close(descriptor)
    }

    /// Calls the closure on the watcher's thread after each change, until `stop`.
    func start(_ changed: @escaping @Sendable () -> Void) throws(DeviceError) {
        try WorkerThread.start { [self] in
            while !isStopped.load(ordering: .acquiring) {
                _ = wakeUp.wait(for: descriptor, until: .never, clock: LiveClock())
                guard drain(), !isStopped.load(ordering: .acquiring) else { continue }
                arm()
                changed()
            }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Takes all messages; true when one of them matters. What it means is found out by looking.
    private func drain() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            var matters = false
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return matters }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
                // Not one of a busy folder above may cost a look at all files.
                if !matters { matters = state.withLock { Self.matters(bytes, $0.watches) } }
            }
        }
    }

    private static func matters(_ bytes: UnsafeRawBufferPointer, _ watches: [Int32: Watch]) -> Bool {
        var offset = 0
        // The number of the watch, the mask, a cookie and the length of the name; then the name, filled up with zeros.
        while bytes.count - offset >= headLength {
            let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let length = bytes.loadUnaligned(fromByteOffset: offset + lengthOffset, as: UInt32.self)
            offset += headLength
            guard let length = Int(exactly: length), length <= bytes.count - offset else { return true }
            let name = bytes[offset..<offset + length].prefix { $0 != 0 }
            offset += length
            // Messages were lost.
            if number < 0 { return true }
            guard let watch = watches[number] else { continue }
            if watch.isFolder || name.isEmpty || watch.names.contains(String(decoding: name, as: UTF8.self)) {
                return true
            }
        }
        return false
    }

    /// Has each folder watched as it is now, on any thread.
    func arm() {
        state.withLock { state in
            let former = state.watches
            state = State()
            for folder in folders { arm(folder, &state) }
            for number in former.keys where state.watches[number] == nil { inotify_rm_watch(descriptor, number) }
        }
    }

    /// Follows the path as far as it leads. Each folder is watched before it is looked into, so that nothing is missed.
    private func arm(_ folder: String, _ state: inout State) {
        var path = folder.hasPrefix("/") ? "/" : "."
        /// What is left of the path, the last part first.
        var rest = Self.parts(folder)
        var links = 0
        while let name = rest.popLast() {
            if let number = watch(path, Self.above, &state) {
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
        if let number = watch(path, Self.inFolder, &state) {
            state.watches[number, default: Watch()].isFolder = true
        }
    }

    private func watch(_ path: String, _ events: UInt32, _ state: inout State) -> Int32? {
        let number = inotify.add(descriptor, path, events)
        guard number < 0 else { return number }
        let error = errno
        // One that may be passed and not be read cannot be watched; what is below it can.
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

/// The calls of inotify that the system may refuse, so that tests can put others in their place. Both give a negative
/// number then, and set errno.
struct Inotify: Sendable {
    var begin: @Sendable () -> Int32 = { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
    var add: @Sendable (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32 = { descriptor, path, events in
        inotify_add_watch(descriptor, path, events)
    }

    /// What a call has failed with, and what to do.
    static func problem(call: String, errno number: Int32) -> DeviceError {
        let (reason, advice) =
            switch number {
            case ENOSPC: ("this user has no inotify watch left", ": sysctl -w fs.inotify.max_user_watches=524288.")
            case EMFILE where hasDescriptor:
                ("this user has no inotify instance left", ": sysctl -w fs.inotify.max_user_instances=1024.")
            case EMFILE, ENFILE: ("no file descriptor is left", " of open files (ulimit -n).")
            default: ("the system does not allow it now", "")
            }
        let remedy = advice.isEmpty ? "" : " Raise the limit" + advice
        return DeviceError(
            .busy,
            "The folders of declared accessories cannot be watched, because \(reason). They are looked at every "
                + "\(Int(UdevSource.lookInterval)) seconds instead.\(remedy)", cause: .system(call: call, errno: number)
        )
    }

    /// True unless this process may open nothing more: the limit of instances has the same number.
    private static var hasDescriptor: Bool {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
