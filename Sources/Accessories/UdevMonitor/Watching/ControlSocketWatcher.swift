// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Watches udevd's control socket with inotify. Must be used on a single thread.
final class ControlSocketWatcher {
    /// The inotify descriptor, or a negative value if inotify is unavailable.
    let descriptor: Int32
    private let path: String
    /// The watch on the socket or on one of its parent directories, or -1 if there is none.
    private var currentWatch: Int32 = -1
    /// True if the socket exists, but no process is listening on it. Either udevd is starting, or it was killed and
    /// left the socket behind.
    private(set) var isRefused = false

    init(_ path: String) {
        self.path = path
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        addWatch()
        probe()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The group that currently sends messages: `kernel` if udevd is not running.
    var group: UdevGroup { !isRefused && access(path, F_OK) == 0 ? .udev : .kernel }

    /// Drains the inotify events and renews the watch. If the socket does not exist, watches its directory. If the
    /// directory does not exist either, watches its parent.
    func rearm() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
        addWatch()
        probe()
    }

    /// Checks whether a process is listening on the socket. If this program may not connect to it, assumes that one is.
    func probe() {
        isRefused = false
        var status = stat()
        // In tests, the file is a regular file rather than a socket.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let descriptor = Sockets.open(AF_UNIX, .packets)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        isRefused = Sockets.connect(descriptor, to: path) == -1 && errno == ECONNREFUSED
    }

    private func addWatch() {
        guard descriptor >= 0, !watchFile() else { return }
        let folder = Self.folder(of: path)
        if !watchFolder(folder) {
            _ = watchFolder(Self.folder(of: folder))
            // Tries again, because the directory may have been created before the watch on its parent was added.
            _ = watchFolder(folder)
        }
        _ = watchFile()  // The socket may have been created in the meantime.
    }

    /// Watches the socket itself. Watching its directory would be costly, because udevd creates and removes a file
    /// there for each event.
    private func watchFile() -> Bool {
        // If the socket is deleted while a process has it open, inotify reports IN_ATTRIB instead of IN_DELETE_SELF,
        // because only the link count changes.
        watch(path, [UInt32(IN_DELETE_SELF), UInt32(IN_MOVE_SELF), UInt32(IN_ATTRIB)])
    }

    private func watchFolder(_ folder: String) -> Bool {
        watch(
            folder,
            [UInt32(IN_CREATE), UInt32(IN_MOVED_TO), UInt32(IN_DELETE_SELF), UInt32(IN_MOVE_SELF), UInt32(IN_ONLYDIR)])
    }

    private func watch(_ path: String, _ events: [UInt32]) -> Bool {
        let added = inotify_add_watch(descriptor, path, events.reduce(0, |))
        guard added >= 0 else { return false }
        // Removes the previous watch. If the watched file was deleted, inotify has already done so.
        if currentWatch >= 0, currentWatch != added { inotify_rm_watch(descriptor, currentWatch) }
        currentWatch = added
        return true
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
