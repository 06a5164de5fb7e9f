// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls

/// The accessories declared by files in directories. Each accessory is attached as long as its file exists and declares
/// it. An unreadable directory or a temporary failure does not detach an accessory. Invalid content or missing permission
/// detaches it after the settle time.
///
/// Each scan returns the changes since the previous scan. The owner decides when to scan. Hidden files and files
/// without the extension "json" are ignored.
struct AccessoryFolders {
    /// A change found by a scan. Changes must be processed in order.
    enum Change {
        case attach(String, DeclaredAccessory)
        case detach(String)
        /// The current problems of a file or directory. Empty if all problems have been solved.
        case problems(String, [DeviceError])
    }

    private enum Failure {
        /// The content does not declare an accessory, possibly because the file has been written only partially.
        case content
        case access
        /// A temporary system failure, such as a lack of file descriptors. The previous declaration remains valid.
        case temporary
    }

    private struct File {
        /// `nil` if the file status could not be read.
        var stamp: FileStamp?
        /// True if the file was modified recently. File system timestamps are coarse, so another modification might not
        /// change the timestamp.
        var isFresh: Bool
        var accessory: DeclaredAccessory?
        /// The inode of the file that declared the accessory. Replacing the file reattaches the accessory, even if the
        /// content is the same.
        var inode: UInt64?
        /// The current failure, or nil after a successful read. It is reported once, at `failureReportTime`.
        var failure: Failure?
        var failureReportTime: BootTime?
        var hasReportedFailure = false
        var problems: [DeviceError] = []
        var reportedMessages: [String] = []
    }

    /// The maximum number of files in a directory. Further files are ignored.
    static let maximumFiles = 256
    /// The delay before a file or directory is read again after a temporary failure, in seconds.
    static let retryTime = 1.0

    private let folders: [String]
    /// The time, in seconds, after the last change of a file until the file counts as completely written.
    private let settleTime: Double
    /// Returns the time since the last change of the file, in seconds.
    private let age: @Sendable (FileStamp) -> Double
    private var files: [String: File] = [:]
    private var reportedFolderProblems: [String: String] = [:]

    init(_ folders: [String], settleTime: Double, age: @escaping @Sendable (FileStamp) -> Double = { $0.age() }) {
        self.folders = folders
        self.settleTime = settleTime
        self.age = age
    }

    /// Returns the changes since the previous scan. `nextScan` is the time of the next scan, or `nil` if no scan is
    /// required until a change is detected.
    mutating func scan(now: BootTime) -> (changes: [Change], nextScan: BootTime?) {
        var changes: [Change] = []
        var nextScan: BootTime?
        var present: Set<String> = []
        for folder in folders {
            let listing = FolderListing(folder, limit: Self.maximumFiles)
            reportProblem(folder, listing.problem, &changes)
            if !listing.isKnown {
                // The known files remain valid until the directory can be read.
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
        // A file that could not be read is always read again, because it may become readable although its stamp stays
        // the same.
        if let former, former.stamp == stamp, !former.isFresh, former.failure == nil || former.failure == .content {
            return reportFailureIfDue(path, now: now, &changes)
        }
        let accessory: DeclaredAccessory?
        let problems: [DeviceError]
        // The current time is determined before the file is read, because a modification during the read may leave the
        // timestamp of the file unchanged.
        let readTime = FileStamp.now
        do throws(DeviceError) {
            var status = stat()
            let bytes = try FileIO.read(path, limit: DeclaredAccessory.maximumFileLength, status: &status)
            // The file may have been replaced in the meantime.
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
        // A usable file is processed without a delay. An unusable file is reported after a delay, because it may be
        // only partially written.
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

    /// Records a failure. A failure of a different kind, or with other problems than those reported, is reported after a
    /// new delay.
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

    /// Returns the age to assume for a newly detected failure, in seconds. A failure that is at least as old as the
    /// settle time is reported immediately. This applies to failures that cannot detach an accessory and cannot result
    /// from a partial write. Any other failure is as old as the last change of the file, or new if that is unknown.
    private func failureAge(of file: File) -> Double {
        // A partially written file can be read without an input error, but its content is invalid.
        let isPartial = file.failure == .content && !file.problems.contains { $0.code == .inputOutput }
        guard let stamp = file.stamp else { return file.accessory == nil ? settleTime : 0 }
        return file.accessory == nil && !isPartial ? settleTime : age(stamp)
    }

    /// Reports a failure when its delay has elapsed. Detaches the accessory that the file declared, unless the failure
    /// is temporary.
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
