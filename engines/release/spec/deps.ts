import { invalid } from '../errors.ts';
import { distinct, list, type Read, text } from './fields.ts';

/** Packages that a function may name. */
const depsMax = 30;
const depBytesMax = 200;

/** The library that every function has. */
const bundled = '@svc/functions';

/** Packages of which a part is compiled for one machine: no install script runs, and no binary is loaded. */
const native = new Set([
  'argon2',
  'bcrypt',
  'better-sqlite3',
  'canvas',
  'cpu-features',
  'ffi-napi',
  'grpc',
  'leveldown',
  'libxmljs',
  'node-pty',
  'node-sass',
  're2',
  'robotjs',
  'serialport',
  'sharp',
  'sqlite3',
  'usb',
  'zeromq',
]);

/** A name as npm has them, and a version or a range of them without spaces; no address and no path. */
const packageSpec = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*)(?:@[0-9A-Za-z.*^~<>=|+-]+)?$/;

const dep: Read<string> = (value, at) => {
  const found = text(depBytesMax)(value, at);
  const name = packageSpec.exec(found)?.[1];
  if (name === undefined) throw invalid(at, 'must be the name of a package, with or without a version');
  if (name === bundled) throw invalid(at, 'is there without being named');
  if (native.has(name)) throw invalid(at, 'has a part that is compiled for one machine, which functions cannot load');
  return found;
};

/** Contract 03, section 2.11.5: sorted. */
export const deps: Read<string[]> = (value, at) => {
  const found = distinct(list(dep, { max: depsMax }))(value, at);
  const names = new Set<string>();
  for (const [place, one] of found.entries()) {
    const name = packageSpec.exec(one)![1]!;
    if (names.has(name)) throw invalid(`${at}.${place}`, 'names a package again', { package: name });
    names.add(name);
  }
  return found.sort();
};
