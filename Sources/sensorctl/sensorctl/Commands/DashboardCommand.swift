// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import LoopbackServer
import SensorTools
import SystemCalls
import Trace
import TraceEditing

struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard", abstract: "Show position, motion and accessory data on a web page.",
        discussion: """
            The page plays a recording or shows live data. It accepts commands only with the token in its address, so \
            keep the address secret. The map and the charts require the packages libjs-leaflet and libjs-dygraphs.

            Examples:
              sensorctl dashboard drive.jsonl
              sensorctl dashboard --live --region "home=48.137,11.575,200"
            """)

    @Argument(
        help:
            "The recordings to play at the same time, or - for standard input. By default, the page shows live data from this machine.",
        completion: .file())
    var files: [String] = []

    @Flag(help: "Show live data from this machine.") var live = false
    @Option(help: "The TCP port to listen on, or 0 for any free port.") var port: UInt16 = 8421
    @Flag(help: "Open the page in a browser with xdg-open.") var open = false
    @Flag(help: "Do not accept commands from the page.") var readOnly = false

    @Option(
        help: .init(
            "The URL of the map tiles, such as https://tile.example.org/{z}/{x}/{y}.png. By default, the map has no tiles.",
            valueName: "url"))
    var tiles: String?

    @Option(help: .init("The attribution required by the licence of the map tiles.", valueName: "text"))
    var tilesAttribution: String?

    @Option(
        help: .init("The folder that contains the subfolders leaflet and dygraphs.", valueName: "folder"),
        completion: .directory)
    var assets = "/usr/share/javascript"

    @Option(help: "The playback speed relative to the recording, from 0.1 to 100.") var speed = 1.0
    @Flag(help: "Repeat the recording.") var loop = false
    @Option(
        help: .init(
            "A region to monitor, with its name, latitude, longitude and radius in metres. This option may be repeated.",
            valueName: "name=lat,lon,metres"), transform: NamedRegion.parse)
    var region: [NamedRegion] = []

    @Option(
        help: .init(
            "The reference frame of the attitude. See `sensorctl watch --help` for the values. The default is magnetic if there is a magnetometer, and arbitrary otherwise.",
            valueName: "frame"))
    var frame: FrameName?

    @Option(
        help: .init(
            "The device orientation to use when computing headings. See `sensorctl watch --help` for the values.",
            valueName: "orientation"))
    var orientation = EdgeName.portrait

    @Option(
        help:
            "How to align multiple recordings: clock (at their recorded times) or start (all starting at the same time)."
    )
    var align: TraceMerger.Alignment = .clock

    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @Option(help: UnitSystem.help) var units = UnitSystem.metric
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.rejectIf(live && !files.isEmpty, "--live shows this machine: omit the recording.")
        try Self.rejectIf(files.isEmpty && loop, "--loop requires a recording.")
        try Self.rejectIf(files.isEmpty && speed != 1, "--speed requires a recording.")
        try Self.rejectIf(!(0.1...100).contains(speed), "--speed must be from 0.1 to 100.")
        let maximum = TraceMerger.maximumCount
        try Self.rejectIf(files.count > maximum, "At most \(maximum) recordings can be played together.")
        try Self.rejectIf(tiles == nil && tilesAttribution != nil, "--tiles-attribution requires --tiles.")
        try Self.rejectIf(
            tiles != nil && chosenTiles == nil,
            "--tiles must be an http or https address with {z}, {x} and {y} in its path.")
        try NamedRegion.validate(region)
    }

    func run() async throws {
        try await Termination.run(reading: files.isEmpty ? nil : try merged(try imports.read(files))) { trace, stop in
            await show(trace, stop: stop)
        }
    }

    private func merged(_ traces: [TraceFile]) throws -> TraceFile {
        guard traces.count > 1 else { return traces[0] }
        return try ExitStatus.exitOnError {
            let builder = TraceBuilder(name: traces.map(\.name).joined(separator: ", "))
            for remark in try TraceMerger.write(traces, alignment: align, to: builder) {
                Log.warning(TerminalText.text(remark))
            }
            return try builder.file()
        }
    }

    private var chosenTiles: DashboardOptions.Tiles? {
        tiles.flatMap { DashboardOptions.Tiles(url: $0, attribution: tilesAttribution ?? "") }
    }

    @MainActor private func show(_ trace: TraceFile?, stop: StopRequest) async -> ExitStatus {
        let openedPage = OpenedPage()
        defer { openedPage.close() }
        let session = DashboardSession(plan(stop, openedPage), stop: stop)
        do throws(DeviceError) {
            if let trace { try await session.run(trace) } else { try await session.runLive() }
        } catch {
            Log.error(error.description)
            return ExitStatus(starting: error)
        }
        return stop.status()
    }

    @MainActor private func plan(_ stop: StopRequest, _ openedPage: OpenedPage) -> DashboardPlan {
        var options = DashboardOptions(assets: AssetFolder(root: assets))
        options.port = port
        options.isReadOnly = readOnly
        options.tiles = chosenTiles
        options.units = units.rawValue
        for library in AssetFolder.Library.all where !options.assets.contains(library) {
            Log.notice(
                "\(assets) does not contain \(library.name), so the page shows numbers instead. To install it: sudo apt-get install \(library.package)"
            )
        }
        var plan = DashboardPlan(options: options)
        (plan.regions, plan.frame, plan.edge) = (region, frame, orientation)
        (plan.speed, plan.loops) = (speed, loop)
        plan.announce = { address, port, token in
            let standardOutput = StandardOutput(stop: stop)
            if output.json {
                standardOutput.writeObject { writer in
                    writer.members(["event": "listening", "uri": address, "port": Int(port)])
                    writer.memberIfPresent("token", readOnly ? nil : token)
                }
            } else {
                standardOutput.write(line: address)
            }
            if open { openedPage.open(address) }
        }
        return plan
    }
}

/// Opens the page in the user's browser.
@MainActor private final class OpenedPage {
    private nonisolated static let fileName = "dashboard.html"
    private var folder: ScratchDirectory?

    /// Opens a private file that redirects the browser to the address. Passing the address directly would reveal its
    /// token to other users, who can read the browser's command line.
    func open(_ address: String) {
        do throws(DeviceError) {
            let owner = "the page that opens the dashboard"
            let kind = ScratchDirectory.Kind(prefix: "sensorctl-dashboard-", owner: owner) { $0 == Self.fileName }
            let folder = try ScratchDirectory(kind, below: nil)
            let text =
                "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=\(address)\">\n"
            let path = "\(folder.path)/\(Self.fileName)"
            try FileIO.write(Array(text.utf8), to: path, overwrite: false)
            self.folder = folder
            let browser = Process()
            browser.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            browser.arguments = ["xdg-open", path]
            (browser.standardInput, browser.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
            browser.standardError = FileHandle.nullDevice
            browser.terminationHandler = { browser in
                if browser.terminationStatus != 0 {
                    Log.warning("xdg-open could not open a browser. Open the address manually.")
                }
            }
            do { try browser.run() } catch { throw DeviceError(.notFound, "xdg-open cannot be started.") }
        } catch { Log.warning("The page cannot be opened: \(error.message) Open the address manually.") }
    }

    func close() { folder?.remove() }
}
