// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests against what is installed: Debian's gpsd, and programs as processes of their own. One after the other, so that
/// they find the machine as idle as it can be.
@Suite(.serialized)
enum IntegrationTests {}
