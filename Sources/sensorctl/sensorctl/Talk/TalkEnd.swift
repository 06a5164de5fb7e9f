// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools

/// The end of a conversation with an accessory.
enum TalkEnd: Sendable {
    /// Everything was sent and the answers have arrived.
    case finished
    /// A signal arrived, or the reader of the output has closed the pipe.
    case stopped
    /// No accessory or protocol matches, or several do.
    case notSelected(AccessorySelector.Failure)
    /// The accessory could not be opened.
    case notOpened(DeviceError)
    /// The accessory disappeared before everything was sent.
    case disconnected(String, ByteChannelEnd)
    /// An answer differs from the recorded one.
    case differs(String)
    /// The accessory no longer accepts data.
    case stalled(bytes: Int)

    var isTransient: Bool {
        switch self {
        case .notSelected(.missing), .notOpened: true
        default: false
        }
    }

    /// The message for an error before the conversation; nil for other ends.
    var message: String? {
        switch self {
        case .notSelected(let failure): failure.message
        case .notOpened(let error): error.description
        default: nil
        }
    }

    func status() -> ExitStatus {
        switch self {
        case .finished, .stopped: return .success
        case .notSelected(let failure):
            Log.error(failure.message)
            if case .ambiguous = failure { return .usage }
            return .unavailable
        case .notOpened(let error):
            Log.error(error.description)
            return error.code == .permissionDenied ? .noPermission : .unavailable
        case .disconnected(let name, let end):
            let lost = end.unsentBytes > 0 ? " \(end.unsentBytes) bytes were not sent." : ""
            Log.warning("\(name): \(end.displayText).\(lost)")
            return .unavailable
        case .differs(let text):
            Log.error(text)
            return .different
        case .stalled(let bytes):
            Log.error(
                "The accessory accepted no data for \(Int(TalkOptions.sendTimeout)) s. \(bytes) bytes were not sent.")
            return .inputOutput
        }
    }
}

extension ByteChannelEnd {
    var displayText: String {
        switch reason {
        case .closed: "closed"
        case .hungUp: "the accessory closed the connection"
        case .detached: "the accessory was unplugged"
        case .failed: error.map { TerminalText.text($0.description) } ?? "the connection failed"
        }
    }
}
