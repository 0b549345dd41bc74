import type { Deed } from './access-of.ts';
import { changeOf, conditionOf, rowOf } from './samples.ts';
import type { Thing } from './things.ts';

/** A name as the project's GraphQL spells it; undefined for one that it spells by rules of its own. */
function graphName(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return undefined;
  return name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

const upper = (name: string) => name[0]!.toUpperCase() + name.slice(1);

/** How many columns a document selects. */
const selectedMax = 6;

/** A document of the project's own GraphQL; undefined where the explorer has to be asked for the names. */
export function graphSnippet(deed: Deed, thing: Thing, userId: string | undefined): string | undefined {
  const field = graphName(thing.name);
  const columns = thing.columns.map(({ name }) => graphName(name)).filter((name) => name !== undefined);
  if (field === undefined || columns.length === 0 || columns.length < thing.columns.length) return undefined;
  const selection = columns.slice(0, selectedMax).join(' ');
  const found = conditionOf(thing);
  const where =
    found === undefined
      ? undefined
      : `where: { ${graphName(found.column.name)}: { eq: ${value(thing, found.column.name, found.value)} } }`;
  const change = changeOf(thing);
  switch (deed) {
    case 'read':
      return `{ ${field}(first: 10) { nodes { ${selection} } } }`;
    case 'filter':
      return where && `{ ${field}(${where}) { nodes { ${selection} } } }`;
    case 'insert':
      return `mutation { insert${upper(field)}(rows: [${object(thing, rowOf(thing, userId))}]) { affectedCount rows { ${selection} } } }`;
    case 'update':
      return Object.keys(change).length === 0 || where === undefined
        ? undefined
        : `mutation { update${upper(field)}(set: ${object(thing, change)}, ${where}) { affectedCount } }`;
    case 'delete':
      return where && `mutation { delete${upper(field)}(${where}) { affectedCount } }`;
    case 'call':
      return undefined;
  }
}

const object = (thing: Thing, row: Readonly<Record<string, unknown>>): string =>
  `{ ${Object.entries(row)
    .map(([name, one]) => `${graphName(name)}: ${value(thing, name, one)}`)
    .join(', ')} }`;

/** A value as GraphQL writes it: labels of an enumeration have no quotes. */
function value({ columns }: Thing, name: string, given: unknown): string {
  const column = columns.find((one) => one.name === name);
  if (column?.enumValues != null) return String(given);
  return JSON.stringify(given);
}
