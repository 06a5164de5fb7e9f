# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Builds the disks of the virtual board: Debian's root file system and kernel, and a disk with the programs under test."""

import gzip
import hashlib
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = [
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "busybox-static", "libiio0", "libiio-utils", "iiod", "gpsd",
    "gpsd-tools", "python3", "python3-gps", "procps", "psmisc", "iproute2", "strace", "bluez",
]
# Unpacked without dependencies: gpsd-clients contains gpspipe, but also programs that need GTK and Matplotlib.
UNPACKED = ["gpsd-clients"]
MODULE_PACKAGES = ["linux-source", "gcc", "make", "xz-utils"]
# Drivers that are unnecessary on a board without a screen, disks and radio.
UNUSED = [
    "sound", "drivers/gpu", "drivers/media", "drivers/net/wireless", "drivers/net/ethernet", "drivers/infiniband",
    "drivers/scsi", "drivers/ata", "drivers/md", "drivers/staging", "drivers/isdn", "drivers/mtd", "drivers/hwmon",
    "drivers/video", "fs/xfs", "fs/btrfs", "fs/ocfs2", "fs/ceph", "net/netfilter",
]

PAYLOAD_STEP = 128 << 20


class Unavailable(Exception):
    """The board cannot be built on this machine. The text contains the reason."""


class Image:
    """A kernel, an initramfs and a root disk in a cache directory."""

    def __init__(self, folder):
        self.kernel = folder / "vmlinuz"
        self.initramfs = folder / "initramfs"
        self.disk = folder / "root.ext4"


def cache(architecture):
    """Returns the directory with the cached disks of the processor."""
    given = os.environ.get("DEVICE_SERVICES_TOOLCHAINS")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "swift-device-services"
    return base / "board" / architecture.name


def build(architecture):
    """Returns the image. Builds it first unless the cache contains an image of the same parts."""
    require("mmdebstrap", "mke2fs", "cpio")
    kept = cache(architecture)
    folder = kept / fingerprint(architecture)
    image = Image(folder)
    if all(path.exists() for path in (image.kernel, image.initramfs, image.disk)):
        return image
    work = kept / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    build_modules(work, architecture)
    build_root(work, architecture)
    folder.mkdir(exist_ok=True)
    for name in ("vmlinuz", "initramfs", "root.ext4"):
        os.replace(work / name, folder / name)
    shutil.rmtree(work)
    for other in kept.iterdir():
        if other != folder:
            shutil.rmtree(other)
    return image


def fingerprint(architecture):
    """Returns a digest of all parts of the image."""
    digest = hashlib.sha256(f"{architecture.name} {architecture.suite}".encode())
    for path in [Path(__file__), HERE / "guest/initramfs", *sorted((HERE / "modules").iterdir())]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def require(*commands):
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        raise Unavailable(f"{', '.join(missing)} is not installed")


def bootstrap(work, architecture, packages, left_out, target, hooks):
    """Runs mmdebstrap. Kernel modules in the directories `left_out` are not unpacked.

    Hooks are shell scripts in which $1 is the root, or special hooks of mmdebstrap, which can write outside of the root even
    for users without root privileges.

    Programs of another processor run under qemu-user-static, through binfmt_misc.
    """
    command = ["mmdebstrap", f"--architectures={architecture.name}", "--variant=minbase"]
    command += ["--aptopt=APT::Install-Recommends \"false\""]
    command += [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("man", "doc", "locale")]
    command += [f"--dpkgopt=path-exclude=*/lib/modules/*/kernel/{name}/*" for name in left_out]
    command += [f"--include={','.join(packages)}", "--skip=cleanup/reproducible"]
    command += [f"--customize-hook={hook}" for hook in hooks]
    command += [architecture.suite, *target]
    # The board has its own initramfs.
    environment = {**os.environ, "INITRD": "No"}
    with open(work / "log", "wb") as log:
        status = subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment).returncode
    if status != 0:
        tail = (work / "log").read_text(errors="replace").strip().splitlines()[-5:]
        raise Unavailable("mmdebstrap cannot build the root file system: " + " | ".join(tail))


def build_modules(work, architecture):
    """Compiles the kernel modules against the headers of the board's kernel."""
    hooks = [
        f"copy-in {HERE}/modules /",
        'chroot "$1" sh -c "make -C /modules && mkdir /extra && cp /modules/*.ko /extra"',
        f"copy-out /extra {work}",
    ]
    packages = [f"linux-headers-{architecture.name}", *MODULE_PACKAGES]
    bootstrap(work, architecture, packages, ["*"], ["/dev/null", "--format=null"], hooks)


