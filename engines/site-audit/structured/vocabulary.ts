import { readFileSync } from 'node:fs';

interface Vocabulary {
  /** Each class with its parents. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
  /** Each property with the classes it is for. */
  readonly properties: ReadonlyMap<string, ReadonlySet<string>>;
}

let loaded: Vocabulary | undefined;
const ancestors = new Map<string, ReadonlySet<string>>();

function vocabulary(): Vocabulary {
  if (loaded !== undefined) return loaded;
  const text = readFileSync(new URL('../data/schema-org.txt', import.meta.url), 'utf8');
  const [, classes = '', properties = ''] = text.split(/^\[(?:classes|properties)\]\n/m);
  const rows = (part: string) =>
    part
      .trim()
      .split('\n')
      .map((line) => {
        const [name, ...others] = line.split(' ');
        return [name!, others] as const;
      });
  loaded = {
    classes: new Map(rows(classes)),
    properties: new Map(rows(properties).map(([name, domains]) => [name, new Set(domains)])),
  };
  return loaded;
}

/** A name without the spellings of schema.org's namespace; undefined when it is of another one. */
export function localName(name: string): string | undefined {
  const local = name.replace(/^(?:schema:|https?:\/\/schema\.org\/)/, '');
  return local.includes(':') || local.startsWith('@') ? undefined : local;
}

export const isClass = (name: string): boolean => vocabulary().classes.has(name);

/** A class with everything it is a kind of. */
export function kindsOf(name: string): ReadonlySet<string> {
  const known = ancestors.get(name);
  if (known !== undefined) return known;
  const { classes } = vocabulary();
  const kinds = new Set<string>();
  if (classes.has(name)) {
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (kinds.has(next)) continue;
      kinds.add(next);
      open.push(...(classes.get(next) ?? []));
    }
    ancestors.set(name, kinds);
  }
  return kinds;
}

/** Whether a property is for one of the classes. */
export function covers(property: string, types: readonly string[]): boolean {
  const domains = vocabulary().properties.get(property);
  return domains !== undefined && types.some((type) => [...kindsOf(type)].some((kind) => domains.has(kind)));
}
