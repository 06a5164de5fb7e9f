// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Decides who may know where the device is. Linux has no prompt for it, so a program, a test or the configuration does.
///
/// ```swift
/// struct AskOnTerminal: LocationPolicy {
///     func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
///         print("May this program use the position? \(request.purpose ?? "")")
///         answer(readLine() == "yes" ? .grant : .deny)
///     }
/// }
/// LocationAuthorization.current.policy = AskOnTerminal()
/// ```
public protocol LocationPolicy: Sendable {
    /// Answers a wish, at once or later, from any thread; only the first answer counts, and a closure that is dropped
    /// leaves the wish undecided. Called without a lock held, on the thread of the program's call, or on that of the
    /// answer before: one wish is asked at a time.
    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void)
}

/// A policy's answer.
public enum LocationAnswer: Sendable, Hashable {
    /// The wish is granted.
    case grant
    /// The wish is refused.
    case deny
    /// Nothing is decided: the status stays as it is, and the program may ask again.
    case leaveUndecided
}

/// The policy of the configuration: see `location.authorization` there.
struct ConfiguredLocationPolicy: LocationPolicy {
    /// True when starting a service counts as a wish.
    let grantsOnStart: Bool

    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
        answer(request.kind == .start && !grantsOnStart ? .leaveUndecided : .grant)
    }
}
