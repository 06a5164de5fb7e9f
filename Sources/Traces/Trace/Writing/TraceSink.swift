// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Where a trace goes: into a file (``TraceWriter``) or into memory (``TraceBuilder``).
///
/// The header comes first and once. Times do not go back: an event with an earlier time than the one before is written
/// with that of the one before.
public protocol TraceSink: AnyObject {
    /// Writes the header.
    func write(_ header: TraceHeader) throws(DeviceError)

    /// Writes an event. One without a time has that of the event before.
    func write(_ event: TraceEvent) throws(DeviceError)
}
