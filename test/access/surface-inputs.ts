import { randomUUID } from 'node:crypto';
import type { Surface, SurfacePath } from '../../scripts/surfaces.ts';
import type { stageSurfaces } from './surface-stage.ts';

type Json = Record<string, unknown>;
export type Stage = Awaited<ReturnType<typeof stageSurfaces>>;

/** The row of an operation's path. */
export const rowOf = ({ surfaces }: Stage, { path }: Surface) => surfaces[`${path!.method} ${path!.path}`]!;

/** What the row of a path says, by where a request has it. */
export function saidBy(stage: Stage, surface: Surface) {
  const { body, search } = rowOf(stage, surface);
  return {
    path: stage.params as Json,
    query: Object.fromEntries(new URLSearchParams(search?.() ?? '')) as Json,
    body: (surface.path!.method === 'GET' ? {} : (body?.() ?? {})) as Json,
  };
}

/** The same as the inputs of its operation. */
export function inputOf(stage: Stage, surface: Surface): Json {
  const said: Readonly<Record<string, Json>> = saidBy(stage, surface);
  return Object.fromEntries(
    Object.entries(surface.path!.places).flatMap(([name, place]) => {
      if (surface.input.properties?.[name] === undefined) return [];
      const given = place.name === undefined ? said.body : said[place.in]?.[place.name];
      return given === undefined ? [] : [[name, given]];
    }),
  );
}

/** The same as the arguments of a tool, which go by the names of the path. @param needsKey whether it wants a key */
export function toolArgumentsOf(
  { surfaces, params }: Pick<Stage, 'surfaces' | 'params'>,
  { method, path, places = {} }: Pick<SurfacePath, 'method' | 'path'> & Partial<Pick<SurfacePath, 'places'>>,
  needsKey: boolean,
): Json {
  const { body, search } = surfaces[`${method} ${path}`]!;
  const given = body?.() ?? {};
  const whole = Object.entries(places).find(([, place]) => place.name === undefined)?.[0];
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name === 'id' ? 'project_id' : name!, params[name!]]);
  return {
    ...Object.fromEntries(new URLSearchParams(search?.() ?? '')),
    ...(whole === undefined ? given : { [whole]: given }),
    ...Object.fromEntries(named),
    ...(needsKey ? { idempotency_key: randomUUID() } : {}),
  };
}
