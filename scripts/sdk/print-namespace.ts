import type { PageSpec } from '../../clients/sdk/src/method.ts';
import type { PlainSchema } from '../surfaces/plain-schema.ts';
import type { Surface, SurfacePath } from '../surfaces.ts';
import { printFollower } from './print-follower.ts';
import { capital, declared, type Printed, source } from './print-source.ts';
import { camelName, docOf, freePaths, typeOf } from './print-type.ts';

const orNone = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

/** How a list goes on, when the operation is one. */
function pageOf({ input, answer }: Surface): PageSpec | undefined {
  const { has_more, next_cursor, cursor, before_cursor, ...others } = answer.properties ?? {};
  const [there] = ['after', 'cursor'].filter((name) => input.properties?.[name] !== undefined);
  const [rows] = Object.entries(others).find(([, { type }]) => type === 'array') ?? [];
  if (has_more === undefined || there === undefined || rows === undefined) return undefined;
  return {
    rows,
    next: [there, next_cursor === undefined ? 'cursor' : 'next_cursor'],
    ...(before_cursor === undefined || cursor === undefined ? {} : { back: ['before', 'before_cursor'] as const }),
  };
}

/** Inputs that the path takes, with its spelling left to the method. */
function offered({ input }: Surface, { places }: SurfacePath): PlainSchema {
  const taken = Object.entries(input.properties ?? {}).filter(([name]) => places[name] !== undefined);
  return { ...input, properties: Object.fromEntries(taken) };
}

function specOf(surface: Surface, path: SurfacePath, input: PlainSchema) {
  const { kind, idempotencyKey, priced, answer } = surface;
  const placed = Object.entries(path.places).filter(([name]) => input.properties?.[name] !== undefined);
  const isGet = path.method === 'GET';
  const template = path.path.replace(/:(\w+)/g, (_match, there: string) => {
    const [name] = placed.find(([, place]) => place.in === 'path' && place.name === there)!;
    return `{${name}}`;
  });
  const renamed = placed.filter(([name, { in: at, name: there }]) => {
    return (at === 'query' || at === 'body') && there !== undefined && there !== name;
  });
  const whole = placed.find(([, place]) => place.in === 'body' && place.name === undefined);
  const free = { in: freePaths(input), out: freePaths(answer) };
  return {
    call: `${path.method} ${template}`,
    reads: kind === 'query' && !isGet ? true : undefined,
    query: isGet ? undefined : orNone(placed.filter(([, place]) => place.in === 'query').map(([name]) => name)),
    spelt: orNone(Object.fromEntries(renamed.map(([name, place]) => [name, place.name]))),
    body: whole?.[0],
    headers: orNone(
      Object.fromEntries(
        placed.flatMap(([name, place]) => (place.in === 'header' ? [[name, place.name] as const] : [])),
      ),
    ),
    // A payment is made by its caller's key: two that are made up would be two payments.
    key: idempotencyKey === 'none' ? undefined : priced ? 'given' : 'made',
    freeIn: free.in.length === 0 ? undefined : free.in,
    freeOut: free.out.length === 0 || path.answersBytes ? undefined : free.out,
    page: pageOf(surface),
  };
}

/** The type of an answer. @param named collects the named schemas that it prints by their names */
function answerType({ answer }: Surface, { status }: SurfacePath, named: Map<string, PlainSchema>): string {
  // A status without a body answers nothing.
  return status === 204 ? 'undefined' : typeOf(answer, { io: 'output', indent: '', named });
}

function printMethod(surface: Surface, path: SurfacePath, named: Map<string, PlainSchema>): Printed {
  const input = offered(surface, path);
  const spec = specOf(surface, path, input);
  const [inputName, answerName] = [`${capital(surface.method)}Input`, `${capital(surface.method)}Answer`];
  const hasInput = Object.keys(input.properties ?? {}).length > 0;
  const types: string[] = [];
  if (hasInput) types.push(declared(inputName, surface.summary, typeOf(input, { io: 'input', indent: '' })));
  if (!path.answersBytes) types.push(declared(answerName, undefined, answerType(surface, path, named)));
  const given = hasInput ? inputName : 'Record<string, never>';
  const [maker, parameters] = path.answersBytes
    ? ['bytesMethod', [given]]
    : spec.page === undefined
      ? ['method', [given, answerName]]
      : ['listMethod', [given, answerName, `${answerName}['${camelName(spec.page.rows)}'][number]`]];
  const entry = `${docOf(surface.summary, '  ')}  ${surface.method}: ${maker}<${parameters.join(', ')}>(connection, ${source(spec)}),\n`;
  return { types: types.join('\n'), entry, uses: [maker as string] };
}

/** Imports types of answers by their names. */
const typesFrom = (names: readonly string[]): string =>
  names.length === 0 ? '' : `import type { ${names.toSorted().join(', ')} } from '../types.ts';\n`;

/** The module of the types that answers have in common: each named schema once, in the order of the names. */
export function printTypes(all: Iterable<readonly Surface[]>): string {
  const named = new Map<string, PlainSchema>();
  for (const ofIt of all)
    for (const surface of ofIt)
      if (surface.path !== undefined && !surface.path.answersBytes) answerType(surface, surface.path, named);
  // A map that grows while it is walked: a type brings those that it holds.
  const printed = new Map<string, string>();
  for (const [name, schema] of named)
    printed.set(name, declared(name, schema.description, typeOf(schema, { io: 'output', indent: '', named })));
  return [
    '// Generated by `npm run generate` from the operations. Do not edit.\n',
    ...[...printed.keys()].toSorted().map((name) => `\n${printed.get(name)}`),
  ].join('');
}

/** The module of a namespace: a function that makes it of a connection, and the types of its methods. */
export function printNamespace(name: string, ofIt: readonly Surface[]): string {
  const named = new Map<string, PlainSchema>();
  const printed = ofIt.flatMap((surface) => {
    if (surface.path !== undefined) return [printMethod(surface, surface.path, named)];
    return surface.follows.length > 0 ? [printFollower(surface)] : [];
  });
  const makers = [...new Set(printed.flatMap(({ uses }) => uses))];
  const from = (module: string, ones: readonly string[]) =>
    ones.length === 0 ? '' : `import { ${ones.toSorted().join(', ')} } from '../${module}.ts';\n`;
  return [
    '// Generated by `npm run generate` from the operations. Do not edit.\n',
    "import type { Connection } from '../connection.ts';\n",
    from(
      'method',
      makers.filter((maker) => maker !== 'follower'),
    ),
    from(
      'subscribe',
      makers.filter((maker) => maker === 'follower'),
    ),
    typesFrom([...named.keys()]),
    `\n/** Operations of \`${name}\`. */\nexport const ${name} = (connection: Connection) => ({\n`,
    ...printed.map(({ entry }) => entry),
    '});\n\n',
    printed
      .map(({ types }) => types)
      .filter((types) => types !== '')
      .join('\n'),
  ].join('');
}
