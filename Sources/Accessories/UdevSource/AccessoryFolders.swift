// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls

/// The accessories declared by files in the configured directories. Each accessory stays attached as long as its file
/// exists and declares it. An unreadable directory or a temporary failure does not detach an accessory. Invalid content
/// or a lack of permission detaches it after the settle time.
///
/// Each scan returns the changes since the previous scan. The owner decides when to scan. Hidden files and files
/// without the extension "json" are ignored.
struct AccessoryFolders {
    /// A change found by a scan. Changes must be processed in the order returned.
    enum Change {
        case attach(String, DeclaredAccessory)
        case detach(String)
        /// A file's or directory's current problems. Empty if all problems have been resolved.
        case problems(String, [DeviceError])
    }

    private enum Failure {
        /// The content does not declare an accessory. The file may not be completely written yet.
        case content
        case access
        /// A temporary system failure, such as a lack of file descriptors. The accessory previously declared by the
        /// file remains attached.
        case temporary
    }

    private struct File {
        /// `nil` if stat(2) failed.
        var stamp: FileStamp?
        /// True if the file was modified so recently that another modification may leave its timestamp unchanged,
        /// because file system timestamps are coarse.
        var isFresh: Bool
        var accessory: DeclaredAccessory?
        /// The inode of the file that declared the accessory. If the file is replaced, its accessory is detached and
        /// reattached, even if the content is the same.
        var inode: UInt64?
        /// The current failure, or nil after a successful read. Reported once, at `failureReportTime`.
        var failure: Failure?
        var failureReportTime: BootTime?
        var hasReportedFailure = false
        var problems: [DeviceError] = []
        var reportedMessages: [String] = []
    }

    /// The maximum number of files per directory. Further files are ignored.
    static let maximumFiles = 256
    /// The delay before a file or directory is reread after a temporary failure, in seconds.
    static let retryTime = 1.0

    private let folders: [String]
    /// A file is considered complete once it has not changed for this time, in seconds.
    private let settleTime: Double
    /// Returns the time since the file's last change, in seconds.
    private let age: @Sendable (FileStamp) -> Double
    private var files: [String: File] = [:]
    private var reportedFolderProblems: [String: String] = [:]

    init(_ folders: [String], settleTime: Double, age: @escaping @Sendable (FileStamp) -> Double = { $0.age() }) {
        (self.folders, self.settleTime, self.age) = (folders, settleTime, age)
    }

    /// Returns the changes since the previous scan. `nextScan` is the time of the next scan, or `nil` if none is needed
    /// until a directory changes.
    mutating func scan(now: BootTime) -> (changes: [Change], nextScan: BootTime?) {
        var changes: [Change] = []
        var nextScan: BootTime?
        var present: Set<String> = []
        for folder in folders {
            let listing = FolderListing(folder, limit: Self.maximumFiles)
            reportProblem(folder, listing.problem, &changes)
            if !listing.isKnown {
                // While the directory cannot be read, the files found earlier remain valid.
                let retained = files.keys.filter { listing.contains($0) }
                present.formUnion(retained)
                guard listing.isTemporaryFailure || !retained.isEmpty else { continue }
                nextScan = Self.earlier(nextScan, now.advanced(bySeconds: Self.retryTime))
            }
            for path in listing.paths where present.insert(path).inserted {
                read(path, now: now, &changes)
                guard let file = files[path], let reportTime = file.failureReportTime else { continue }
                if !file.hasReportedFailure { nextScan = Self.earlier(nextScan, reportTime) }
                if file.failure == .temporary {
                    nextScan = Self.earlier(nextScan, now.advanced(bySeconds: Self.retryTime))
                }
            }
        }
        for path in files.keys.sorted() where !present.contains(path) { removeFile(path, &changes) }
        return (changes, nextScan)
    }

    private mutating func reportProblem(_ folder: String, _ problem: DeviceError?, _ changes: inout [Change]) {
        guard reportedFolderProblems[folder] != problem?.message else { return }
        reportedFolderProblems[folder] = problem?.message
        changes.append(.problems(folder, problem.map { [$0] } ?? []))
    }

    private static func earlier(_ time: BootTime?, _ other: BootTime) -> BootTime { min(time ?? other, other) }

    private mutating func removeFile(_ path: String, _ changes: inout [Change]) {
        guard let file = files.removeValue(forKey: path) else { return }
        if file.accessory != nil { changes.append(.detach(path)) }
        if !file.reportedMessages.isEmpty { changes.append(.problems(path, [])) }
    }

