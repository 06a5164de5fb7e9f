// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

/// What Apple's API has no words for.
extension CLLocationManager {
    /// The serial queue for callbacks; nil, the default, follows the place where the manager was made.
    ///
    /// While a trace is played, the player runs callbacks in one global order, unless it delivers as on live hardware.
    public var delegateQueue: DispatchQueue? {
        get { client.delegateQueue }
        set { client.delegateQueue = newValue }
    }

    /// The path of the receiver to listen to, as gpsd names it, for example "/dev/ttyACM0"; nil, the default, for the
    /// best one, or the one that is configured (`position.receiver`).
    ///
    /// Of several receivers the manager follows one at a time. It changes to another when the present one has no fix,
    /// or when the other has been clearly better (a 3D fix, or half the error) for ten seconds.
    public var receiver: String? {
        get { client.settings.receiver }
        set { client.set { $0.receiver = newValue } }
    }

    /// True to be told of every report; false, the default, for one location an epoch, the last and most complete.
    public var deliversEveryReport: Bool {
        get { client.settings.deliversEveryReport }
        set { client.set { $0.deliversEveryReport = newValue } }
    }

    /// True to keep the JSON of each report with its location. Default: false, which saves memory.
    public var keepsRawReports: Bool {
        get { client.settings.keepsRawReports }
        set { client.set { $0.keepsRawReports = newValue } }
    }

    /// How long `requestLocation()` waits for a fix that is good enough, in seconds. Default: 10.
    public var locationRequestTimeout: TimeInterval {
        get { client.settings.requestTimeout }
        set { client.set { $0.requestTimeout = newValue.isNaN ? 10 : min(max(0, newValue), 86_400) } }
    }

    /// How many locations were dropped because the program did not take them in time: at most 1,024 wait.
    public var droppedLocationCount: Int { client.droppedLocations }

    /// How many seconds a doubtful crossing of a border has to last before it is told. Default: 20, as Apple says; a
    /// crossing beyond doubt takes two seconds. For all regions and conditions of this manager's device.
    ///
    /// With 0, and `regionCushion` 0, every position on the other side of a border is a crossing.
    public var regionDwell: TimeInterval {
        get { RegionEngine.of(client.device).rules.dwell }
        set { RegionEngine.of(client.device).rules.dwell = newValue >= 0 ? min(newValue, 86_400) : 20 }
    }

    /// How many metres beyond the border the device has to be at least, or a quarter of the radius in small regions.
    /// Default: 10. 0 takes positions for exact. For all regions and conditions of this manager's device.
    public var regionCushion: CLLocationDistance {
        get { RegionEngine.of(client.device).rules.cushion }
        set { RegionEngine.of(client.device).rules.cushion = newValue >= 0 ? min(newValue, 1_000_000) : 10 }
    }

    /// Who may use the position of this manager's device, and who does.
    public var authorization: LocationAuthorization { client.authorization }
}
