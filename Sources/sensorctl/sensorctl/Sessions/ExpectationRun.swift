// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorTools
import SimulatedDevice

/// Compares a replay's callbacks with expected callbacks, or writes them to a file. Must be used on the main thread.
final class ExpectationRun {
    private let path: String
    private let options: [String: String]
    private let stop: StopRequest
    /// The comparison, or nil if the callbacks are written to a file instead.
    private var comparison: CallbackComparison?
    private var list = CallbackList()
    private var failure: DeviceError?

    /// - Parameter tolerances: The tolerances to store in a new file. An existing file keeps its tolerances.
    init(
        path: String, options: [String: String], tolerances: [String: FieldTolerance], isUpdating: Bool,
        stop: StopRequest
    ) throws(DeviceError) {
        (self.path, self.options, self.stop) = (path, options, stop)
        guard isUpdating else {
            let expected = try ExpectedCallbacks(path: path)
            try expected.check(options: options)
            comparison = CallbackComparison(expected)
            return
        }
        do throws(DeviceError) {
            // Fails if the file exists but does not contain expected callbacks, so that no unrelated file is
            // overwritten.
            list = CallbackList(options: options, tolerances: try ExpectedCallbacks(path: path).tolerances)
        } catch  where error.code == .notFound {
            list = CallbackList(options: options, tolerances: tolerances)
        }
    }

    /// Processes a callback. Requests a stop at the first callback that differs from the expected one.
    func process(_ line: [UInt8]) {
        guard failure == nil else { return }
        guard comparison != nil else { return list.add(line: line) }
        do throws(DeviceError) {
            if try comparison?.compare(line) == false { stop.request(.complete) }
        } catch {
            failure = error
            stop.request(.complete)
        }
    }

    func finish(asJSON: Bool, output: StandardOutput) -> ExitStatus {
        if let failure { return Self.fail(failure, otherwise: .noInput) }
        if case .signal? = stop.reason {
            Log.warning("The replay was interrupted; its callbacks were neither compared nor written.")
            return .unavailable
        }
        if case .denied? = stop.reason { return .noPermission }
        do throws(DeviceError) {
            guard var comparison else {
                try list.write(to: path)
                Log.notice("Wrote \(list.count) callbacks to \(path).")
                return .success
            }
            try comparison.finish()
            guard let difference = comparison.difference else {
                Log.notice("All \(comparison.count) callbacks are as expected.")
                return .success
            }
            if asJSON { output.writeObject { write(difference, to: &$0) } } else { output.write(line: "\(difference)") }
            return .different
        } catch { return Self.fail(error, otherwise: .cannotCreate) }
    }

    static func fail(_ error: DeviceError, otherwise status: ExitStatus) -> ExitStatus {
        Log.error(error.description)
        // An error from write(2) means that the file was created but could not be written.
        if case .system("write", _)? = error.cause { return ExitStatus(error, otherwise: .inputOutput) }
        return ExitStatus(error, otherwise: status)
    }

    private func write(_ difference: CallbackDifference, to writer: inout JSONWriter) {
        writer.members([
            "file": difference.name, "line": difference.line, "number": difference.number,
            "callback": difference.callback, "field": difference.field,
        ])
        for (name, value) in [("expected", difference.expected), ("got", difference.got)] {
            writer.member(text: name, value ?? .null)
        }
        writer.member("distance", difference.distance)
        writer.member("tolerance", difference.tolerance)
        writer.array("context") { for line in difference.context { $0.raw(line.utf8) } }
        writer.object("options") { writer in
            for (name, value) in options.sorted(by: { $0.key < $1.key }) { writer.member(text: name, value) }
        }
    }
}
