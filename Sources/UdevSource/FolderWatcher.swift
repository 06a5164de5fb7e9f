// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells when something in a folder may have changed, through inotify. A folder that does not exist, or vanishes, is
/// waited for in the nearest folder above it that does.
///
/// One thread, which sleeps while nothing happens.
final class FolderWatcher: Sendable {
    private let folders: [String]
    private let descriptor: Int32
    private let wakeUp: WakeUp
    private let isStopped = Atomic<Bool>(false)
    private let watches = Mutex<Set<Int32>>([])

    /// Files that come, go, change or may be read from now on; and the folder's own end.
    private static let inFolder =
        UInt32(IN_ATTRIB) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE)
        | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    /// Only what may bring the folder. Added to what is watched there already, for it may be one of the folders itself.
    private static let above =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        | 0x2000_0000

    /// A watcher of those folders, which begins to watch at once.
    init(_ folders: [String]) throws(DeviceError) {
        self.folders = folders
        wakeUp = try WakeUp(for: "watching the folders of declared accessories")
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw DeviceError(
                .busy,
                "The folders of declared accessories cannot be watched: what is there now is all. Raise the limit "
                    + "fs.inotify.max_user_instances.",
                cause: .system(call: "inotify_init1", errno: errno))
        }
        arm()
    }

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

    /// Takes all messages; true when there were any. What they say is found out by looking.
    private func drain() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            var hasAny = false
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 { hasAny = true }
            return hasAny
        }
    }

    /// Has each folder watched as it is now.
    private func arm() {
        watches.withLock { former in
            var current: Set<Int32> = []
            for folder in folders {
                // A folder may come between a look at it and the watch above it.
                for _ in 0..<4 where !arm(folder, &current) {}
            }
            for watch in former.subtracting(current) { inotify_rm_watch(descriptor, watch) }
            former = current
        }
    }

    /// False when it has to be tried again.
    private func arm(_ folder: String, _ watches: inout Set<Int32>) -> Bool {
        var watch = inotify_add_watch(descriptor, folder, Self.inFolder)
        if watch >= 0 {
            watches.insert(watch)
            return true
        }
        var path = folder[...]
        while true {
            let below = path
            while path.hasSuffix("/"), path.utf8.count > 1 { path.removeLast() }
            guard path != "/", path != "." else { return true }
            if let slash = path.lastIndex(of: "/") {
                path = slash == path.startIndex ? "/" : path[..<slash]
            } else {
                path = "."
            }
            watch = inotify_add_watch(descriptor, String(path), Self.above)
            guard watch >= 0 else { continue }
            watches.insert(watch)
            return access(String(below), X_OK) != 0
        }
    }
}
