// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The accessories that files in folders declare: each is attached for as long as its file exists.
///
/// A look at the folders finds what has changed since the one before; who looks, and when, is the owner's business.
/// Files end in ".json" and do not begin with "."; further ones are none of ours.
struct AccessoryFolders {
    /// What a look has found, in that order.
    enum Change {
        case attach(String, DeclaredAccessory)
        case detach(String)
        /// Something is wrong with that file or folder; empty when it is not any more.
        case problems(String, [DeviceError])
    }

    fileprivate struct File {
        var stamp: Stamp
        /// A file that has just been written may change again within a tick of the file system's clock.
        var isFresh: Bool
        var accessory: DeclaredAccessory?
        /// Since when it cannot be used; it may only be half written.
        var badSince: BootTime?
        var problems: [DeviceError] = []
        var hasToldProblems = false
    }

    /// Tells versions of a file apart.
    fileprivate struct Stamp: Hashable {
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    /// More files of a folder than that are not read.
    static let maximumFiles = 256

    private let folders: [String]
    private let settleTime: Double
    private var files: [String: File] = [:]
    private var toldFolders: [String: String] = [:]

    init(_ folders: [String], settleTime: Double) {
        self.folders = folders
        self.settleTime = settleTime
    }

    /// Looks at the folders; `again` is when to look next though nothing may have changed.
    mutating func look(now: BootTime) -> (changes: [Change], again: BootTime?) {
        var changes: [Change] = []
        var again: BootTime?
        var present: Set<String> = []
        for folder in folders {
            let (paths, problem) = Self.list(folder)
            tell(folder, problem, &changes)
            for path in paths where present.insert(path).inserted {
                read(path, now: now, &changes)
                if let since = files[path]?.badSince, files[path]?.hasToldProblems == false {
                    let next = since.advanced(bySeconds: settleTime)
                    again = min(again ?? next, next)
                }
            }
        }
        for path in files.keys.sorted() where !present.contains(path) { forget(path, &changes) }
        return (changes, again)
    }

    private mutating func tell(_ folder: String, _ problem: DeviceError?, _ changes: inout [Change]) {
        guard toldFolders[folder] != problem?.message else { return }
        toldFolders[folder] = problem?.message
        changes.append(.problems(folder, problem.map { [$0] } ?? []))
    }

    private mutating func forget(_ path: String, _ changes: inout [Change]) {
        guard let file = files.removeValue(forKey: path) else { return }
        if file.accessory != nil { changes.append(.detach(path)) }
        if file.hasToldProblems { changes.append(.problems(path, [])) }
    }

    private mutating func read(_ path: String, now: BootTime, _ changes: inout [Change]) {
        guard let stamp = Stamp(path) else { return forget(path, &changes) }
        let known = files[path]
        if let known, known.stamp == stamp, !known.isFresh {
            return complain(path, now: now, &changes)
        }
        var file = File(stamp: stamp, isFresh: stamp.isFresh, accessory: known?.accessory)
        let accessory: DeclaredAccessory?
        do throws(DeviceError) {
            let bytes = try FileBytes.read(path, limit: DeclaredAccessory.maximumFileLength)
            (accessory, file.problems) = DeclaredAccessory.read(json: bytes, path: path)
        } catch {
            if error.code == .notFound { return forget(path, &changes) }
            accessory = nil
            file.problems = [error]
        }
        guard let accessory else {
            file.badSince = known?.badSince ?? now
            file.hasToldProblems = known?.hasToldProblems ?? false && known?.badSince != nil
            files[path] = file
            return complain(path, now: now, &changes)
        }
        if known?.accessory == nil || known?.accessory != accessory || known?.stamp.inode != stamp.inode {
            if known?.accessory != nil { changes.append(.detach(path)) }
            changes.append(.attach(path, accessory))
        }
        // Mistakes in a file that can be used are no half-written file.
        let told = known?.hasToldProblems == true
        if told ? known?.problems.map(\.message) != file.problems.map(\.message) : !file.problems.isEmpty {
            changes.append(.problems(path, file.problems))
        }
        file.hasToldProblems = !file.problems.isEmpty
        file.accessory = accessory
        files[path] = file
    }

    /// Says what is wrong with a file that has been wrong for long enough; what it declared before is gone then.
    private mutating func complain(_ path: String, now: BootTime, _ changes: inout [Change]) {
        guard var file = files[path], let since = file.badSince, !file.hasToldProblems,
            now >= since.advanced(bySeconds: settleTime)
        else { return }
        if file.accessory != nil { changes.append(.detach(path)) }
        file.accessory = nil
        file.hasToldProblems = true
        changes.append(.problems(path, file.problems))
        files[path] = file
    }

    /// The files of a folder by name, and why they are not all of them.
    private static func list(_ folder: String) -> ([String], DeviceError?) {
        guard let stream = opendir(folder) else {
            let number = errno
            let code: DeviceError.Code = number == EACCES ? .permissionDenied : .notFound
            let advice =
                number == EACCES
                ? "may not be read by this user. Change its mode." : "does not exist yet. It is waited for."
            return (
                [],
                DeviceError(
                    code, "The folder of declared accessories \(folder) \(advice)",
                    cause: .system(call: "opendir", errno: number))
            )
        }
        defer { closedir(stream) }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
            // The memory for names has to have an end, and an order among more would mean nothing.
            if names.count >= 16 * maximumFiles { break }
        }
        names.sort()
        let paths = names.prefix(maximumFiles).map { prefix + $0 }
        guard names.count > maximumFiles else { return (paths, nil) }
        return (
            paths,
            DeviceError(
                .invalidConfiguration,
                "The folder \(folder) has more than \(maximumFiles) files. The first ones by name are used.")
        )
    }
}

extension AccessoryFolders.Stamp {
    /// nil for what is no regular file, or not there.
    fileprivate init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    /// True for two seconds after the file was written, by the clock that stamps files.
    fileprivate var isFresh: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) - seconds <= 2
    }
}
