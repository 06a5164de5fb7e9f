// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Why a reader has left.
struct ReaderFailure: Error {
    /// What has to be done about it.
    enum Remedy: Hashable {
        /// Look at the devices anew and try again.
        case reconnect
        /// Try the same again after a while.
        case retry
        /// Read axis by axis; with what there is to say about it.
        case poll(remark: String)
    }

    let error: DeviceError
    let remedy: Remedy

    init(_ error: DeviceError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }
}
