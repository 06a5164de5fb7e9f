// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls

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

    /// Why a file cannot be used.
    private enum Failure {
        /// What it says is no accessory; it may only be half written.
        case content
        /// This user may not read it.
        case access
        /// The machine could not read it, as when no descriptor is left: what it said before still counts.
        case passing
    }

    private struct File {
        /// nil when it could not be had.
        var stamp: FileStamp?
        /// A file that has just been written may change again within a tick of the file system's clock.
        var isFresh: Bool
        var accessory: DeclaredAccessory?
        /// The one that declared the accessory: another file is another accessory, though it says the same.
        var inode: UInt64?
        var failure: Failure?
        /// Until when it is waited for, since it has failed in that way.
        var badUntil: BootTime?
        /// It has failed for long enough, and that was told.
        var hasComplained = false
        var problems: [DeviceError] = []
        /// The problems that were told last.
        var told: [String] = []
    }

    /// More files of a folder than that are not read.
    static let maximumFiles = 256
    /// What the machine could not read is looked at again after that many seconds.
    static let retryTime = 1.0

    private let folders: [String]
    private let settleTime: Double
    /// For how many seconds a file has been as it is.
    private let age: @Sendable (FileStamp) -> Double
    private var files: [String: File] = [:]
    private var toldFolders: [String: String] = [:]

    init(
        _ folders: [String], settleTime: Double, age: @escaping @Sendable (FileStamp) -> Double = { $0.age() }
    ) {
        self.folders = folders
        self.settleTime = settleTime
        self.age = age
    }

    /// Looks at the folders; `again` is when to look next though nothing may have changed.
    mutating func look(now: BootTime) -> (changes: [Change], again: BootTime?) {
        var changes: [Change] = []
        var again: BootTime?
        var present: Set<String> = []
        for folder in folders {
            let listing = FolderListing(folder, limit: Self.maximumFiles)
            tell(folder, listing.problem, &changes)
            if !listing.isKnown {
                // What was there counts until it is known what is.
                let kept = files.keys.filter { listing.holds($0) }
                present.formUnion(kept)
                guard listing.isPassing || !kept.isEmpty else { continue }
                again = Self.earlier(again, now.advanced(bySeconds: Self.retryTime))
            }
            for path in listing.paths where present.insert(path).inserted {
                read(path, now: now, &changes)
                guard let file = files[path], let until = file.badUntil else { continue }
                if !file.hasComplained { again = Self.earlier(again, until) }
                if file.failure == .passing { again = Self.earlier(again, now.advanced(bySeconds: Self.retryTime)) }
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

    private static func earlier(_ time: BootTime?, _ other: BootTime) -> BootTime { min(time ?? other, other) }

    private mutating func forget(_ path: String, _ changes: inout [Change]) {
        guard let file = files.removeValue(forKey: path) else { return }
        if file.accessory != nil { changes.append(.detach(path)) }
        if !file.told.isEmpty { changes.append(.problems(path, [])) }
    }

    private mutating func read(_ path: String, now: BootTime, _ changes: inout [Change]) {
        var stamp: FileStamp
        switch FileStamp.look(at: path) {
        case .none: return forget(path, &changes)
        case .unknown(let number):
            let error = FileBytes.failedToRead(path, call: "stat", errno: number)
            return fail(path, nil, isFresh: false, Self.failure(error), [error], now: now, &changes)
        case .file(let found): stamp = found
        }
        let known = files[path]
        // Whether a file that could not be read can be read now, its stamp does not tell.
        if let known, known.stamp == stamp, !known.isFresh, known.failure == nil || known.failure == .content {
            return complain(path, now: now, &changes)
        }
        let accessory: DeclaredAccessory?
        let problems: [DeviceError]
        // As it was before the reading: what was written since may bear the same time.
        let asked = FileStamp.now
        do throws(DeviceError) {
            var status = stat()
            let bytes = try FileBytes.read(path, limit: DeclaredAccessory.maximumFileLength, status: &status)
            // Another one may have been put in its place since.
            stamp = FileStamp(status)
            (accessory, problems) = DeclaredAccessory.read(json: bytes, path: path)
        } catch {
            if error.code == .notFound { return forget(path, &changes) }
            let isFresh = stamp.isFresh(at: asked)
            return fail(path, stamp, isFresh: isFresh, Self.failure(error), [error], now: now, &changes)
        }
        let isFresh = stamp.isFresh(at: asked)
        guard let accessory else {
            return fail(path, stamp, isFresh: isFresh, .content, problems, now: now, &changes)
        }
        if known?.accessory == nil || known?.accessory != accessory || known?.inode != stamp.inode {
            if known?.accessory != nil { changes.append(.detach(path)) }
            changes.append(.attach(path, accessory))
        }
        // Mistakes in a file that can be used are no half-written file.
        var file = File(stamp: stamp, isFresh: isFresh, accessory: accessory, problems: problems)
        file.inode = stamp.inode
        file.told = known?.told ?? []
        Self.tell(path, &file, &changes)
        files[path] = file
    }

    private static func failure(_ error: DeviceError) -> Failure {
        guard case .system(_, let number) = error.cause else { return .content }
        return number == EACCES || number == EPERM ? .access : number == EISDIR ? .content : .passing
    }

    /// The file cannot be used, in the way in which it could not before or in another one.
    private mutating func fail(
        _ path: String, _ stamp: FileStamp?, isFresh: Bool, _ failure: Failure, _ problems: [DeviceError],
        now: BootTime, _ changes: inout [Change]
    ) {
        var file = files[path] ?? File(stamp: stamp, isFresh: isFresh)
        file.stamp = stamp
        file.isFresh = isFresh
        file.problems = problems
        if file.failure != failure {
            file.failure = failure
            file.badUntil = now.advanced(bySeconds: max(0, settleTime - settled(file)))
            file.hasComplained = false
        }
        files[path] = file
        complain(path, now: now, &changes)
    }

    /// For how many seconds a file that has just been found to fail has been so already: who looks only once is to hear
    /// of what was wrong before.
    private func settled(_ file: File) -> Double {
        // Half-written files are short, and can be read.
        let isPartial = file.failure == .content && !file.problems.contains { $0.code == .inputOutput }
        guard let stamp = file.stamp else { return file.accessory == nil ? settleTime : 0 }
        return file.accessory == nil && !isPartial ? settleTime : age(stamp)
    }

    /// Says what is wrong with a file that has been wrong for long enough; what it declared before is gone then.
    private mutating func complain(_ path: String, now: BootTime, _ changes: inout [Change]) {
        guard var file = files[path], let until = file.badUntil, !file.hasComplained, now >= until else { return }
        if file.failure != .passing, file.accessory != nil {
            changes.append(.detach(path))
            file.accessory = nil
        }
        file.hasComplained = true
        Self.tell(path, &file, &changes)
        files[path] = file
    }

    private static func tell(_ path: String, _ file: inout File, _ changes: inout [Change]) {
        let messages = file.problems.map(\.message)
        guard messages != file.told else { return }
        file.told = messages
        changes.append(.problems(path, file.problems))
    }
}
