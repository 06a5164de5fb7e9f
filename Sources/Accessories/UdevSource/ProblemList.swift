// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// What is wrong at the moment, each thing by itself.
final class ProblemList: Sendable {
    private let problems = Mutex<[(subject: String, errors: [DeviceError])]>([])

    /// Called when it may have changed, on the thread that said so.
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

    /// More are not kept.
    private static let maximumSubjects = 256

    /// All of them, in the order in which they came up.
    var errors: [DeviceError] { problems.withLock { $0.flatMap(\.errors) } }

    /// Sets what is wrong with a thing; nothing when it is well.
    func set(_ errors: [DeviceError], for subject: String) {
        problems.withLock { problems in
            if let index = problems.firstIndex(where: { $0.subject == subject }) {
                if errors.isEmpty {
                    problems.remove(at: index)
                } else {
                    problems[index].errors = errors
                }
            } else if !errors.isEmpty, problems.count < Self.maximumSubjects {
                problems.append((subject, errors))
            }
        }
        onChange()
    }
}
