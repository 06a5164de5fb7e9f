// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import GPSLogger

func complain(_ text: String) { FileHandle.standardError.write(Data("gps-logger: \(text)\n".utf8)) }

guard let folder = CommandLine.arguments.dropFirst().first else {
    complain("usage: gps-logger FOLDER [SECONDS]    SECONDS: what a power cut may cost at most, 10")
    exit(64)
}
var policy = TrackLog.Policy()
if let seconds = CommandLine.arguments.dropFirst(2).first.flatMap(Double.init) { policy.syncInterval = seconds }
do {
    let logger = TrackLogger(log: try TrackLog(folder: URL(fileURLWithPath: folder), policy: policy))
    logger.report = complain
    logger.start()
    // A service is ended with SIGTERM, a program in a terminal with SIGINT.
    let signals = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler {
            logger.stop()
            exit(0)
        }
        source.resume()
        return source
    }
    withExtendedLifetime((logger, signals)) { RunLoop.main.run() }
} catch {
    complain("\(folder) cannot be used: \(error.localizedDescription)")
    exit(73)
}
