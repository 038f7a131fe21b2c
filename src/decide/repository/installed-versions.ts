// A version that a project requires → whether it is installed. A manager downloads a missing one when any of its
// programs starts, even to print a version. If the manager is not installed, nothing is downloaded.

import { posix } from 'node:path';
import type { Probe } from '../../core/probe.ts';

export interface Disk {
  readonly probe: Probe;
  readonly home: string | null;
}

const LIMIT_BYTES = 65_536;

function inHome({ probe, home }: Disk, ...parts: readonly string[]): string | null {
  const path = home === null ? null : posix.join(home, ...parts);
  return path !== null && probe.kind(path) !== 'absent' ? path : null;
}

/** `rust-toolchain.toml`, or the older file that contains only a channel. */
export function hasRustToolchain(text: string, disk: Disk): boolean {
  const rustup = inHome(disk, '.rustup');
  if (rustup === null) return true;
  const plain = text.replace(/#.*/g, '');
  const channel = (/\bchannel\s*=\s*["']([^"']*)["']/.exec(plain)?.[1] ?? plain).trim();
  const parts = [...plain.matchAll(/\b(components|targets)\s*=\s*\[([^\]]*)/g)].flatMap(([, list, names = '']) =>
    [...names.matchAll(/["']([^"']+)["']/g)].map(([, name]) => (list === 'targets' ? `rust-std-${name}` : `${name}-`)),
  );
  const folder = posix.join(rustup, 'toolchains');
  // `nightly` is installed as `nightly-x86_64-unknown-linux-gnu`; `nightly-2024-05-01-…` is a different one.
  const installed = (disk.probe.list(folder) ?? []).find(
    (name) => name === channel || (name.startsWith(`${channel}-`) && !/^\d/.test(name.slice(channel.length + 1))),
  );
  if (installed === undefined) return false;
  const listed = disk.probe.readText(posix.join(folder, installed, 'lib/rustlib/components'), LIMIT_BYTES) ?? '';
  return parts.every((part) => listed.split('\n').some((line) => line.startsWith(part)));
}

const MISE_NAMES: Readonly<Record<string, string>> = { nodejs: 'node', golang: 'go' };

/** `.tool-versions`, as mise reads it; asdf never downloads automatically. */
export function hasToolVersions(text: string, disk: Disk): boolean {
  const mise = inHome(disk, '.local/share/mise');
  if (mise === null) return true;
  return text.split(/\r\n|\r|\n/).every((line) => {
    const [tool, version] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (tool === undefined || tool === '' || version === undefined || version === 'system') return true;
    return disk.probe.kind(posix.join(mise, 'installs', MISE_NAMES[tool] ?? tool, version)) !== 'absent';
  });
}

/** Settings of mise itself name tools, and plugins from any source. */
export function hasNoMise(disk: Disk): boolean {
  return inHome(disk, '.local/share/mise') === null;
}

/** `"volta"` in `package.json` names versions that volta installs. */
export function hasVoltaVersions(text: string, disk: Disk): boolean {
  return !text.includes('"volta"') || inHome(disk, '.volta') === null;
}

const GO_FOLDERS = ['/usr/local/go', '/usr/lib/go', '/usr/lib/golang', '/opt/homebrew/opt/go/libexec'];

/** `go` and `toolchain` in `go.mod`: since 1.21, go downloads and runs a newer version that they name. */
export function hasGoToolchain(text: string, disk: Disk): boolean {
  const named = [...text.matchAll(/^\s*(?:go\s+|toolchain\s+go)(\d+(?:\.\d+)*)/gm)].map(([, version = '']) => version);
  const wanted = named.reduce((newest, version) => (isNewer(version, newest) ? version : newest), '1.20');
  if (wanted === '1.20') return true;
  const installed = GO_FOLDERS.flatMap((folder) => {
    const version = disk.probe.readText(posix.join(folder, 'VERSION'), LIMIT_BYTES);
    return /^go(\d+(?:\.\d+)*)/.exec(version ?? '')?.[1] ?? [];
  });
  if (installed.some((version) => !isNewer(wanted, version) || !isNewer(version, '1.20.99'))) return true;
  const fetched = inHome(disk, 'go/pkg/mod/golang.org');
  const names = fetched === null ? [] : (disk.probe.list(fetched) ?? []);
  return names.some((name) => name.startsWith(`toolchain@v0.0.1-go${wanted}.`));
}

function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** `packageManager` in `package.json`: corepack and pnpm cache the versions that they have fetched. */
export function hasPackageManager(name: string, version: string, disk: Disk): boolean {
  return [
    ['.cache/node/corepack/v1', name, version],
    ['.cache/node/corepack', name, version],
    ['.local/share/pnpm/.tools', name, version],
  ].some((parts) => inHome(disk, ...parts) !== null);
}
