// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import GPSLogger

func reportError(_ text: String) { FileHandle.standardError.write(Data("gps-logger: \(text)\n".utf8)) }

let words = Array(CommandLine.arguments.dropFirst())
guard let folder = words.first, words.count <= 2 else {
    reportError("usage: gps-logger FOLDER [SECONDS]    SECONDS: the longest loss after a power failure, by default 10")
    exit(64)
}
var policy = TrackLog.Policy()
if words.count == 2 {
    guard let seconds = Double(words[1]), (0...86_400).contains(seconds) else {
        reportError("SECONDS must be a number from 0, which syncs each fix, to 86400, which is a day: \(words[1])")
        exit(64)
    }
    policy.syncInterval = seconds
}
do {
    let logger = TrackLogger(log: try TrackLog(folder: URL(fileURLWithPath: folder), policy: policy))
    logger.report = reportError
    logger.start()
    // Services are stopped with SIGTERM, and programs in a terminal with SIGINT.
    let signals = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler {
            exit(logger.stop() ? 0 : 74)
        }
        source.resume()
        return source
    }
    // Also syncs the last fixes before a silence.
    let timer = DispatchSource.makeTimerSource(queue: .main)
    if policy.syncInterval > 0 {
        timer.schedule(deadline: .now() + policy.syncInterval, repeating: max(policy.syncInterval, 0.001))
    }
    timer.setEventHandler { logger.sync() }
    timer.resume()
    withExtendedLifetime((logger, signals, timer)) { RunLoop.main.run() }
} catch {
    reportError("\(folder) cannot be used: \(error.localizedDescription)")
    exit(73)
}