    private mutating func read(_ path: String, now: BootTime, _ changes: inout [Change]) {
        var stamp: FileStamp
        switch FileStamp.status(of: path) {
        case .none: return removeFile(path, &changes)
        case .unknown(let number):
            let error = FileIO.readError(path, call: "stat", errno: number)
            return fail(path, nil, isFresh: false, Self.failure(error), [error], now: now, &changes)
        case .file(let current): stamp = current
        }
        let former = files[path]
        // An unchanged file is not reread, unless it could not be read before. Such a file may become readable without
        // a change to its stamp.
        if let former, former.stamp == stamp, !former.isFresh, former.failure == nil || former.failure == .content {
            return reportFailureIfDue(path, now: now, &changes)
        }
        let accessory: DeclaredAccessory?
        let problems: [DeviceError]
        // The current time is taken before the file is read. A file that is modified during the read then still counts
        // as recently modified, even if its timestamp does not change.
        let readTime = FileStamp.now
        do throws(DeviceError) {
            var status = stat()
            let bytes = try FileIO.read(path, limit: DeclaredAccessory.maximumFileLength, status: &status)
            // The file may have been replaced since the call to stat(2), so the stamp is updated.
            stamp = FileStamp(status)
            (accessory, problems) = DeclaredAccessory.read(json: bytes, path: path)
        } catch {
            if error.code == .notFound { return removeFile(path, &changes) }
            let isFresh = stamp.isFresh(at: readTime)
            return fail(path, stamp, isFresh: isFresh, Self.failure(error), [error], now: now, &changes)
        }
        let isFresh = stamp.isFresh(at: readTime)
        guard let accessory else {
            return fail(path, stamp, isFresh: isFresh, .content, problems, now: now, &changes)
        }
        if former?.accessory == nil || former?.accessory != accessory || former?.inode != stamp.inode {
            if former?.accessory != nil { changes.append(.detach(path)) }
            changes.append(.attach(path, accessory))
        }
        // A file that declares an accessory takes effect immediately. Any other file is reported after a delay, because
        // it may not be completely written yet.
        var file = File(stamp: stamp, isFresh: isFresh, accessory: accessory, problems: problems)
        file.inode = stamp.inode
        file.reportedMessages = former?.reportedMessages ?? []
        Self.reportProblem(path, &file, &changes)
        files[path] = file
    }

    private static func failure(_ error: DeviceError) -> Failure {
        guard case .system(_, let number) = error.cause else { return .content }
        return number == EACCES || number == EPERM ? .access : number == EISDIR ? .content : .temporary
    }

    /// Records a failure. Restarts the report delay if the kind of failure has changed, or if the current problems
    /// differ from those already reported.
    private mutating func fail(
        _ path: String, _ stamp: FileStamp?, isFresh: Bool, _ failure: Failure, _ problems: [DeviceError],
        now: BootTime, _ changes: inout [Change]
    ) {
        var file = files[path] ?? File(stamp: stamp, isFresh: isFresh)
        file.stamp = stamp
        file.isFresh = isFresh
        file.problems = problems
        if file.failure != failure || (file.hasReportedFailure && problems.map(\.message) != file.reportedMessages) {
            file.failure = failure
            file.failureReportTime = now.advanced(bySeconds: max(0, settleTime - failureAge(of: file)))
            file.hasReportedFailure = false
        }
        files[path] = file
        reportFailureIfDue(path, now: now, &changes)
    }

    /// Returns the initial age of a newly detected failure, in seconds. A failure is reported when its age reaches the
    /// settle time. A failure that can neither detach an accessory nor result from a partial write is reported at once,
    /// so its age is the settle time. Otherwise, the age is the time since the file's last change, or 0 if that time is
    /// unknown.
    private func failureAge(of file: File) -> Double {
        // If a file is only partially written, reading it succeeds, but its content is invalid.
        let isPartial = file.failure == .content && !file.problems.contains { $0.code == .inputOutput }
        guard let stamp = file.stamp else { return file.accessory == nil ? settleTime : 0 }
        return file.accessory == nil && !isPartial ? settleTime : age(stamp)
    }

    /// Reports a failure once its delay has elapsed. If the failure is not temporary, also detaches the file's
    /// accessory.
    private mutating func reportFailureIfDue(_ path: String, now: BootTime, _ changes: inout [Change]) {
        guard var file = files[path], let reportTime = file.failureReportTime, !file.hasReportedFailure,
            now >= reportTime
        else {
            return
        }
        if file.failure != .temporary, file.accessory != nil {
            changes.append(.detach(path))
            file.accessory = nil
        }
        file.hasReportedFailure = true
        Self.reportProblem(path, &file, &changes)
        files[path] = file
    }

    private static func reportProblem(_ path: String, _ file: inout File, _ changes: inout [Change]) {
        let messages = file.problems.map(\.message)
        guard messages != file.reportedMessages else { return }
        file.reportedMessages = messages
        changes.append(.problems(path, file.problems))
    }
}
