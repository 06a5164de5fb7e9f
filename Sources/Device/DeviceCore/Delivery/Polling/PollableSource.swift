// SPDX-License-Identifier: Apache-2.0

/// A source with a descriptor that its own thread or the executor of its subscribers may read, one at a time.
package protocol PollableSource: AnyObject, Sendable {
    /// Readable while readings are available.
    var descriptor: Int32 { get }

    /// The time of the next timeout of the source. Read on any thread.
    var deadline: BootTime { get }

    /// Reads what is available and handles timeouts that are due. After an error, every further call throws that error.
    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome
}

/// The reason for which a source is read.
package enum ReadCause: Sendable {
    /// A wait of the source's thread has ended. Without `isReadable`, only a timeout may be due.
    case thread(isReadable: Bool)
    /// The executor, which should have read at the given time, has not.
    case overdue(since: BootTime)
    /// The executor found the descriptor readable. It should have read at `dueTime` at the latest.
    case executor(dueTime: BootTime)
}

/// The state of a source after a read.
package enum ReadOutcome: Sendable {
    /// Nothing more is available.
    case drained
    /// More may be available. The executor is to be called again.
    case moreAvailable
    /// Another thread is reading.
    case contended
    /// Only the source's thread can continue.
    case finished
}
