// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension Configuration {
    /// Returns this process's configuration. The environment takes precedence over the configuration file, and the file
    /// over the defaults.
    ///
    /// `DEVICE_SERVICES_CONFIG` specifies the file. If it is not set, the file is `device-services.json` in
    /// `XDG_CONFIG_HOME` (default `~/.config`) or, if that does not exist, `/etc/device-services.json`. Loading never
    /// fails; unusable values are reported in `problems`.
    public static func load() -> Configuration { load(environment: nil, readFile: readFile) }

    /// If `environment` is nil, uses this process's environment.
    package static func load(
        environment: [String: String]?, readFile: (String) throws(DeviceError) -> [UInt8]?
    ) -> Configuration {
        var configuration = Configuration()
        configuration.readFirstFile(environment: environment, readFile: readFile)
        configuration.read(environment: environment)
        return configuration
    }

    /// Returns the value of an environment variable, or nil if it is not set or empty.
    private static func value(of name: String, in environment: [String: String]?) -> String? {
        let value = environment.map { $0[name] } ?? getenv(name).map { String(cString: $0) }
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    private mutating func readFirstFile(
        environment: [String: String]?, readFile: (String) throws(DeviceError) -> [UInt8]?
    ) {
        var candidates = ["/etc/device-services.json"]
        let named = Self.value(of: "DEVICE_SERVICES_CONFIG", in: environment)
        if let named {
            candidates = [named]
        } else if let folder = Self.value(of: "XDG_CONFIG_HOME", in: environment), folder.hasPrefix("/") {
            candidates.insert(folder + "/device-services.json", at: 0)
        } else if let home = Self.value(of: "HOME", in: environment), home.hasPrefix("/") {
            candidates.insert(home + "/.config/device-services.json", at: 0)
        }
        for path in candidates {
            do throws(DeviceError) {
                guard let bytes = try readFile(path) else { continue }
                if let problem = Self.permissionWarning(for: path) { addProblem(problem) }
                return read(json: bytes, path: path)
            } catch { return addProblem(error) }
        }
        guard let named else { return }
        addProblem(
            DeviceError(
                .notFound, "DEVICE_SERVICES_CONFIG names \(named), which does not exist. The defaults are used."))
    }

    private mutating func read(environment: [String: String]?) {
        func value(_ name: String) -> String? { Self.value(of: name, in: environment) }
        func setFromEnvironment<Value>(
            _ setting: WritableKeyPath<Configuration, Setting<Value>>, _ name: String,
            _ parse: (String) throws(DeviceError) -> Value
        ) {
            guard let text = value(name) else { return }
            do throws(DeviceError) {
                self[keyPath: setting] = Setting(try parse(text), origin: .environment(name))
            } catch { addProblem(error.within(name)) }
        }
        setFromEnvironment(\.positionSource, "DEVICE_SERVICES_GPSD", PositionSourceAddress.init)
        for name in BrokerCredentialFiles.names {
            if let path = value(name.variable) { setBrokerFile(name.path, path, origin: .environment(name.variable)) }
        }
        setFromEnvironment(\.motionSources, "DEVICE_SERVICES_IIO", MotionSourceAddress.list)
        if let text = value("DEVICE_SERVICES_ACCESSORIES") { readAccessoryDirectories(environment: text) }
        if let text = value("DEVICE_SERVICES_UDEV") { readWatchesUdev(environment: text) }
        if let text = value("DEVICE_SERVICES_PROTOCOLS") { readAppProtocols(environment: text) }
        setFromEnvironment(\.locationRule, "DEVICE_SERVICES_LOCATION", Self.parseLocationRule)
    }

    mutating func setBrokerFile(
        _ name: WritableKeyPath<BrokerCredentialFiles, String?>, _ path: String,
        origin: Setting<BrokerCredentialFiles>.Origin
    ) {
        var files = brokerFiles.value
        files[keyPath: name] = path
        brokerFiles = Setting(files, origin: origin)
    }

    mutating func addProblem(_ problem: String) { addProblem(DeviceError(.invalidConfiguration, problem)) }
    mutating func addProblem(_ problem: DeviceError) { if problems.count < 100 { problems.append(problem) } }

    static func parseLocationRule(_ text: String) throws(DeviceError) -> LocationRule {
        if let rule = LocationRule(rawValue: text) { return rule }
        throw DeviceError(
            .invalidConfiguration,
            "\"\(text.prefix(100))\" is not an authorization rule. Write grant, ask, always, whenInUse, deny or restrict."
        )
    }

    /// Returns a warning if the process runs as root and other users can change the configuration file.
    static func permissionWarning(
        for path: String, user: uid_t = geteuid(), isWritable: (String) -> Bool = isWritableByOthers
    ) -> String? {
        guard user == 0 else { return nil }
        var component = componentWritableByOthers(path, isWritable)
        if component == nil, let real = realpath(path, nil) {
            component = componentWritableByOthers(String(cString: real), isWritable)
            free(real)
        }
        return component.map {
            "Root uses the configuration \(path), but other users can change \($0). Run: chown root \($0); chmod go-w \($0)"
        }
    }

    /// Checks the file, and then each of its parent directories. Returns the first path whose permissions let another
    /// user replace the file, or nil if there is none.
    private static func componentWritableByOthers(_ path: String, _ isWritable: (String) -> Bool) -> String? {
        var component = path
        while !isWritable(component) {
            guard component != "/", let slash = component.lastIndex(of: "/") else { return nil }
            component = slash == component.startIndex ? "/" : String(component[..<slash])
        }
        return component
    }

    /// Returns true if users other than root can write to the path.
    static func isWritableByOthers(_ path: String) -> Bool {
        var status = stat()
        // The owner of a symbolic link can make it point to a different file.
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, status.st_uid != 0 { return true }
        guard stat(path, &status) == 0 else { return false }
        // In a sticky directory such as /tmp, only a file's owner can replace the file.
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o1000 != 0
        let writers: mode_t = isSticky ? 0 : status.st_gid == 0 ? 0o002 : 0o022
        return status.st_uid != 0 || status.st_mode & writers != 0
    }

    private static func readFile(_ path: String) throws(DeviceError) -> [UInt8]? {
        do throws(DeviceError) {
            return try FileIO.read(path, limit: 1 << 20)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
