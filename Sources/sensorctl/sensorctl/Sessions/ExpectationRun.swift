// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorTools
import SimulatedDevice

/// What becomes of the callbacks of a replay that has expectations: they are compared, or written as expected ones. Used
/// on the main thread.
final class ExpectationRun {
    private let path: String
    private let options: [String: String]
    private let stop: Stop
    /// Nil where the file is written.
    private var comparison: CallbackComparison?
    private var list = CallbackList()
    private var failure: DeviceError?

    /// - Parameters:
    ///   - options: under which the callbacks are made.
    ///   - tolerances: for a new file; one that is there keeps its own.
    ///   - isUpdating: true to write the file.
    init(
        path: String, options: [String: String], tolerances: [String: FieldTolerance], isUpdating: Bool, stop: Stop
    ) throws(DeviceError) {
        self.path = path
        self.options = options
        self.stop = stop
        guard isUpdating else {
            let expected = try ExpectedCallbacks(path: path)
            try expected.check(options: options)
            comparison = CallbackComparison(expected)
            return
        }
        do throws(DeviceError) {
            // Nothing else is written over.
            list = CallbackList(options: options, tolerances: try ExpectedCallbacks(path: path).tolerances)
        } catch  where error.code == .notFound {
            list = CallbackList(options: options, tolerances: tolerances)
        }
    }

    /// Takes a callback; at the first that is different the replay is asked to stop.
    func take(_ line: [UInt8]) {
        guard failure == nil else { return }
        guard comparison != nil else { return list.add(line: line) }
        do throws(DeviceError) {
            if try comparison?.take(line) == false { stop.request(.complete) }
        } catch {
            failure = error
            stop.request(.complete)
        }
    }

    /// Nothing more comes: says what there is to say.
    func end(asJSON: Bool, output: StandardOutput) -> ExitStatus {
        if let failure { return Self.fail(failure, otherwise: .noInput) }
        if case .signal? = stop.reason {
            Notes.warn("The replay was ended early: nothing can be said of its callbacks.")
            return .unavailable
        }
        if case .denied? = stop.reason { return .noPermission }
        do throws(DeviceError) {
            guard var comparison else {
                try list.write(to: path)
                Notes.say("\(list.count) callbacks are in \(path).")
                return .success
            }
            try comparison.finish()
            guard let difference = comparison.difference else {
                Notes.say("All \(comparison.count) callbacks are as expected.")
                return .success
            }
            if asJSON {
                output.writeObject { write(difference, to: &$0) }
            } else {
                output.write(line: "\(difference)")
            }
            return .different
        } catch {
            return Self.fail(error, otherwise: .cannotCreate)
        }
    }

    /// Says why, and how the verb ends.
    static func fail(_ error: DeviceError, otherwise status: ExitStatus) -> ExitStatus {
        Notes.fail(error.description)
        // What could be made and not written.
        if case .system("write", _)? = error.cause { return ExitStatus(error, otherwise: .inputOutput) }
        return ExitStatus(error, otherwise: status)
    }

    private func write(_ difference: CallbackDifference, to writer: inout JSONWriter) {
        writer.members([
            "file": difference.name, "line": difference.line, "number": difference.number,
            "callback": difference.callback, "field": difference.field,
        ])
        for (name, value) in [("expected", difference.expected), ("got", difference.got)] {
            writer.key(text: name)
            writer.raw((value ?? .null).json)
        }
        writer.member("distance", difference.distance)
        writer.key("tolerance")
        writer.raw(difference.tolerance.json)
        writer.array("context") { for line in difference.context { $0.raw(line.utf8) } }
        writer.object("options") { writer in
            for (name, value) in options.sorted(by: { $0.key < $1.key }) { writer.member(text: name, value) }
        }
    }
}
