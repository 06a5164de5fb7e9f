// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The current problems by subject.
final class ProblemList: Sendable {
    private let problems = Mutex<[(subject: String, errors: [DeviceError])]>([])

    /// Called after each update, on the thread that has called `set`.
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

    /// The maximum number of subjects. Problems of further subjects are dropped.
    private static let maximumSubjects = 256

    /// All problems, in the order in which their subjects were added.
    var errors: [DeviceError] { problems.withLock { $0.flatMap(\.errors) } }

    /// Sets the problems of a subject; an empty array removes them.
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
