// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools

/// How a conversation has ended.
enum TalkEnd: Sendable {
    /// All was sent, and the answers are in.
    case finished
    /// The verb was to end: a signal, or nobody reads any more.
    case stopped
    /// There is no such accessory or protocol, or it was not said which.
    case notChosen(AccessoryChoice.Failure)
    /// It could not be opened.
    case notOpened(DeviceError)
    /// The accessory went away before all was said.
    case gone(String, ByteChannelEnd)
    /// The accessory has answered otherwise than in the recording.
    case differs(String)
    /// The accessory takes nothing any more.
    case stalled(bytes: Int)

    /// True for an obstacle that may go away by itself.
    var mayPass: Bool {
        switch self {
        case .notChosen(.missing), .notOpened: true
        default: false
        }
    }

    /// What to say of an obstacle.
    var message: String? {
        switch self {
        case .notChosen(let failure): failure.message
        case .notOpened(let error): error.description
        default: nil
        }
    }

    /// The exit status that it leads to; what has to be said about it is said here.
    func status() -> ExitStatus {
        switch self {
        case .finished, .stopped: return .success
        case .notChosen(let failure):
            Notes.fail(failure.message)
            if case .ambiguous = failure { return .usage }
            return .unavailable
        case .notOpened(let error):
            Notes.fail(error.description)
            return error.code == .permissionDenied ? .noPermission : .unavailable
        case .gone(let name, let end):
            let lost = end.unsentBytes > 0 ? " \(end.unsentBytes) bytes were not sent." : ""
            Notes.warn("\(name): \(end.words).\(lost)")
            return .unavailable
        case .differs(let text):
            Notes.fail(text)
            return .different
        case .stalled(let bytes):
            Notes.fail("The accessory has taken nothing for \(Int(TalkPlan.patience)) s. \(bytes) bytes were not sent.")
            return .inputOutput
        }
    }
}

extension ByteChannelEnd {
    /// How it ended, in a few words.
    var words: String {
        switch reason {
        case .closed: "closed"
        case .hungUp: "the accessory has hung up"
        case .detached: "the accessory was unplugged"
        case .failed: error.map { Printable.text($0.description) } ?? "the connection has failed"
        }
    }
}
