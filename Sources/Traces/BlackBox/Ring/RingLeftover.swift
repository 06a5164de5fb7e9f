// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// The result of saving the segments of a recorder that was killed or lost power.
package struct RingLeftover: Sendable {
    /// The saved trace, or nil if the segments contained no events.
    package var trace: SavedTrace?
    /// Remarks that describe unreadable data and name the paths to which it was moved.
    package var remarks: [String]

    /// Saves the segments of an earlier recorder as a trace. Segments that were read completely are removed, and
    /// damaged segments are kept next to the trace. If the trace cannot be saved, throws an error and keeps the
    /// segments. `freeSpace` is the free space of the file system in bytes, or nil if unknown.
    static func save(
        _ leftover: RingDirectory.LeftoverSegments, of folder: RingDirectory, to location: RingLocation,
        freeSpace: Int64?
    ) throws(DeviceError) -> RingLeftover {
        let size = leftover.paths.reduce(Int64(0)) { $0.addingSaturated(Self.size(folder.stablePath($1))) }
        // Half of the free space is left for the current recording, which would fail if the file system became full.
        if let freeSpace, freeSpace / 2 < size {
            throw DeviceError(
                .inputOutput,
                "There is not enough free space to save an earlier recording: \(Self.segmentCount(leftover)) in \(location.ringDirectory). Free \((size.addingSaturated(size) - freeSpace) >> 10 + 1) KiB; the next recording then saves it."
            )
        }
        var reading = try RingReader(leftover.paths, stablePath: folder.stablePath)
        let extent = try reading.extent()
        let endTime = reading.header?.start.flatMap { start in
            extent.map { WallTime(nanoseconds: start.wallTime.nanoseconds.addingSaturated($0.last)) }
        }
        var trace = try SavedTrace.write(
            &reading, path: location.path(at: endTime, for: "leftover"), temporary: location.temporaryLeftoverPath,
            mode: location.mode, disk: folder.disk)
        // Saving a trace also checks the segments for damage. If no trace was saved, all events are read here to check
        // the segments.
        if trace == nil { try reading.forEach { _ throws(DeviceError) in } }
        var remarks = reading.remarks
        for path in leftover.paths {
            guard reading.damagedPaths.contains(path) else {
                try folder.remove(path)
                continue
            }
            // Move the damaged segment to the directory of the saved traces. If that directory is on another file
            // system, rename the file within the ring's directory, so that it no longer counts as a segment.
            let siblingPath = RingLocation.unusedPath(path, ".\(RingLocation.damaged)")
            let names = [location.path(at: endTime, for: RingLocation.damaged), siblingPath]
            if let name = names.first(where: { ExclusiveFile.renameExclusively(folder.stablePath(path), to: $0) == 0 })
            {
                remarks.append("The unreadable part of \(path) is kept as \(name).")
            } else {
                remarks.append("\(path) could not be renamed, so the next recording saves it again.")
            }
        }
        trace?.remarks = remarks
        return RingLeftover(trace: trace, remarks: remarks)
    }

    private static func segmentCount(_ leftover: RingDirectory.LeftoverSegments) -> String {
        leftover.paths.count == 1 ? "one segment" : "\(leftover.paths.count) segments"
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns the free space of a file system for this user in bytes, or nil if unknown.
    static func freeSpace(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}
