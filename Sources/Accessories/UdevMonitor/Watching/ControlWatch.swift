// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Watches for udevd's control socket without looking for it again and again.
///
/// Lives on one thread.
final class ControlWatch {
    /// Readable when something has come or gone beside the socket; negative where inotify cannot be had.
    let descriptor: Int32
    private let path: String
    private var number: Int32 = -1
    /// True when the socket is there and nobody listens: udevd was killed and has left it, or is just beginning.
    private(set) var isRefused = false

    /// Watches for the file at that path.
    init(_ path: String) {
        self.path = path
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        arm()
        probe()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The group that messages come from now.
    var group: UdevGroup { !isRefused && access(path, F_OK) == 0 ? .udev : .kernel }

    /// Forgets what has been noticed, and looks at the file, at its folder while there is none, or at the one above.
    func rearm() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
        arm()
        probe()
    }

    /// Asks at the socket whether somebody listens. Who may not ask takes it that somebody does.
    func probe() {
        isRefused = false
        var status = stat()
        // What stands in for the socket in tests is a plain file.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let descriptor = Sockets.open(AF_UNIX, .packets)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        isRefused = Sockets.connect(descriptor, to: path) == -1 && errno == ECONNREFUSED
    }

    private func arm() {
        guard descriptor >= 0, !watchFile() else { return }
        let folder = Self.folder(of: path)
        if !watchFolder(folder) {
            _ = watchFolder(Self.folder(of: folder))
            // It may have been made between the two.
            _ = watchFolder(folder)
        }
        _ = watchFile()
    }

    /// Not its folder: udevd makes and removes a file there with every event.
    private func watchFile() -> Bool {
        // A socket that a process still has is only told to have one name less.
        watch(path, [UInt32(IN_DELETE_SELF), UInt32(IN_MOVE_SELF), UInt32(IN_ATTRIB)])
    }

    private func watchFolder(_ folder: String) -> Bool {
        watch(
            folder,
            [
                UInt32(IN_CREATE), UInt32(IN_MOVED_TO), UInt32(IN_DELETE_SELF), UInt32(IN_MOVE_SELF),
                UInt32(IN_ONLYDIR),
            ])
    }

    private func watch(_ path: String, _ signs: [UInt32]) -> Bool {
        let added = inotify_add_watch(descriptor, path, signs.reduce(0, |))
        guard added >= 0 else { return false }
        // The old number may be free already, because its file is gone.
        if number >= 0, number != added { inotify_rm_watch(descriptor, number) }
        number = added
        return true
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
