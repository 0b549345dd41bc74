import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleFile, textFile } from './bundle-file.ts';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

interface Notice {
  readonly name: string;
  readonly licence: string;
  /** Empty where the package brings none. */
  readonly text: string;
}

const data = `Data in engines/audit/data:

schema-org.txt is reduced from the vocabulary of schema.org, release 30.0, which is licensed under the Creative Commons
Attribution-ShareAlike License, version 3.0 (https://creativecommons.org/licenses/by-sa/3.0/). The reduced table is licensed
under the same terms.

public-suffixes.txt is reduced from the Public Suffix List (https://publicsuffix.org/), which is subject to the terms of the
Mozilla Public License, v. 2.0 (https://mozilla.org/MPL/2.0/).
`;

/**
 * The packages that the gateway runs with, and under which terms, with the texts that they bring. Packages made for one
 * kind of machine are named without their text: not every installation has them, and what is sold is the same everywhere.
 *
 * @param root where the project is installed, with its dependencies
 */
export async function thirdPartyNotices(root: string): Promise<BundleFile> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const used = Object.entries(packages).filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional);
  const notices: Notice[] = [];
  for (const [path, { version, license, optional }] of used) {
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version ?? ''}`.trim();
    const text = optional === true ? '' : await licenceText(join(root, path));
    notices.push({ name, licence: license ?? 'see its text', text });
  }
  return textFile('THIRD-PARTY-NOTICES.txt', written(notices));
}

/** The file that is called after it, whatever follows in its name; the first of several. */
async function licenceText(folder: string): Promise<string> {
  const [name] = (await readdir(folder))
    .filter((one) => /^(?:un)?licen[cs]e(?:[.-]|$)|^copying(?:\.|$)/i.test(one))
    .sort();
  return name === undefined ? '' : (await readFile(join(folder, name), 'utf8')).replace(/\r\n?/g, '\n').trim();
}

/** Each text once, after the names of all packages that bring it. */
function written(notices: readonly Notice[]): string {
  const list = [...new Set(notices.map(({ name, licence }) => `${name}: ${licence}`))].sort();
  const byText = new Map<string, Set<string>>();
  for (const { name, text } of notices) {
    if (text !== '') byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  const texts = [...byText].map(([text, names]) => `${[...names].sort().join('\n')}\n\n${text}\n`).sort();
  const rule = `${'-'.repeat(72)}\n`;
  return `Third-party software and data\n\n${list.join('\n')}\n\n${data}\n${texts.map((text) => rule + text).join('\n')}`;
}
