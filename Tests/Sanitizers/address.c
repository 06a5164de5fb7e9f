// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Leak detection is disabled, because the sanitizer cannot follow Swift's weak references. It is set here instead of in
// the environment, because programs under test have their own environment.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
