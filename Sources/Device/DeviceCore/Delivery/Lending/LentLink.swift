// SPDX-License-Identifier: Apache-2.0

/// What one reads readings from, the source's thread or the place where the only listener has its callbacks.
///
/// One looks at a time. No callback of the program runs meanwhile.
package protocol LentLink: AnyObject, Sendable {
    /// Readable when there is something to look at.
    var descriptor: Int32 { get }
    /// When there is something to do though nothing comes.
    var deadline: BootTime { get }
    /// When who looks in place of the source's thread is overdue.
    var attentionEnd: BootTime { get }
    /// How often something was read.
    var looks: UInt64 { get }

    /// Somebody is to look in place of the source's thread; the seconds within which that should be.
    func expectLook() -> Double

    /// Reads what is there and does what is due, on the source's thread. Once it has failed it fails again.
    ///
    /// - Parameter isReadable: False for what is due only.
    func look(isReadable: Bool) throws(DeviceError)

    /// Reads what is there and does what is due, in place of the source's thread. That one is not waited for.
    ///
    /// No more is read than managers keep: the program is told of that first.
    ///
    /// - Parameters:
    ///   - alarm: Set to when the source's thread has to see to it.
    ///   - place: The place. Who wants to be told elsewhere is not told of what is read.
    ///   - isLent: Asked before anything is read, while nobody else looks: false when somebody listens elsewhere by now, and
    ///     this look is not the place's any more.
    func look(
        alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool
    ) throws(DeviceError) -> LentLook

    /// Does what is due, while another place reads.
    func lookAfter() throws(DeviceError)
}

/// What a place has found that looked in place of a source's thread.
package enum LentLook: Sendable {
    /// All that there was.
    case all
    /// There may be more, so that it has to be looked at once more.
    case more
    /// Somebody else looks at the moment.
    case busy
    /// What the source's thread has to see to.
    case over
}
