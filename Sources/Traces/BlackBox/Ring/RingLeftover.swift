// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// What came of a ring that a recorder has left behind: it was killed, or the machine lost its power.
package struct RingLeftover: Sendable {
    /// The trace; nil when there was no event to be saved.
    package var save: RingSave?
    /// What could not be read, and where it is now.
    package var remarks: [String]

    /// Saves a former recorder's segments as a trace, and removes those of which all was read. What could not be read stays
    /// beside the trace.
    ///
    /// - Parameters:
    ///   - folder: the ring's.
    ///   - place: where it goes.
    ///   - room: the bytes that the file system has left; nil when nobody knows.
    /// - Throws: Why it cannot be saved now; the segments stay for the next time.
    static func save(
        _ former: RingFolder.Former, of folder: RingFolder, to place: RingPlace, room: Int64?
    ) throws(DeviceError) -> RingLeftover {
        let size = former.paths.reduce(Int64(0)) { $0.addingSaturated(Self.size(folder.reached($1))) }
        // A copy that left no room for the ring that is being recorded would end that.
        if let room, room / 2 < size {
            throw DeviceError(
                .inputOutput,
                "There is no room to save what a former recording left behind: \(Self.count(former)) in \(place.ring). Free \((size.addingSaturated(size) - room) >> 10 + 1) KiB, and the next recording saves it."
            )
        }
        var reading = try RingReading(former.paths, reached: folder.reached)
        let extent = try reading.extent()
        let endTime = reading.header?.start.flatMap { start in
            extent.map { WallTime(nanoseconds: start.wallTime.nanoseconds.addingSaturated($0.last)) }
        }
        var save = try RingSave.write(
            &reading, path: place.path(at: endTime, for: "leftover"), temporary: place.unfinishedFormer,
            mode: place.mode, disk: folder.disk)
        // What is damaged is found by reading on.
        if save == nil { try reading.forEach { _ throws(DeviceError) in } }
        var remarks = reading.remarks
        for path in former.paths {
            guard reading.damaged.contains(path) else {
                try folder.remove(path)
                continue
            }
            // Where the ring lies on another file system it has to stay there, under a name that is no segment's.
            let beside = RingPlace.free(path, ".\(RingPlace.damaged)")
            let names = [place.path(at: endTime, for: RingPlace.damaged), beside]
            if let name = names.first(where: { NewFile.move(folder.reached(path), to: $0) == 0 }) {
                remarks.append("What could not be read of \(path) is kept as \(name).")
            } else {
                remarks.append("\(path) could not be given another name, and is saved again by the next recording.")
            }
        }
        save?.remarks = remarks
        return RingLeftover(save: save, remarks: remarks)
    }

    private static func count(_ former: RingFolder.Former) -> String {
        former.paths.count == 1 ? "one segment" : "\(former.paths.count) segments"
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The bytes that a file system has left for this user; nil when it does not tell.
    static func room(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}
