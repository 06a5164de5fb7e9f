// SPDX-License-Identifier: Apache-2.0

/// A source with a descriptor that can be read by the source's own thread or by the executor of its subscribers, one at
/// a time.
package protocol PollableSource: AnyObject, Sendable {
    /// The descriptor to poll. It is readable while readings are available.
    var descriptor: Int32 { get }

    /// The time of the source's next timeout. Can be read on any thread.
    var deadline: BootTime { get }

    /// Reads the available readings and handles timeouts that are due. After an error, every later call throws the same
    /// error.
    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome
}

/// The reason for a read.
package enum ReadCause: Sendable {
    /// A wait of the source's thread has ended. If `isReadable` is false, only timeouts may be due.
    case thread(isReadable: Bool)
    /// The source's thread reads because the executor has not read by the given time.
    case overdue(since: BootTime)
    /// The executor reads because the descriptor is readable. `dueTime` is the time by which it was expected to read.
    case executor(dueTime: BootTime)
}

/// The result of a read.
package enum ReadOutcome: Sendable {
    /// No more readings are available.
    case drained
    /// More readings may be available, so the executor has to read again.
    case moreAvailable
    /// Another thread is reading the source, so nothing was read.
    case contended
    /// Only the source's thread can continue, so the executor has to stop polling.
    case finished
}
