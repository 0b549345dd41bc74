/** One rule of a group. */
export interface RobotsRule {
  readonly allow: boolean;
  /** As the file has it. */
  readonly text: string;
  /** As it is compared: octets that need no escape unescaped, all others escaped. */
  readonly pattern: string;
  readonly line: number;
}

export interface RobotsGroup {
  /** Product tokens in lower case, and `*`. */
  readonly agents: readonly string[];
  readonly rules: readonly RobotsRule[];
}

export interface RobotsFile {
  readonly groups: readonly RobotsGroup[];
  readonly sitemaps: readonly string[];
  /** Values of `Content-Signal`, which are told of and not scored. */
  readonly contentSignals: readonly string[];
  /** Whether it is a file of records at all. */
  readonly parseable: boolean;
}

const listedMax = 100;

/** Reads a robots.txt as RFC 9309 says. Never throws: what is no record is left out. */
export function parseRobots(bytes: Uint8Array): RobotsFile {
  const text = new TextDecoder('utf-8').decode(bytes);
  const groups: { agents: string[]; rules: RobotsRule[] }[] = [];
  const sitemaps: string[] = [];
  const contentSignals: string[] = [];
  /** Whether the latest record that counts was `user-agent`: the next one names the same group. */
  let naming = false;
  text.split(/\r\n|\r|\n/).forEach((raw, index) => {
    const line = raw.split('#', 1)[0]!;
    const colon = line.indexOf(':');
    if (colon < 0) return;
    const key = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (key === 'user-agent') {
      if (!naming) groups.push({ agents: [], rules: [] });
      naming = true;
      groups.at(-1)!.agents.push(value.split(/[/\s]/, 1)[0]!.toLowerCase());
    } else if (key === 'allow' || key === 'disallow') {
      naming = false;
      const rule = { allow: key === 'allow', text: value, pattern: comparable(value), line: index + 1 };
      // An empty rule matches nothing: an empty `Disallow` allows.
      if (value !== '') groups.at(-1)?.rules.push(rule);
    } else if (key === 'sitemap' && sitemaps.length < listedMax) sitemaps.push(value);
    else if (key === 'content-signal' && contentSignals.length < listedMax) contentSignals.push(value);
  });
  const parseable = !/^\s*</.test(text) && !text.includes('\u0000');
  return { groups, sitemaps, contentSignals, parseable };
}

/** A path or pattern as octets are compared: unreserved ones plain, the others escaped in upper case. */
export function comparable(text: string): string {
  return text
    .replace(/\P{ASCII}+/gu, (run) => encodeURIComponent(run.toWellFormed()))
    .replace(/%([0-9a-f]{2})/gi, (octets, hex: string) => {
      const octet = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9._~-]/.test(octet) ? octet : octets.toUpperCase();
    });
}