def build_root(work, architecture):
    """Creates the root disk, and an initramfs with the modules that mount it."""
    hooks = [
        f'chroot "$1" sh -c "cd /tmp && apt-get download {" ".join(UNPACKED)}"',
        'for package in "$1"/tmp/*.deb; do dpkg-deb --extract "$package" "$1" && rm "$package"; done',
        f"copy-in {work}/extra /tmp",
        'mv "$1/tmp/extra" "$1"/lib/modules/*',
        'for folder in "$1"/lib/modules/*; do chroot "$1" depmod "${folder##*/}"; done',
        'chroot "$1" useradd --create-home tester',
        'echo "127.0.0.1 localhost" >"$1/etc/hosts"',
    ]
    packages = [f"linux-image-{architecture.name}", *PACKAGES]
    bootstrap(work, architecture, packages, UNUSED, [str(work / "root.tar"), "--format=tar"], hooks)
    size = max(1024, (work / "root.tar").stat().st_size * 3 // 2 // 1048576 + 512)
    script = f"""
        set -e
        cd {work} && mkdir root && tar -xpf root.tar -C root --exclude './dev/*' && rm -f root.tar
        truncate -s {size}M root.ext4
        mke2fs -q -t ext4 -O ^has_journal -m 0 -d root root.ext4
    """
    as_root(script)
    (kernel,) = work.glob("root/boot/vmlinuz-*")
    shutil.copy(kernel, work / "vmlinuz")
    pack_initramfs(work)


def as_root(script):
    """Runs a shell script as an apparent root user, so that the owners of files are kept."""
    command = ["bash", "-c", script]
    if os.geteuid() != 0:
        require("fakeroot")
        command = ["fakeroot", *command]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def pack_initramfs(work):
    folder = work / "initramfs.d"
    for name in ("bin", "dev", "proc", "sys", "disk", "changes", "root", "modules"):
        (folder / name).mkdir(parents=True)
    shutil.copy(work / "root/bin/busybox", folder / "bin/busybox")
    (drivers,) = work.glob("root/lib/modules/*")
    order = []
    for name in ("virtio_pci", "virtio_blk", "virtio_console", "crc32c_generic", "ext4", "overlay"):
        for path in dependencies(drivers, name):
            if path not in order:
                order.append(path)
    for number, path in enumerate(order):
        data = (drivers / path).read_bytes()
        name = Path(path).name
        if name.endswith(".xz"):
            data = lzma.decompress(data)
        (folder / "modules" / f"{number:02}-{name.removesuffix('.xz')}").write_bytes(data)
    shutil.copy(HERE / "guest/initramfs", folder / "init")
    for name in ("bin/busybox", "init"):
        (folder / name).chmod(0o755)
    names = "\n".join(str(path.relative_to(folder)) for path in [folder, *sorted(folder.rglob("*"))])
    archive = subprocess.run(
        ["cpio", "--quiet", "-o", "-H", "newc"], cwd=folder, input=names.encode(), stdout=subprocess.PIPE, check=True)
    (work / "initramfs").write_bytes(gzip.compress(archive.stdout, 1))


def dependencies(drivers, name):
    """Returns the paths of a module and its dependencies, in the order in which to insert them."""
    for line in (drivers / "modules.dep").read_text().splitlines():
        path, _, others = line.partition(":")
        if re.fullmatch(rf"{name.replace('_', '[-_]')}\.ko(\.xz)?", Path(path).name):
            return [*reversed(others.split()), path]
    return []


def pack_payload(tool, target):
    """Creates a disk with the tool, its Swift libraries and the programs of the guest."""
    folder = target.with_suffix(".d")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib").mkdir(parents=True)
    for path in (HERE / "guest").iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)
            (folder / path.name).chmod(0o755)
    shutil.copy(tool, folder / "sensorctl.bin")
    # Fails for other processors, for which Swift is linked statically.
    listing = subprocess.run(["ldd", tool], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for path in re.findall(r"=> (/\S+)", listing):
        if not path.startswith(("/lib/", "/usr/lib/", "/lib64/")):
            shutil.copy(path, folder / "lib" / Path(path).name)
    # Rounded up, because a saved state can be restored only with disks of the same size. The file system itself also
    # needs space.
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) + (32 << 20)
    size = (used // PAYLOAD_STEP + 1) * PAYLOAD_STEP
    target.unlink(missing_ok=True)
    as_root(f"truncate -s {size} {target} && chmod -R go+rX {folder} && mke2fs -q -t ext4 -O ^has_journal -m 0 -d {folder} {target}")
    shutil.rmtree(folder)
