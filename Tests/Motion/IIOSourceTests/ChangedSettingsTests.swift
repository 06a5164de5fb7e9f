// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import Testing

@testable import IIOSource

@Suite("Restored settings")
struct ChangedSettingsTests {
    private let library = Devices.library()
    private let exitActions = ExitActions()

    private func settings(isLocal: Bool = true) -> ChangedSettings {
        ChangedSettings(ScriptedConnection(library), isLocal: isLocal, exitActions: exitActions)
    }

    private func value(_ attributePath: IIOAttributePath) -> String? {
        library.script.withLock { $0.values[attributePath] }
    }

    @Test("Changed attributes are restored, the last one first", arguments: [true, false])
    func order(isLocal: Bool) throws {
        let settings = settings(isLocal: isLocal)
        #expect(try settings.write("boottime", to: Devices.clock, from: "realtime") == "boottime")
        #expect(try settings.write("100", to: Devices.rate, from: "50") == "100")
        settings.restore()
        settings.restore()
        exitActions.runAll()
        #expect(
            library.journal.all.filter { $0.hasPrefix("write") } == [
                "write current_timestamp_clock boottime", "write sampling_frequency 100",
                "write sampling_frequency 50", "write current_timestamp_clock realtime",
            ])
    }

    @Test("An attribute that another program has changed since keeps its value")
    func other() throws {
        let settings = settings()
        _ = try settings.write("100", to: Devices.rate, from: "50")
        library.script.withLock { $0.values[Devices.rate] = "200" }
        settings.restore()
        #expect(value(Devices.rate) == "200")
    }

    @Test("Attributes are restored when the process exits, unless they belong to another machine")
    func exit() throws {
        _ = try settings().write("100", to: Devices.rate, from: "50")
        _ = try settings(isLocal: false).write("boottime", to: Devices.clock, from: "realtime")
        exitActions.runAll()
        #expect(value(Devices.rate) == "50")
        #expect(value(Devices.clock) == "boottime")
    }

    @Test("An attribute that could not be read or written is not restored")
    func failures() throws {
        let settings = settings()
        _ = try settings.write("100", to: Devices.rate, from: nil)
        library.script.withLock { $0.writeFailures[Devices.clock] = 13 }
        #expect(throws: IIOFailure.self) { try settings.write("boottime", to: Devices.clock, from: "realtime") }
        settings.restore()
        #expect(
            library.journal.all.filter { $0.hasPrefix("write") } == [
                "write sampling_frequency 100", "write current_timestamp_clock boottime failed",
            ])
    }
}
