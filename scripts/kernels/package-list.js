// Text of Debian's package lists → the kernels in them. Pure: archive.js downloads the lists.

/** Fields of each package; continuation lines are left out. */
function parsePackages(text) {
  return text
    .split(/\n\n+/)
    .filter((stanza) => stanza.trim() !== '')
    .map((stanza) =>
      Object.fromEntries([...stanza.matchAll(/^([\w-]+): *(.*)$/gm)].map(([, name, value]) => [name, value])),
    );
}

/** As dpkg sorts versions of kernels: `7.3~rc7` is older than `7.3`. */
export function compareVersions(one, other) {
  const numbers = (version) =>
    (version.replaceAll('~', '.~.').match(/\d+|~/g) ?? []).map((part) => (part === '~' ? -1 : Number(part)));
  const [a, b] = [numbers(one), numbers(other)];
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Without flavours for clouds (no 9p) and real time, and without debug and unsigned packages. */
const IMAGE = /^linux-image-(\d+\.\d+(?:[.-][\d.]+)*(?:-\d+)?(?:[+~][\w.]+)?)-amd64$/;
/** Since 6.19, the image is an empty package that depends on these. */
const PARTS = ['base', 'binary', 'modules'];

function packagesOf(image, release, names) {
  if (!(image.Depends ?? '').includes(`linux-modules-${release}`)) return [image.Package];
  const parts = PARTS.map((part) => `linux-${part}-${release}`);
  return parts.every((name) => names.has(`${name} ${image.Version}`)) ? parts : null;
}

/** `lists`: suite → text of its package list. The newest kernel of each series (6.12), oldest series first. */
export function findKernels(lists) {
  const newest = new Map();
  for (const [suite, text] of Object.entries(lists)) {
    const packages = parsePackages(text);
    const names = new Set(packages.map(({ Package, Version }) => `${Package} ${Version}`));
    for (const image of packages) {
      const number = IMAGE.exec(image.Package ?? '')?.[1];
      if (number === undefined) continue;
      const release = `${number}-amd64`;
      const parts = packagesOf(image, release, names);
      const series = number.split(/[.+~-]/, 2).join('.');
      const known = newest.get(series);
      if (parts === null || (known !== undefined && compareVersions(known.version, image.Version) >= 0)) continue;
      newest.set(series, { series, release, version: image.Version, suite, packages: parts });
    }
  }
  return [...newest.values()].sort((a, b) => compareVersions(a.version, b.version));
}
