// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

extension TraceSurvey {
    /// Throws when the trace has no receiver of that path; the error says which it has.
    func require(_ path: String, of file: TraceFile) throws(DeviceError) {
        if paths.contains(path) { return }
        // One that comes later than the survey has looked.
        var found = paths
        var trace = PlayedTrace(file)
        while let event = trace.next() {
            guard case .report(_, let report) = event.contents else { continue }
            for name in report.receivers where found.count < GPSDWorld.maximumReceivers && !found.contains(name) {
                if name == path { return }
                found.append(name)
            }
        }
        let advice =
            switch found.count {
            case 0: "It names none: leave the receiver out."
            case 1: "It has \(ShownText.cleaned(found[0])) alone: name that one, or none."
            default: "It has \(found.map { ShownText.cleaned($0) }.joined(separator: ", ")): name one of these."
            }
        throw DeviceError(
            .notFound, "There is no receiver \(ShownText.cleaned(path)) in \(ShownText.cleaned(file.name)). \(advice)")
    }
}

extension GPSDReport {
    /// The paths of the receivers that it speaks of.
    fileprivate var receivers: [String] {
        let paths =
            switch self {
            case .position(let report): [report.receiver]
            case .sky(let report): [report.receiver]
            case .attitude(let report): [report.receiver]
            case .device(let receiver): [receiver.path]
            case .devices(let list): list.map(\.path)
            default: [String]()
            }
        return paths.filter { !$0.isEmpty }
    }
}
